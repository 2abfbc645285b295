//! What the verifier refuses, one fault at a time, and that it ends on anything.

use super::*;
use crate::bytecode::{MethodCode, instruction, jump};
use crate::compiler::check::{kind, unverified};
use crate::compiler::compile_method;
use crate::compiler::tests::Names;
use crate::random::{Random, setting};

const SOURCES: &[&str] = &[
    "foo: a bar: b | x y | x := 0. [x < a] whileTrue: [| t | t := [x]. x := x + t value. y := t]. ^[:z | y := z. ^b]",
    "collect | i | 1 to: 10 by: -2 do: [:k | i := k. self do: [:e | e foo: i; bar; + k]]. ^{i. i isNil and: [i foo]}",
    "a | b | ^(b ifNil: [3] ifNotNil: [:v | [v] value]) ifTrue: [#(1 $a) at: 1] ifFalse: [Global := b. first := 'x']",
    "x: y ^super x: (y at: 1 put: thisContext)",
];

fn compiled(source: &str) -> MethodCode<String> {
    compile_method(source, &mut Names).unwrap_or_else(|errors| panic!("{source}: {errors:?}"))
}

fn kinds(method: &MethodCode<String>) -> Vec<LiteralKind> {
    method.literals.iter().map(kind).collect()
}

/// Code of no arguments and temporaries, four frame words, and the literals `#at:` and a variable.
fn verified(code: &[u32], sites: u32) -> Result<Verified, VerifyError> {
    let literals = [LiteralKind::Selector(1), LiteralKind::Variable];
    verify(&Unverified { code, sites, arguments: 0, temporaries: 0, frame_words: 4, literals: &literals })
}

fn word(operation: Operation, a: u8, b: u16) -> u32 {
    instruction(operation, a, b)
}

#[test]
fn each_fault_is_told_by_its_kind() {
    use Operation::*;
    let nil = word(PushNil, 0, 0);
    let top = word(ReturnTop, 0, 0);
    let (back, ahead) = (|distance| jump(JumpBack, distance).unwrap(), |distance| jump(Jump, distance).unwrap());
    let if_true = |distance| jump(JumpIfTrue, distance).unwrap();
    let block = |words| word(PushBlock, 0, words);
    let cases: &[(&[u32], u32, VerifyError)] = &[
        (&[], 0, VerifyError::Empty),
        (&[nil, top], 3, VerifyError::SiteCount),
        (&[nil, top], 1, VerifyError::SiteCount),
        (&[nil, 200, top], 0, VerifyError::NoInstruction { at: 1 }),
        (&[nil], 0, VerifyError::RunsOverEnd { at: 1 }),
        (&[top], 0, VerifyError::Underflow { at: 0 }),
        (&[nil, top, nil], 0, VerifyError::Unreachable { at: 2 }),
        (&[nil; 5], 0, VerifyError::FrameTooSmall { at: 4 }),
        (&[nil, word(Size, 0, 0)], 0, VerifyError::Truncated { at: 1 }),
        (&[nil, word(Size, 0, 0), 0, top], 0, VerifyError::Site { at: 1 }),
        (&[nil, word(Size, 0, 0), 0, word(Size, 0, 0), 0, top], 1, VerifyError::Site { at: 3 }),
        (&[word(PushTemporary, 0, 5), top], 0, VerifyError::TemporaryOffset { at: 0 }),
        (&[word(PushTemporary, 0, u16::MAX), top], 0, VerifyError::TemporaryOffset { at: 0 }),
        (&[word(PushLiteral, 0, 2), top], 0, VerifyError::NoLiteral { at: 0 }),
        (&[word(PushGlobal, 0, 0), top], 0, VerifyError::VariableLiteral { at: 0 }),
        (&[nil, word(Send, 0, 0), 0, top], 1, VerifyError::SelectorLiteral { at: 1 }),
        (&[nil, nil, word(Send, 1, 1), 0, top], 1, VerifyError::SelectorLiteral { at: 2 }),
        (&[ahead(2), nil, top], 0, VerifyError::JumpTarget { at: 0 }),
        (&[ahead(-1), nil, top], 0, VerifyError::JumpTarget { at: 0 }),
        (&[nil, back(-3)], 0, VerifyError::JumpTarget { at: 1 }),
        (&[nil, back(-2)], 0, VerifyError::DepthDiffers { at: 1 }),
        (&[nil, back(0), top], 0, VerifyError::JumpTarget { at: 1 }),
        (&[nil, if_true(1), nil, nil, top], 0, VerifyError::DepthDiffers { at: 3 }),
        (&[nil, nil, if_true(1), word(Size, 0, 0), 0, top], 1, VerifyError::JumpInto { at: 3 }),
        (&[word(ReturnFromHome, 0, 0)], 0, VerifyError::Underflow { at: 0 }),
        (&[nil, word(ReturnFromHome, 0, 0)], 0, VerifyError::Return { at: 1 }),
        (&[block(1), 0, word(ReturnSelf, 0, 0), top], 0, VerifyError::Return { at: 2 }),
        (&[block(9), 0, nil, top], 0, VerifyError::Truncated { at: 0 }),
        (&[block(0), 0, top], 0, VerifyError::Truncated { at: 0 }),
        (&[block(2), 1 << 20, nil, top, top], 0, VerifyError::Descriptor { at: 0 }),
        (&[block(2), 1 << 16, nil, top, top], 0, VerifyError::Descriptor { at: 0 }),
        (&[block(1), 0, nil, top, top], 0, VerifyError::RunsOverEnd { at: 3 }),
        (&[nil, if_true(3), block(2), 0, nil, top, top], 0, VerifyError::JumpInto { at: 5 }),
    ];
    for (code, sites, expected) in cases {
        assert_eq!(verified(code, *sites), Err(*expected), "{code:?}");
    }
    assert!(verified(&[block(2), 0, nil, top, top], 0).is_ok());
}

#[test]
fn random_changes_never_panic_and_most_are_refused() {
    let seed = setting("LAPIDARY_SEED", 0x0bad_c0de).max(1);
    let rounds = setting("LAPIDARY_ROUNDS", 50_000);
    println!("LAPIDARY_SEED={seed} LAPIDARY_ROUNDS={rounds}");
    let mut random = Random(seed);
    let methods: Vec<MethodCode<String>> = SOURCES.iter().map(|source| compiled(source)).collect();
    let mut refused = 0;
    for round in 0..rounds {
        let mut method = methods[random.below(methods.len())].clone();
        for _ in 0..=random.below(3) {
            change(&mut random, &mut method);
        }
        let kinds = kinds(&method);
        let outcome = std::panic::catch_unwind(|| verify(&unverified(&method, &kinds)).is_err());
        refused += u64::from(outcome.unwrap_or_else(|_| panic!("seed {seed}, round {round}: {method:?}")));
    }
    println!("{refused} of {rounds} refused");
    assert!(refused > rounds / 3 && refused < rounds, "{refused} of {rounds} refused: the test tests nothing");
}

fn change(random: &mut Random, method: &mut MethodCode<String>) {
    let at = random.below(method.code.len().max(1));
    match random.below(8) {
        0 => method.code.truncate(at),
        1 if !method.code.is_empty() => drop(method.code.remove(at)),
        2 => method.code.insert(at, random.below(1 << 20) as u32),
        3 => method.frame_words = random.below(12) as u16,
        4 => method.sites = random.below(12) as u16,
        5 => method.temporaries = random.below(6) as u16,
        _ if method.code.is_empty() => {}
        6 => method.code[at] ^= 1 << random.below(32),
        _ => method.code[at] = method.code[at] & !0xff | random.below(70) as u32,
    }
}

#[test]
fn any_words_are_refused_or_taken_without_a_panic() {
    let mut random = Random(setting("LAPIDARY_SEED", 0x5eed).max(1));
    for _ in 0..setting("LAPIDARY_ROUNDS", 50_000) {
        let words = random.below(24);
        let code: Vec<u32> =
            (0..words).map(|_| random.below(70) as u32 | (random.below(1 << 16) as u32) << 8).collect();
        let _ = verified(&code, random.below(4) as u32);
    }
}

#[test]
fn time_is_linear_in_the_number_of_words() {
    // Blocks within blocks, as deep as the operand goes: a verifier that recursed would not come back.
    let depth = 16_000_u32;
    let mut code = Vec::new();
    for level in 0..depth {
        code.extend([instruction(Operation::PushBlock, 0, ((depth - level) * 3 - 2) as u16), 0]);
    }
    code.extend(std::iter::repeat_n(u32::from(Operation::ReturnTop as u8), depth as usize + 1));
    code[2 * depth as usize] = 0;
    let start = std::time::Instant::now();
    let _ = verified(&code, 0);
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
}
