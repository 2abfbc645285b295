//! Every message of every kernel class, with receivers and arguments that make no sense: a Smalltalk error is an
//! answer, and so is a limit; a panic, a crash or an image that does not work afterwards is none.
//!
//! The seed is printed, and can be given by `MISUSE_SEED`; `MISUSE_CALLS` makes the run longer, `MISUSE_TRACE` tells
//! each call before it is made, for the one that takes the process down.

mod support;

use smalltalk::{ErrorKind, Image, VmLimits};
use std::time::{Duration, Instant};
use support::{image, value};

/// Receivers and arguments. Each is evaluated anew for each call.
const POOL: &[&str] = &[
    "nil",
    "true",
    "3",
    "0",
    "-1",
    "1000000007",
    "SmallInteger maximumValue",
    "SmallInteger minimumValue",
    "2 ** 100",
    "(2 ** 100) negated",
    "2.5",
    "1.0e300",
    "-0.0",
    "Float infinity",
    "Float nan",
    "1/3",
    "3.14s2",
    "$a",
    "Character codePoint: 0",
    "Character codePoint: 128512",
    "''",
    "'abc'",
    "'some words here' copy",
    "'日本語' copy",
    "'12.5e3'",
    "#foo",
    "#with:with:",
    "#+",
    "#[1 2 255] copy",
    "#(1 $a 'x' #(2))",
    "Array new: 5",
    "{1. 'b'. #c. nil}",
    "OrderedCollection withAll: #(3 1 2)",
    "OrderedCollection new",
    "SortedCollection withAll: #(3 1 2)",
    "Set withAll: #(1 2)",
    "IdentitySet with: #a",
    "Bag withAll: #(1 1 2)",
    "(Dictionary new at: #a put: 1; yourself)",
    "(SymbolDictionary new at: #a put: 1; yourself)",
    "1 to: 5",
    "1 to: 0",
    "1 to: SmallInteger maximumValue",
    "#a -> 1",
    "ReadStream on: 'abc def'",
    "WriteStream on: String new",
    "ReadWriteStream on: #(1 2 3) copy",
    "Transcript",
    "[]",
    "[:x | x]",
    "[:x :y | x < y]",
    "[:x | x zork]",
    "[Error signal: 'within']",
    "Message selector: #foo arguments: #()",
    "Object new",
    "Object",
    "Object class",
    "String",
    "SmallInteger",
    "Array",
    "Metaclass",
    "OrderedCollection",
    "Error",
    "Error new",
    "ZeroDivide new",
    "ExceptionSet with: Error with: Warning",
    "TestCase new",
    "TestResult new",
    "Object compiledMethodAt: #printString",
    "UserGlobals",
    "System",
    "System symbolList",
    "UserProfile current",
    "GsStack",
    "GsStack base",
    "GsStack current",
    "ClassDefinition new",
];

/// Messages that are meant to move the session, or that others test with another store.
const SKIPPED: &[&str] = &["commit", "commitTransaction", "_commit", "continueTransaction", "_continue"];

/// A small generator, so that a seed says it all.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn choose<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[(self.next() % from.len() as u64) as usize]
    }
}

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

fn seed() -> u64 {
    number_from("MISUSE_SEED").unwrap_or_else(|| {
        let since = std::time::UNIX_EPOCH.elapsed().expect("it is after 1970");
        since.as_nanos() as u64
    })
}

/// The selectors that a receiver understands, but for those that are left out.
fn selectors_of(image: &mut Image, receiver: &str) -> Vec<String> {
    let code = format!(
        "| all | all := WriteStream on: String new. ({receiver}) class allSelectors asSortedCollection \
         do: [:each | all nextPutAll: each; space]. all contents"
    );
    let told = value(image, &code);
    let all = told.trim_matches('\'').split_whitespace().filter(|selector| !SKIPPED.contains(selector));
    all.map(str::to_owned).collect()
}

fn argument_count(selector: &str) -> usize {
    match selector.chars().next() {
        Some(first) if first.is_alphabetic() || first == '_' => selector.matches(':').count(),
        _ => 1,
    }
}

fn call(random: &mut Random, receiver: &str, selector: &str) -> String {
    let arguments: Vec<&str> = (0..argument_count(selector)).map(|_| random.choose(POOL)).collect();
    format!(
        "[(({receiver}) perform: #'{selector}' withArguments: {{{}}}) class name] \
         on: AbstractException do: [:ex | ex description. ex return: nil]",
        arguments.join(". ")
    )
}

#[test]
fn nonsense_gives_errors_and_never_ends_the_process() {
    let seed = seed();
    println!("seed {seed}");
    let calls = number_from("MISUSE_CALLS").unwrap_or(1) as usize;
    let trace = std::env::var_os("MISUSE_TRACE").is_some();
    let mut random = Random(seed);
    let mut image = image();
    image.set_limits(VmLimits { heap_bytes: 64 << 20, stack_bytes: 8 << 20 });
    let mut made = 0;
    for receiver in POOL {
        for selector in selectors_of(&mut image, receiver) {
            for _ in 0..calls {
                let code = call(&mut random, receiver, &selector);
                if trace {
                    eprintln!("{code}");
                }
                let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| attempt(&mut image, &code)));
                assert!(outcome.is_ok(), "seed {seed}: it panicked: {code}");
                made += 1;
                if made % 100 == 0 {
                    assert_eq!(value(&mut image, "(3 + 4) printString"), "'7'", "seed {seed}, after {code}");
                }
            }
        }
    }
    assert!(made > 10_000, "only {made} calls were made");
}

/// Makes a call, and lets an abort undo what it may have done to the kernel.
fn attempt(image: &mut Image, code: &str) {
    let start = Instant::now();
    if let Err(error) = image.execute(code, start + Duration::from_millis(30)) {
        // The code handles every exception: what comes through is a limit, or an end that the call asked for.
        let broken = error.kind == ErrorKind::StoreLost || error.message.contains("contradicts");
        assert!(!broken, "{code}: {error:?}");
    }
    assert!(start.elapsed() < Duration::from_secs(5), "{code} took {:?}", start.elapsed());
    image.abort().unwrap_or_else(|error| panic!("{code}: {error}"));
}

/// Code that reaches for what the machine itself leans on. Each is refused by an error of this class, or answers.
const ATTACKS: &[(&str, &str)] = &[
    ("(Association >> #key) value", "ImproperOperation"),
    ("Object class basicNew", "ImproperOperation"),
    ("Class new", "ImproperOperation"),
    ("Behavior basicNew", "ImproperOperation"),
    ("Object class compile: 'format: x format := x'", "CompileError"),
    ("Behavior compile: 'kill classIndex := 100000'", "CompileError"),
    ("Metaclass compile: 'kill thisClass := 3'", "CompileError"),
    ("GsNMethod compile: 'literals ^literals'", "CompileError"),
    ("ExecBlock compile: 'home: x homeFrame := x'", "CompileError"),
    ("(Object >> #printString) instVarAt: 5", "OffsetError"),
    ("(Object instVarAt: 2) instVarAt: 2", "OffsetError"),
    ("Object instVarAt: 3 put: 5", "OffsetError"),
    ("[:x | x] instVarAt: 3 put: 5", "OffsetError"),
    ("(2 ** 70) basicAt: 1 put: 200", "ArgumentTypeError"),
    ("1.0e300 copy basicAt: 1 put: 0", "ImproperOperation"),
    ("#foo basicAt: 1 put: 65", "ImproperOperation"),
    ("'constant' add: $x", "ImproperOperation"),
    ("#(1 2) add: 3", "ImproperOperation"),
    ("(OrderedCollection with: 1) become: Object new", "ImproperOperation"),
    ("(1 -> 2) become: Set new", "ImproperOperation"),
    ("'abc' copy become: (Array new: 3)", "ImproperOperation"),
    ("Object become: Object new", "ImproperOperation"),
    ("Association byteSubclass: 'Odd' inDictionary: UserGlobals", "ArgumentError"),
    (
        "Class _newClassUnder: Object name: #Odd instVarNames: #(a) classVars: nil pools: nil \
         classInstVarNames: #() kind: #byte",
        "ArgumentError",
    ),
    (
        "Class _newClassUnder: Object name: #Odd instVarNames: #() classVars: 3 pools: 4 classInstVarNames: #() \
         kind: #pointer",
        "ArgumentError",
    ),
    ("Class subclass: 'Odd' instVarNames: #() inDictionary: UserGlobals", "ArgumentError"),
    ("[nil zork] on: 3 do: [:ex | 4]", "MessageNotUnderstood"),
    ("GsStack restart: 12345", "ImproperOperation"),
    ("GsStack return: 1 to: nil", "ImproperOperation"),
    ("GsStack replace: GsStack base with: [3]", "ImproperOperation"),
    ("[GsStack restart: GsStack current] value", "ImproperOperation"),
    ("Object compile: 'probe <marker: #handler> ^1/0'. 3 probe", "ImproperOperation"),
    ("Object compile: 'probe <marker: #unwind> ^1/0'. 3 probe", "ZeroDivide"),
    ("Object compile: 'probe: x <marker: #handlerRun> ^1/0'. 3 probe: 'x'", "ZeroDivide"),
    ("(String new: 2000 withAll: $a) asSymbol", "OutOfRange"),
    ("Array new: SmallInteger maximumValue", "OutOfRange"),
    ("String new: 2 ** 70", "OutOfRange"),
    ("OrderedCollection new: -1", "OutOfRange"),
    ("10 raisedTo: 1000000000", "OutOfRange"),
    ("1 bitShift: SmallInteger maximumValue", "OutOfRange"),
];

#[test]
fn what_the_machine_leans_on_cannot_be_bent() {
    let mut image = image();
    for (code, class) in ATTACKS {
        let error = support::error(&mut image, code);
        assert_eq!(error.class, *class, "{code}: {}", error.message);
        image.abort().expect("an abort undoes it");
        assert_eq!(value(&mut image, "(OrderedCollection with: 3) printString"), "'anOrderedCollection( 3)'", "{code}");
    }
}

/// What an abort gives back even if it was the kernel itself.
const VANDALISMS: &[&str] = &[
    "Globals removeAll",
    "Globals instVarAt: 2 put: 3",
    "Globals at: #_SymbolList put: 3",
    "Object removeSelector: #doesNotUnderstand:. 3 zork",
    "Object compile: 'doesNotUnderstand: x ^x zork'. 3 zork",
    "System class compile: '_execute: x ^x zork'",
    "System class removeAllMethods",
    "AbstractException class removeSelector: #handles:. [1/0] on: ZeroDivide do: [:ex | 4]",
    "Object compile: '= x ^true'. Object compile: 'hash ^1/0'",
];

#[test]
fn an_abort_mends_the_kernel() {
    let mut image = image();
    for code in VANDALISMS {
        // Whether it answers or fails is its own business.
        let _ = image.execute(code, Instant::now() + Duration::from_secs(5));
        image.abort().unwrap_or_else(|error| panic!("{code}: {error}"));
        let found = value(&mut image, "[3 zork] on: MessageNotUnderstood do: [:ex | ex return: Array name]");
        assert_eq!(found, "'Array'", "{code}");
    }
}

#[test]
fn a_frame_that_restarts_itself_is_interrupted() {
    let mut image = image();
    let start = Instant::now();
    let stopped = image.execute("GsStack restart: GsStack current", start + Duration::from_millis(50));
    assert_eq!(stopped.expect_err("it does not end by itself").kind, ErrorKind::Timeout);
    assert!(start.elapsed() < Duration::from_secs(5));
}
