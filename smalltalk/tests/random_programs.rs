//! Random programs, right by their form and senseless by what they do: each ends in a value or in an error, none takes
//! the process down, and the image works afterwards.
//!
//! The seed is printed; `LAPIDARY_SEED` chooses one, `LAPIDARY_ROUNDS` how many programs there are.

mod support;

use smalltalk::{Image, VmLimits};
use std::time::{Duration, Instant};
use support::{image, value};

const DEPTH_MAX: usize = 5;
const LIMITS: VmLimits = VmLimits { heap_bytes: 24 << 20, stack_bytes: 6 << 20 };
const TIME: Duration = Duration::from_millis(40);

const VARIABLES: &[&str] = &["a", "b", "c", "d"];
const VALUES: &[&str] = &[
    "0",
    "1",
    "-3",
    "7",
    "2.5",
    "1e100",
    "(2 ** 80)",
    "3/4",
    "1.5s2",
    "$x",
    "'text' copy",
    "'日本' copy",
    "#name",
    "#at:put:",
    "#(1 $a (2) x) copy",
    "#[1 2 3] copy",
    "nil",
    "true",
    "false",
    "self",
    "thisContext",
    "Object",
    "Array",
    "String",
    "Error",
    "Object new",
    "OrderedCollection new",
    "Dictionary new",
    "(1 to: 3)",
    "(ReadStream on: 'abc')",
    "(WriteStream on: String new)",
    "(Array new: 4)",
    "UserGlobals",
];
const UNARY: &[&str] = &[
    "size",
    "class",
    "copy",
    "negated",
    "reversed",
    "asArray",
    "value",
    "hash",
    "isNil",
    "notNil",
    "first",
    "last",
    "asSymbol",
    "asString",
    "printString",
    "keys",
    "sender",
    "method",
    "arguments",
    "receiver",
    "signal",
    "return",
    "retry",
    "resume",
    "pass",
    "outer",
    "isDead",
    "yourself",
    "shallowCopy",
    "identityHash",
    "next",
    "contents",
    "asSet",
    "asBag",
    "factorial",
    "abs",
    "superclass",
    "selectors",
    "numArgs",
    "removeLast",
    "temporaries",
    "whileTrue",
    "repeat",
    "sort",
    "migrate",
    "asUppercase",
    "truncated",
    "asFloat",
    "zork",
];
const BINARY: &[&str] =
    &["+", "-", "*", "/", "//", "\\\\", "<", "<=", ">", ">=", "=", "==", "~=", "~~", ",", "->", "&", "|", "**"];
const KEYWORD: &[&str] = &[
    "at:",
    "at:put:",
    "value:",
    "value:value:",
    "do:",
    "collect:",
    "select:",
    "inject:into:",
    "perform:",
    "perform:with:",
    "on:do:",
    "ensure:",
    "ifCurtailed:",
    "signal:",
    "become:",
    "instVarAt:",
    "instVarAt:put:",
    "ifTrue:",
    "ifFalse:",
    "ifTrue:ifFalse:",
    "ifNil:",
    "ifNil:ifNotNil:",
    "and:",
    "or:",
    "whileTrue:",
    "whileFalse:",
    "to:do:",
    "to:by:do:",
    "timesRepeat:",
    "copyFrom:to:",
    "addAll:",
    "add:",
    "includes:",
    "return:",
    "resume:",
    "retryUsing:",
    "basicAt:put:",
    "replaceFrom:to:with:startingAt:",
    "nextPutAll:",
    "new:",
    "raisedTo:",
    "cull:",
    "detect:ifNone:",
    "sort:",
    "removeKey:",
    "bitShift:",
    "indexOf:",
    "instVarNamed:",
    "isKindOf:",
    "respondsTo:",
];

/// A small generator, so that a seed means the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit as u64) as usize
    }

    fn pick(&mut self, among: &[&'static str]) -> &'static str {
        among[self.below(among.len())]
    }

    fn program(&mut self) -> String {
        format!("| a b c d | {}", self.statements(0))
    }

    fn statements(&mut self, depth: usize) -> String {
        let count = 1 + self.below(4);
        let statements: Vec<String> = (0..count).map(|_| self.statement(depth)).collect();
        statements.join(". ")
    }

    fn statement(&mut self, depth: usize) -> String {
        match self.below(8) {
            0..3 => format!("{} := {}", self.pick(VARIABLES), self.expression(depth)),
            3 if depth > 0 => format!("^{}", self.expression(depth)),
            _ => self.expression(depth),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth >= DEPTH_MAX {
            return self.leaf();
        }
        let receiver = self.operand(depth + 1);
        match self.below(12) {
            0 | 1 => receiver,
            2..4 => format!("{receiver} {}", self.pick(UNARY)),
            4 | 5 => format!("{receiver} {} {}", self.pick(BINARY), self.operand(depth + 1)),
            6 => format!("{receiver} {}; {}", self.pick(UNARY), self.keyword_part(depth + 1)),
            7 => format!("{{{receiver}. {}}}", self.expression(depth + 1)),
            _ => format!("{receiver} {}", self.keyword_part(depth + 1)),
        }
    }

    fn keyword_part(&mut self, depth: usize) -> String {
        let selector = self.pick(KEYWORD);
        let parts = selector.split_inclusive(':').map(|keyword| format!("{keyword} {}", self.operand(depth)));
        parts.collect::<Vec<_>>().join(" ")
    }

    fn operand(&mut self, depth: usize) -> String {
        match self.below(5) {
            0 | 1 if depth < DEPTH_MAX => self.block(depth + 1),
            2 if depth < DEPTH_MAX => format!("({})", self.expression(depth + 1)),
            _ => self.leaf(),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let head = ["", ":x | ", ":x :y | ", "| t | "][self.below(4)];
        format!("[{head}{}]", self.statements(depth))
    }

    fn leaf(&mut self) -> String {
        match self.below(3) {
            0 => self.pick(VARIABLES).to_owned(),
            _ => self.pick(VALUES).to_owned(),
        }
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn fresh() -> Image {
    let mut image = image();
    image.set_limits(LIMITS);
    image
}

#[test]
fn random_programs_end_and_the_image_lives() {
    let seed = setting("LAPIDARY_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let rounds = setting("LAPIDARY_ROUNDS").unwrap_or(1_500);
    println!("LAPIDARY_SEED={seed} LAPIDARY_ROUNDS={rounds}");
    let mut random = Random(seed);
    let mut image = fresh();
    let (mut values, mut compile_errors) = (0, 0);
    for round in 0..rounds {
        let program = random.program();
        image.vm().set_stress(round % 10 == 0);
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| image.execute(&program, Instant::now() + TIME)));
        let outcome = outcome.unwrap_or_else(|_| panic!("seed {seed}, round {round}: {program}"));
        match outcome {
            Ok(_) => values += 1,
            Err(error) => compile_errors += u64::from(!error.compile_errors.is_empty()),
        }
        image.vm().set_stress(false);
        image.abort().unwrap_or_else(|error| panic!("seed {seed}, round {round}, {error}: {program}"));
        let works =
            value(&mut image, "[nil zork] on: MessageNotUnderstood do: [:ex | #(3 1 2) asSortedCollection asArray]");
        assert_eq!(works, "anArray( 1, 2, 3)", "seed {seed}, round {round}: {program}");
    }
    println!("{values} values, {compile_errors} compile errors of {rounds}");
    assert!(
        values > rounds / 20 && compile_errors < rounds / 2,
        "the programs say nothing: {values}, {compile_errors}"
    );
}
