//! Data primitives from Smalltalk, with a collection at every allocation: a word that a primitive held across one
//! would show.

mod support;

const CASES: &[(&str, &str)] = &[
    ("(100 factorial / 98 factorial) printString", "'9900'"),
    ("((2 raisedTo: 200) - (2 raisedTo: 199)) = (1 bitShift: 199)", "true"),
    ("((1 bitShift: 200) bitAnd: (1 bitShift: 200) - 1) bitOr: 5", "5"),
    ("(1 bitShift: -70) + (-1 bitShift: -70)", "-1"),
    ("[1 bitShift: 5000000] on: OutOfRange do: [:e | e return: #long]", "#'long'"),
    ("[(1 bitShift: 600000) * (1 bitShift: 600000)] on: OutOfRange do: [:e | e return: #long]", "#'long'"),
    ("((1 bitShift: 70000) + 1) gcd: ((1 bitShift: 70000) + 3)", "1"),
    ("(3 * (1 bitShift: 70000)) gcd: (9 * (1 bitShift: 70000))", "(3 * (1 bitShift: 70000))"),
    ("1.0e300 * 1.0e10", "PlusInfinity"),
    ("1.0e100 truncated asFloat", "1.0e100"),
    ("0.1 asTrueFraction asFloat", "0.1"),
    ("-3.5 rounded", "-4"),
    ("1.0e200 hash = 1.0e200 truncated hash", "true"),
    (
        "| s t | s := String new: 2. t := s. s at: 1 put: $a. s at: 2 put: (Character codePoint: 19968).
        {t class. t == s. t size. (t at: 2) codePoint. t hash = s copy hash. t = s copy}",
        "anArray( QuadByteString, true, 2, 19968, true, true)",
    ),
    ("'gr\u{fc}\u{df}e' asUppercase", "'GR\u{dc}\u{df}E'"),
    ("('a\u{4e00}b' indexOf: $b) + ('a\u{4e00}b' findString: '\u{4e00}b' startingAt: 1)", "5"),
    ("'\u{e4}\u{4e00}' encodeAsUTF8 decodeFromUTF8 = '\u{e4}\u{4e00}'", "true"),
    ("[#[255] decodeFromUTF8] on: ArgumentError do: [:e | e return: 0]", "0"),
    ("'a\u{4e00}' asSymbol == 'a\u{4e00}' copy asSymbol", "true"),
    ("'abc' = #abc", "false"),
    ("['abc' at: 1 put: $x] on: Error do: [:e | e return: #constant]", "#'constant'"),
    ("Transcript clear; show: 'one'; show: ' two'. Transcript contents", "'one two'"),
];

#[test]
fn primitives_hold_no_stale_words() {
    let mut image = support::image();
    image.vm().set_stress(true);
    let mut wrong = Vec::new();
    for (code, expected) in CASES {
        let expected =
            if expected.starts_with('(') { support::value(&mut image, expected) } else { (*expected).to_owned() };
        let found =
            support::run(&mut image, code).unwrap_or_else(|error| format!("{}: {}", error.class, error.message));
        if found != expected {
            wrong.push(format!("{code}\n    answered {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Anybody may name any primitive in a method of any class: with whatever receiver and arguments, it fails or answers.
#[test]
fn primitives_take_any_receiver_and_arguments() {
    let mut image = support::image();
    let receivers = "{nil. 3. 1 bitShift: 100. 2.5. 1.0e300. $a. 'abc'. 'abc' copy. #abc. 'a\u{4e00}' copy. #[1 2 3].
        Array new: 20. (Array new: 20) at: 3 put: (2 bitShift: 32); at: 4 put: 7; yourself.
        Object. Object new. [:x | x]. Object class. QuadByteString. (Object compiledMethodAt: #printString)}";
    let skipped = [
        "commit",
        "abort",
        "continue",
        "newClass",
        "compile",
        "removeSelector:",
        "removeAllMethods",
        "become:",
        "terminate:",
    ];
    let safe = |name: &&str| !skipped.contains(name) && !image_moves(name);
    for name in smalltalk::primitives::PrimitiveTable::new().names().into_iter().filter(safe) {
        let code = format!(
            "Object compileMethod: 'probe: a with: b <primitive: #''{name}''> ^nil' dictionaries: nil category: \
                'probing'.
            {receivers} do: [:r | {receivers} do: [:a | {receivers} do: [:b | r probe: a with: b]]]. #done"
        );
        let outcome = support::run(&mut image, &code);
        assert!(outcome.is_ok(), "{name}: {outcome:?}");
    }
    assert_eq!(support::value(&mut image, "3 + 4"), "7");
}

/// Control primitives that run other code.
fn image_moves(name: &str) -> bool {
    matches!(
        name,
        "perform" | "performWithArguments" | "value" | "valueWithArguments" | "executeMethod" | "collectGarbage"
    ) || name.contains(':') && ["return:to:", "restart:", "replace:with:"].contains(&name)
}
