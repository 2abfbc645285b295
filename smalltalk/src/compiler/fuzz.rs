//! Random sources: nothing panics, and what compiles is sound. The seed is printed; `LAPIDARY_SEED` and
//! `LAPIDARY_ROUNDS` choose another one and how long it goes on.

use super::check::check;
use super::tests::Names;
use super::{compile_doit, compile_method};
use crate::random::{Random, setting};
use crate::reader::{parse_class_definition, read_gs};
use crate::syntax::method_selector;

const WORDS: &[&str] = &[
    "a",
    "b",
    "x",
    "y",
    "i",
    "foo",
    "self",
    "super",
    "nil",
    "true",
    "thisContext",
    "Global",
    "at:",
    "put:",
    "ifTrue:",
    "ifFalse:",
    "ifNil:",
    "ifNotNil:",
    "and:",
    "or:",
    "whileTrue:",
    "whileFalse",
    "whileTrue",
    "repeat",
    "to:",
    "do:",
    "by:",
    "timesRepeat:",
    "isNil",
    "==",
    "[",
    "]",
    "[",
    "]",
    "[",
    "]",
    "[:i |",
    "[:x |",
    "(",
    ")",
    "(",
    ")",
    "{",
    "}",
    "#(",
    "#[",
    "|",
    "||",
    "| t |",
    ":=",
    ":",
    ":",
    "^",
    "^",
    ".",
    ".",
    ".",
    ";",
    "-",
    "+",
    "<",
    ">",
    "<=",
    "3",
    "-4",
    "2.5e-3",
    "16rFF",
    "1.5s2",
    "3s",
    "1e10",
    "99999999999999999999",
    "'text'",
    "'it''s'",
    "'",
    "\"c\"",
    "\"",
    "#sym",
    "#at:put:",
    "#+",
    "#",
    "$a",
    "$",
    "@env1:",
    "@env0:",
    "<primitive: 60>",
    "<marker: #handler>",
    "é",
    "€",
    "\u{0}",
    "\n",
    "%\n",
    "doit\n",
    "method: Foo\n",
    "!",
    "t := ",
    "x := ",
];

const SEEDS: &[&str] = &[
    "foo: a bar: b | x y | x := 0. [x < a] whileTrue: [| t | t := [x]. x := x + t value. y := t]. ^[:z | y := z. ^b]",
    "collect | i | 1 to: 10 by: -2 do: [:k | i := k. self do: [:e | e foo: i; bar; + k]]. ^{i. i isNil and: [i foo]}",
    "a | b | ^(b ifNil: [3] ifNotNil: [:v | [v] value]) ifTrue: [#(1 $a (x: #y) #[1 2] nil -3 2.5)] ifFalse: [b \
        := 1s2]",
    "doIt ^[:k | k timesRepeat: [super foo. ^k]] on: Global do: [:e | [[true] whileTrue: [^self]] repeat. e \
        return: nil]",
];

impl Random {
    fn word(&mut self) -> &'static str {
        WORDS[self.below(WORDS.len())]
    }

    fn soup(&mut self) -> String {
        let count = self.below(40);
        (0..count).map(|_| format!("{} ", self.word())).collect()
    }

    /// A good source with a few words put in, taken out or cut off.
    fn mutated(&mut self) -> String {
        let mut words: Vec<&str> = SEEDS[self.below(SEEDS.len())].split(' ').collect();
        for _ in 0..=self.below(4) {
            let at = self.below(words.len());
            match self.below(5) {
                0 => words.insert(at, self.word()),
                1 => words[at] = self.word(),
                2 if words.len() > 1 => drop(words.remove(at)),
                3 => words.truncate(at + 1),
                _ => {
                    let other = self.below(words.len());
                    words.swap(at, other);
                }
            }
        }
        words.join(" ")
    }
}

#[test]
fn random_sources_never_panic_and_good_code_is_sound() {
    let seed = setting("LAPIDARY_SEED", 0x5eed_cafe).max(1);
    let rounds = setting("LAPIDARY_ROUNDS", 20_000);
    println!("LAPIDARY_SEED={seed} LAPIDARY_ROUNDS={rounds}");
    let mut random = Random(seed);
    let mut compiled = 0;
    for round in 0..rounds {
        let source = if round % 2 == 0 { random.mutated() } else { random.soup() };
        let attempt = std::panic::catch_unwind(|| try_source(&source));
        compiled += attempt.unwrap_or_else(|_| panic!("seed {seed}, round {round}, source {source:?}"));
    }
    assert!(compiled > rounds / 100, "only {compiled} of {rounds} sources compiled: the test tests nothing");
}

/// Everything that takes a source; answers how often it compiled.
fn try_source(source: &str) -> u64 {
    let mut good = 0;
    for result in [compile_method(source, &mut Names), compile_doit(source, &mut Names)] {
        match result {
            Ok(method) => {
                check(&method);
                good += 1;
            }
            Err(errors) => {
                assert!(!errors.is_empty());
                assert!(errors.is_sorted_by_key(|error| error.offset));
                assert!(errors.iter().all(|error| error.offset as usize <= source.len() && error.line > 0));
            }
        }
    }
    let _ = (method_selector(source), parse_class_definition(source), read_gs(source));
    good
}
