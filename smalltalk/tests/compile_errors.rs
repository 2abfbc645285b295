//! Every compile error: its number, where it is told, and what it says. A number without a case here is a failure.

use smalltalk::compiler::{Scope, compile_doit, compile_method};
use smalltalk::syntax::CompileError;
use smalltalk::syntax::error_number::{self, *};
use std::collections::BTreeSet;

/// A class with one instance variable, before one global.
struct Names;

impl Scope for Names {
    type Binding = ();

    fn instance_variable(&self, name: &str) -> Option<u16> {
        (name == "own").then_some(0)
    }

    fn binding(&mut self, name: &str) -> Option<()> {
        (name == "Global").then_some(())
    }
}

/// What a source is.
#[derive(Clone, Copy)]
enum As {
    Method,
    DoIt,
}

/// Source, number, line, column, and the text.
type Case = (As, &'static str, u16, u32, u32, &'static str);

const CASES: &[Case] = &[
    // Expressions
    (As::DoIt, "3 + )", EXPECTED_PRIMARY, 1, 5, "expected a primary expression, found )"),
    (As::DoIt, "3 +\n  ", EXPECTED_PRIMARY, 2, 3, "expected a primary expression, found the end of the source"),
    (As::DoIt, "(3 . 4)", EXPECTED_CLOSING, 1, 4, "expected ) for the ( of line 1, column 1, found ."),
    (As::DoIt, "[3\n)", EXPECTED_CLOSING, 2, 1, "expected ] for the [ of line 1, column 1, found )"),
    (As::DoIt, "{3 ]", EXPECTED_CLOSING, 1, 4, "expected } for the { of line 1, column 1, found ]"),
    (As::DoIt, "3 := 4", UNEXPECTED, 1, 3, "expected a period or the end of the statement, found :="),
    (As::DoIt, "3 foo ]", UNEXPECTED, 1, 7, "expected a statement or the end of the source, found ]"),
    (As::DoIt, "3; foo", UNEXPECTED, 1, 2, "expected a message before the cascade, found ;"),
    (As::DoIt, "3 foo; 4", UNEXPECTED, 1, 8, "expected a message after ;, found 4"),
    (As::DoIt, "| 3 | 4", UNEXPECTED, 1, 3, "expected the name of a temporary or |, found 3"),
    (As::DoIt, "[:x 3]", UNEXPECTED, 1, 5, "expected | after the block's arguments, found 3"),
    (As::DoIt, "[:3 | 4]", UNEXPECTED, 1, 3, "expected the name of a block argument, found 3"),
    (
        As::DoIt,
        "@env1:Global",
        UNEXPECTED,
        1,
        7,
        "unexpected @env1: here, expected it only before the selector of a message",
    ),
    (
        As::DoIt,
        "3 @env1:foo",
        UNSUPPORTED,
        1,
        9,
        "method environment 1 does not exist here, expected @env0: or no prefix",
    ),
    // Words
    (As::DoIt, "€", INVALID_CHARACTER, 1, 1, "the character '€' begins nothing, expected an expression or a message"),
    (As::DoIt, "'abc", UNTERMINATED, 1, 1, "this string is not closed, expected a '"),
    (As::DoIt, "3. \"abc", UNTERMINATED, 1, 4, "this comment is not closed, expected a \""),
    (As::DoIt, "#'abc", UNTERMINATED, 1, 2, "this string is not closed, expected a '"),
    (As::DoIt, "$", INVALID_LITERAL, 1, 1, "expected a character after $, found the end"),
    (As::DoIt, "# ", INVALID_LITERAL, 1, 1, "expected a symbol, ( or [ after #"),
    (As::DoIt, "#(1 ^ 2)", INVALID_LITERAL, 1, 5, "expected a literal or ) in the literal array, found ^"),
    (As::DoIt, "#[256]", INVALID_LITERAL, 1, 3, "expected an integer from 0 to 255 in the byte array, found 256"),
    (As::DoIt, "#[x]", INVALID_LITERAL, 1, 3, "expected an integer from 0 to 255 or ] in the byte array, found x"),
    // Numbers
    (As::DoIt, "16r", INVALID_NUMBER, 1, 1, "expected only digits of radix 16, found 16r"),
    (As::DoIt, "99rA", INVALID_NUMBER, 1, 1, "expected a radix between 2 and 36 before the r"),
    (As::DoIt, "8r19", INVALID_NUMBER, 1, 1, "expected only digits of radix 8, found 8r19"),
    (As::DoIt, "1.0e999", INVALID_NUMBER, 1, 1, "this float is too large to be represented"),
    (As::DoIt, "1e99999", INVALID_NUMBER, 1, 1, "this number has too many digits, at most 10000 are allowed"),
    // Methods
    (As::Method, "3 + 4", EXPECTED_PATTERN, 1, 1, "expected a method that begins with its selector, found 3"),
    (
        As::Method,
        "",
        EXPECTED_PATTERN,
        1,
        1,
        "expected a method that begins with its selector, found the end of the source",
    ),
    (As::Method, "at: 3", UNEXPECTED, 1, 5, "expected the name of the argument, found 3"),
    (As::Method, "foo <> ^1", UNEXPECTED, 1, 6, "expected the name of a pragma, found >"),
    (As::Method, "foo <3> ^1", UNEXPECTED, 1, 6, "expected the name of a pragma, found 3"),
    (As::Method, "foo <primitive: 1 ^1", UNEXPECTED, 1, 19, "expected > to close the pragma, found ^"),
    (
        As::Method,
        "foo <primitive: x> ^1",
        INVALID_LITERAL,
        1,
        17,
        "expected a literal as the argument of the pragma, found x",
    ),
    (
        As::Method,
        "foo <primitive: 1> <primitive: 2>",
        INVALID_LITERAL,
        1,
        20,
        "expected one primitive, by a number or a symbol",
    ),
    // Names
    (As::DoIt, "zork", UNDEFINED, 1, 1, "undefined symbol zork"),
    (As::DoIt, "| a |\n\ta := Zork", UNDEFINED, 2, 7, "undefined symbol Zork"),
    (As::Method, "foo: a\n\ta := 1", NOT_ASSIGNABLE, 2, 2, "cannot assign to a: it is an argument"),
    (As::DoIt, "[:a | a := 1]", NOT_ASSIGNABLE, 1, 7, "cannot assign to a: it is an argument"),
    (As::DoIt, "self := 1", NOT_ASSIGNABLE, 1, 1, "cannot assign to self: it is not a variable"),
    (As::DoIt, "super", UNEXPECTED, 1, 1, "expected a message to super: super alone is no value"),
    (
        As::Method,
        "foo | own | ^own",
        ALREADY_DECLARED,
        1,
        7,
        "variable already declared: own is an instance variable, expected another name",
    ),
    (
        As::DoIt,
        "| a a |",
        ALREADY_DECLARED,
        1,
        5,
        "variable already declared: a is an argument or a temporary here already, expected another name",
    ),
    (
        As::Method,
        "foo: a | a |",
        ALREADY_DECLARED,
        1,
        10,
        "variable already declared: a is an argument or a temporary here already, expected another name",
    ),
    (
        As::DoIt,
        "| nil |",
        ALREADY_DECLARED,
        1,
        3,
        "variable already declared: nil is a reserved name, expected another name",
    ),
];

fn errors(kind: As, source: &str) -> Vec<CompileError> {
    let compiled = match kind {
        As::Method => compile_method(source, &mut Names),
        As::DoIt => compile_doit(source, &mut Names),
    };
    compiled.err().unwrap_or_default()
}

#[test]
fn each_says_what_is_wrong_and_where() {
    let mut wrong = Vec::new();
    for (kind, source, number, line, column, text) in CASES {
        let found = errors(*kind, source);
        let first = found.first().map(|error| (error.number, error.line, error.column, error.message.as_str()));
        if first != Some((*number, *line, *column, *text)) {
            wrong.push(format!("{source:?}\n    told {found:?}\n    not  {number} {line}:{column} {text:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), CASES.len(), wrong.join("\n"));
}

/// A source of a size, the largest one that compiles, one that does not, and what is told of that.
type Limit = (As, fn(usize) -> String, usize, usize, u16, &'static str);

fn list(count: usize, separator: &str) -> String {
    (0..count).map(|each| format!("t{each}{separator}")).collect()
}

fn keywords(count: usize, argument: &str) -> String {
    (0..count).map(|each| format!("k{each}: {argument} ")).collect()
}

#[rustfmt::skip]
const LIMITS: &[Limit] = &[
    (As::DoIt, |count| format!("{}3{}", "(".repeat(count), ")".repeat(count)), 199, 200, TOO_DEEP,
        "nested more than 200 levels deep"),
    (As::DoIt, |count| "1".repeat(count), 10_000, 10_001, INVALID_NUMBER, "too many digits"),
    (As::DoIt, |count| format!("3{}", " ".repeat(count - 1)), 16 << 20, (16 << 20) + 1, TOO_LARGE, "bytes"),
    (As::Method, |count| (0..count).map(|each| format!("k{each}: t{each} ")).collect(), 255, 256, TOO_LARGE,
        "too many arguments: 256, at most 255"),
    (As::DoIt, |count| format!("| {} | t0", list(count, " ")), 4000, 4001, TOO_LARGE,
        "too many temporaries, those of inlined blocks included: 4001, at most 4000"),
    (As::DoIt, |count| format!("[| {} | t0]", list(count, " ")), 255, 256, TOO_LARGE,
        "too many temporaries, those of inlined blocks included: 256, at most 255"),
    (As::DoIt, |count| format!("| {}| [{}]", list(count, " "), list(count, ". ")), 255, 256, TOO_LARGE,
        "too many outer variables that this block uses: 256, at most 255"),
    (As::DoIt, |count| format!("| {}| [{}]", list(count, " "), list(count, " := 1. ")), 255, 256, TOO_LARGE,
        "too many temporaries of one scope that blocks change: 256, at most 255"),
    (As::DoIt, |count| format!("nil {}", keywords(count, "1")), 255, 256, TOO_LARGE,
        "a message with more than 255 arguments"),
    (As::DoIt, |count| format!("{{{}}}", "1. ".repeat(count)), 59_000, 61_000, TOO_LARGE,
        "too many values are needed at a time"),
    (As::DoIt, |count| (0..count).map(|each| format!("Global foo: {}. ", 100_000 + each)).collect(), 65_000, 66_000,
        TOO_LARGE, "too many literals: 65536, at most 65535"),
    (As::DoIt, |count| "Global foo. ".repeat(count), 65_000, 66_000, TOO_LARGE,
        "too many message sends: 66000, at most 65535"),
    (As::DoIt, |count| format!("[{}]", "Global foo. ".repeat(count)), 16_000, 17_000, TOO_LARGE,
        "too many instructions in a block"),
];

/// Sources that are too large or too deep, each beside the largest one that is not.
#[test]
fn each_limit_is_told_and_holds_to_the_last() {
    for (kind, source, good, bad, number, text) in LIMITS {
        assert_eq!(errors(*kind, &source(*good)), [], "{text}: {good}");
        let found = errors(*kind, &source(*bad));
        let first = found.first().unwrap_or_else(|| panic!("{text}: {bad} compiled"));
        assert!(first.number == *number && first.message.contains(text), "{text}: {first}");
    }
}

#[test]
fn no_number_is_without_a_case() {
    let told: BTreeSet<u16> = CASES.iter().map(|case| case.2).chain([TOO_DEEP, TOO_LARGE]).collect();
    let all: BTreeSet<u16> = error_number::ALL.iter().copied().collect();
    assert_eq!(told, all);
    assert_eq!(all.len(), error_number::ALL.len(), "each number means one thing");
}
