//! What code comes out, instruction by instruction, and which sources are refused.

use super::check::check;
use super::{Scope, compile_doit, compile_method, disassemble};
use crate::bytecode::{Literal, MethodCode, PrimitiveName};
use crate::syntax::error_number::*;

/// Instance variables `first`, `second`; globals are what begins with a capital letter, except `Unknown`.
pub(crate) struct Names;

impl Scope for Names {
    type Binding = String;

    fn instance_variable(&self, name: &str) -> Option<u16> {
        ["first", "second"].iter().position(|known| *known == name).map(|index| index as u16)
    }

    fn binding(&mut self, name: &str) -> Option<String> {
        (name.starts_with(char::is_uppercase) && !name.starts_with("Unknown")).then(|| name.to_owned())
    }
}

fn method(source: &str) -> MethodCode<String> {
    let method = compile_method(source, &mut Names).unwrap_or_else(|errors| panic!("{source}: {errors:?}"));
    check(&method);
    method
}

fn doit(source: &str) -> MethodCode<String> {
    let method = compile_doit(source, &mut Names).unwrap_or_else(|errors| panic!("{source}: {errors:?}"));
    check(&method);
    method
}

/// The instructions, without their numbers.
fn instructions(method: &MethodCode<String>) -> Vec<String> {
    let text = disassemble(method);
    text.lines().map(|line| line.split_once(' ').unwrap().1.to_owned()).collect()
}

fn expect(source: &str, expected: &str) {
    let found = disassemble(&doit(source));
    let expected: String = expected.trim().lines().map(|line| format!("{}\n", line.trim())).collect();
    assert_eq!(found, expected, "{source}");
}

fn errors(source: &str) -> Vec<(u16, u32)> {
    match compile_method(source, &mut Names) {
        Ok(_) => panic!("compiled: {source}"),
        Err(errors) => errors.iter().map(|error| (error.number, error.offset)).collect(),
    }
}

#[test]
fn doits_answer_their_last_value() {
    expect("", "0 PushNil\n1 ReturnTop");
    expect("3. 4", "0 PushSmallInteger 4\n1 ReturnTop");
    expect("^self", "0 ReturnSelf");
    expect("| a | a := -7", "0 PushSmallInteger -7\n1 StoreTemporary 5\n2 ReturnTop");
    expect("3 foo. 'x'", "0 PushSmallInteger 3\n1 Send #foo\n3 Pop\n4 PushLiteral \"x\"\n5 ReturnTop");
}

#[test]
fn methods_answer_self_and_drop_what_nobody_wants() {
    let code = method("foo: a bar: b | t | a. 3. [a]. t := a. first := t := b. Global := first. second foo");
    let expected = "PushTemporary -2,PopTemporary 5,PushTemporary -1,StoreTemporary 5,PopInstanceVariable 0,\
                    PushInstanceVariable 0,PopGlobal \"Global\",PushInstanceVariable 1,Send #foo,Pop,ReturnSelf";
    assert_eq!(instructions(&code).join(","), expected);
    assert_eq!((code.selector.as_str(), code.arguments, code.temporaries, code.frame_words), ("foo:bar:", 2, 1, 2));
}

#[test]
fn sends_have_short_forms_sites_and_positions() {
    let code = method("foo ^(self at: 1 + 2) == (super size value: first isNil) ~~ (self not foo: 1 bar: 2)");
    let expected = "PushSelf,PushSmallInteger 1,PushSmallInteger 2,Add,At,PushSelf,SendSuper #size,\
                    PushInstanceVariable 0,IsNil,ValueWith,Identical,PushSelf,Not,PushSmallInteger 1,\
                    PushSmallInteger 2,Send #foo:bar:,NotIdentical,ReturnTop";
    assert_eq!(instructions(&code).join(","), expected);
    assert_eq!(code.sites, 6);
    let places: Vec<u32> = code.positions.iter().map(|position| position.1).collect();
    assert_eq!(places, [17, 11, 32, 37, 66, 70]);
}

#[test]
fn cascades_send_all_to_one_receiver() {
    expect(
        "Global foo; bar: 1; yourself",
        "0 PushGlobal \"Global\"\n1 Duplicate\n2 Send #foo\n4 Pop\n5 Duplicate\n6 PushSmallInteger 1\n7 Send \
            #bar:\n9 Pop
         10 Send #yourself\n12 ReturnTop",
    );
    let code = instructions(&method("foo super foo; bar"));
    assert_eq!(code.join(","), "PushSelf,Duplicate,SendSuper #foo,Pop,SendSuper #bar,Pop,ReturnSelf");
}

#[test]
fn literals_are_shared_unless_they_have_an_identity() {
    let code = doit(
        "{70000. 70000. 1.5. 1.5. 0.0. -0.0. $a. $a. #x. #x. 1s2. 1s2. Global. Global. 'a'. 'a'. #(1). #(1)}. 3 x",
    );
    let count = |wanted: fn(&Literal<String>) -> bool| code.literals.iter().filter(|literal| wanted(literal)).count();
    assert_eq!(
        count(|literal| matches!(literal, Literal::Integer(_))),
        0,
        "they are not wanted, so they are not there"
    );
    let code =
        doit("{70000. 70000. 1.5. 1.5. 0.0. -0.0. $a. $a. #x. #x. 1s2. 1s2. Global. Global. 'a'. 'a'. #(1). #(1)} x");
    let count = |wanted: fn(&Literal<String>) -> bool| code.literals.iter().filter(|literal| wanted(literal)).count();
    assert_eq!(count(|literal| matches!(literal, Literal::Integer(_))), 1);
    assert_eq!(count(|literal| matches!(literal, Literal::Float(_))), 3);
    assert_eq!(count(|literal| matches!(literal, Literal::Symbol(_))), 1);
    assert_eq!(count(|literal| matches!(literal, Literal::Binding(_))), 1);
    assert_eq!(count(|literal| matches!(literal, Literal::String(_))), 2);
    assert_eq!(code.literals.len(), 12);
    assert_eq!(code.frame_words, 18);
}

#[test]
fn conditions_are_jumps() {
    expect(
        "| a | a := 3 < 4 ifTrue: [1] ifFalse: [2]. a foo ifFalse: [a bar]",
        "0 PushSmallInteger 3\n1 PushSmallInteger 4\n2 Less\n4 JumpIfFalse to 7\n5 PushSmallInteger 1\n6 Jump to 8
         7 PushSmallInteger 2\n8 PopTemporary 5\n9 PushTemporary 5\n10 Send #foo\n12 JumpIfTrue to 17
         13 PushTemporary 5\n14 Send #bar\n16 Jump to 18\n17 PushNil\n18 ReturnTop",
    );
    let code = instructions(&method("foo: a a ifTrue: [^1] ifFalse: [^2]. a bar"));
    assert_eq!(
        code.join(","),
        "PushTemporary -1,JumpIfFalse to 4,PushSmallInteger 1,ReturnTop,PushSmallInteger 2,ReturnTop"
    );
}

#[test]
fn and_or_and_nil_tests_jump_without_booleans() {
    expect(
        "Global foo and: [Global isNil or: [Global bar]]",
        "0 PushGlobal \"Global\"\n1 Send #foo\n3 JumpIfFalse to 12\n4 PushGlobal \"Global\"\n5 JumpIfNil to 10
         6 PushGlobal \"Global\"\n7 Send #bar\n9 Jump to 11\n10 PushTrue\n11 Jump to 13\n12 PushFalse\n13 ReturnTop",
    );
    let code = instructions(&method("foo: a (a notNil and: [a bar]) ifTrue: [a baz]"));
    assert_eq!(
        code.join(","),
        "PushTemporary -1,JumpIfNil to 10,PushTemporary -1,Send #bar,JumpIfFalse to 10,PushTemporary -1,Send #baz,Pop,\
         ReturnSelf"
    );
}

#[test]
fn nil_is_tested_without_a_send() {
    expect(
        "Global ifNil: [3]",
        "0 PushGlobal \"Global\"\n1 Duplicate\n2 JumpIfNotNil to 5\n3 Pop\n4 PushSmallInteger 3\n5 ReturnTop",
    );
    expect(
        "Global ifNotNil: [:x | x foo]",
        "0 PushGlobal \"Global\"\n1 Duplicate\n2 JumpIfNil to 7\n3 PopTemporary 5\n4 PushTemporary 5\n5 Send \
            #foo\n7 ReturnTop",
    );
    expect(
        "Global ifNotNil: [:x | x] ifNil: [3]",
        "0 PushGlobal \"Global\"\n1 StoreTemporary 5\n2 JumpIfNil to 5\n3 PushTemporary 5\n4 Jump to 6
         5 PushSmallInteger 3\n6 ReturnTop",
    );
    let code = instructions(&method("foo: a a ifNotNil: [:x | x foo]. a ifNil: [a bar]"));
    assert_eq!(
        code.join(","),
        "PushTemporary -1,StoreTemporary 5,JumpIfNil to 7,PushTemporary 5,Send #foo,Pop,PushTemporary -1,\
         JumpIfNotNil to 13,PushTemporary -1,Send #bar,Pop,ReturnSelf"
    );
}

#[test]
fn loops_end_with_a_jump_back() {
    expect(
        "| i | [i < 3] whileTrue: [i foo]",
        "0 PushTemporary 5\n1 PushSmallInteger 3\n2 Less\n4 JumpIfFalse to 10\n5 PushTemporary 5\n6 Send #foo\n8 Pop
         9 JumpBack to 0\n10 PushNil\n11 ReturnTop",
    );
    expect("[true] whileTrue", "0 JumpBack to 0");
    expect(
        "[Global foo. ^3] repeat. 4",
        "0 PushGlobal \"Global\"\n1 Send #foo\n3 Pop\n4 PushSmallInteger 3\n5 ReturnTop",
    );
    expect(
        "1 to: 10 by: 3 do: [:i | i foo]",
        "0 PushSmallInteger 1\n1 Duplicate\n2 PopTemporary 6\n3 PushTemporary 6\n4 PushSmallInteger 10\n5 LessOrEqual
         7 JumpIfFalse to 18\n8 PushTemporary 6\n9 Send #foo\n11 Pop\n12 PushTemporary 6\n13 PushSmallInteger 3\n14 Add
         16 PopTemporary 6\n17 JumpBack to 3\n18 ReturnTop",
    );
}

#[test]
fn a_counted_loop_keeps_its_limit() {
    let code = instructions(&method("foo: n 10 to: n size by: -2 do: [:i | i foo]. n timesRepeat: [self bar]"));
    let expected = "PushSmallInteger 10,PushTemporary -1,Size,PopTemporary 5,PopTemporary 6,PushTemporary 6,\
                    PushTemporary 5,GreaterOrEqual,JumpIfFalse to 21,PushTemporary 6,Send #foo,Pop,PushTemporary 6,\
                    PushSmallInteger -2,Add,PopTemporary 6,JumpBack to 6,PushTemporary -1,PopTemporary 8,\
                    PushSmallInteger 1,PopTemporary 7,PushTemporary 7,PushTemporary 8,LessOrEqual,JumpIfFalse to 40,\
                    PushSelf,Send #bar,Pop,PushTemporary 7,PushSmallInteger 1,Add,PopTemporary 7,\
                   JumpBack to 25,ReturnSelf";
    assert_eq!(code.join(","), expected);
}

#[test]
fn what_is_not_a_literal_block_of_the_right_arity_is_sent() {
    for (source, selector) in [
        ("Global ifTrue: Global", "ifTrue:"),
        ("Global ifTrue: [:x | x]", "ifTrue:"),
        ("Global ifTrue: [1] ifFalse: 2", "ifTrue:ifFalse:"),
        ("Global and: Global", "and:"),
        ("[true] whileTrue: Global", "whileTrue:"),
        ("Global whileTrue: [1]", "whileTrue:"),
        ("1 to: 2 do: [3]", "to:do:"),
        ("1 to: 2 by: Global do: [:i | 3]", "to:by:do:"),
        ("1 to: 2 by: 0 do: [:i | 3]", "to:by:do:"),
        ("Global ifNotNil: [:x :y | x]", "ifNotNil:"),
        ("3 timesRepeat: [:x | x]", "timesRepeat:"),
        ("Global ifTrue: [1]; foo", "ifTrue:"),
    ] {
        assert!(disassemble(&doit(source)).contains(&format!("Send #{selector}\n")), "{source}");
    }
}

#[test]
fn blocks_copy_what_does_not_change_any_more() {
    let code = method("foo: a | t | t := a. ^[:x | | u | u := first. t + x + a + u]");
    let expected = "PushTemporary -1,PopTemporary 5,PushTemporary 5,PushTemporary -1,\
                    PushBlock copies 2 arguments 1 temporaries 1 to 19,PushInstanceVariable 0,PopTemporary 7,\
                    PushTemporary 5,PushTemporary -1,Add,PushTemporary 6,Add,PushTemporary 7,Add,ReturnTop,ReturnTop";
    assert_eq!(instructions(&code).join(","), expected);
    assert_eq!(code.frame_words, 5);
}

#[test]
fn what_changes_after_it_was_captured_lives_in_a_vector() {
    let code = method("foo | t | self do: [:x | t := x]. ^t");
    let expected = "PushNewVector 1,PopTemporary 5,PushSelf,PushTemporary 5,\
                    PushBlock copies 1 arguments 1 temporaries 0 to 9,PushTemporary -1,StoreVectorTemporary 0 of 5,\
                    ReturnTop,Send #do:,Pop,PushVectorTemporary 0 of 5,ReturnTop";
    assert_eq!(instructions(&code).join(","), expected);
    let uses_vector = |source: &str| disassemble(&method(source)).contains("PushNewVector");
    assert!(!uses_vector("foo | t | t := 1. ^[t]"));
    assert!(uses_vector("foo | t | t := [t]. ^t"), "a block sees itself");
    assert!(uses_vector("foo | t | self foo: [t]. t := 1"));
    assert!(uses_vector("foo | t | [[t := 1]]"), "an assignment in a block within a block");
    assert!(uses_vector("foo | t | [t isNil] whileTrue: [t := 1. first := [t]]"), "the next round assigns again");
    assert!(uses_vector("foo | t | [t := 1. t foo] whileTrue: [first := [t]]"), "the condition is in the loop, too");
    assert!(!uses_vector("foo 1 to: 3 do: [:i | | t | t := i. first := [t + i]]"), "fresh in each round");
    assert!(!uses_vector("foo | t | 1 to: 3 do: [:i | t := i]. first := [t]"), "the loop is over");
    assert!(uses_vector("foo ^[:x | | t | first := [t]. t := x]"));
}

#[test]
fn temporaries_of_a_loop_are_fresh_in_each_round() {
    let code = instructions(&method("foo [true] whileTrue: [| t u | first := [t]. t := 1. u foo. u := 2]"));
    let expected = "PushNewVector 1,PopTemporary 5,PushNil,PopTemporary 6,PushTemporary 5,\
                    PushBlock copies 1 arguments 0 temporaries 0 to 9,PushVectorTemporary 0 of 5,ReturnTop,\
                    PopInstanceVariable 0,PushSmallInteger 1,PopVectorTemporary 0 of 5,PushTemporary 6,Send #foo,Pop,\
                    PushSmallInteger 2,PopTemporary 6,JumpBack to 0";
    assert_eq!(code.join(","), expected);
    let clears = |source: &str| disassemble(&method(source)).contains("PushNil\n");
    assert!(!clears("foo self bar ifTrue: [| t | t foo]"), "that runs once");
    assert!(!clears("foo 3 timesRepeat: [| t | t := 1. t foo]"), "it is set before it is read");
    assert!(clears("foo 3 timesRepeat: [| t | self ifNil: [t := 1]. t foo]"), "it may be read before it is set");
    assert!(clears("foo 3 timesRepeat: [self ifNil: [| t | t foo. t := 1]]"));
}

#[test]
fn nested_blocks_pass_on_what_they_do_not_use_themselves() {
    let code = method("foo: a | t | t := 0. ^[[t := t + a. ^t]]");
    let expected = "PushNewVector 1,PopTemporary 5,PushSmallInteger 0,PopVectorTemporary 0 of 5,PushTemporary 5,\
                    PushTemporary -1,PushBlock copies 2 arguments 0 temporaries 0 home to 20,PushTemporary 5,\
                    PushTemporary 6,PushBlock copies 2 arguments 0 temporaries 0 home to 19,\
                    PushVectorTemporary 0 of 5,PushTemporary 6,Add,PopVectorTemporary 0 of 5,\
                    PushVectorTemporary 0 of 5,ReturnFromHome,ReturnTop,ReturnTop";
    assert_eq!(instructions(&code).join(","), expected);
}

#[test]
fn a_return_in_an_inlined_block_is_the_methods_own() {
    assert!(!disassemble(&method("foo: a a ifTrue: [^self]. ^[1]")).contains("home"));
    assert!(disassemble(&method("foo: a ^[a ifTrue: [^self]]")).contains("home"));
}

#[test]
fn empty_blocks_answer_nil() {
    expect(
        "[] value",
        "0 PushBlock copies 0 arguments 0 temporaries 0 to 4\n2 PushNil\n3 ReturnTop\n4 Value\n6 ReturnTop",
    );
}

#[test]
fn pragmas_are_handed_on() {
    let code = method("foo: a <primitive: #bar> <marker: #handler> <x> ^1");
    assert_eq!(code.primitive, Some(PrimitiveName::Name("bar".to_owned())));
    let expected = [("marker:".to_owned(), vec![Literal::Symbol("handler".to_owned())]), ("x".to_owned(), Vec::new())];
    assert_eq!(code.pragmas, expected);
    assert_eq!(method("foo <protected primitive: 60>").primitive, Some(PrimitiveName::Number(60)));
    assert_eq!(errors("foo <primitive: -1>"), [(INVALID_LITERAL, 4)]);
    assert_eq!(errors("foo <primitive: 1> <primitive: 2>"), [(INVALID_LITERAL, 19)]);
}

#[test]
fn names_must_be_known_and_declared_once() {
    assert_eq!(errors("foo ^unknown bar: unknown + Unknown2"), [(UNDEFINED, 5), (UNDEFINED, 28)]);
    let text = compile_method("foo ^unknown", &mut Names).unwrap_err()[0].message.clone();
    assert_eq!(text, "undefined symbol unknown");
    assert_eq!(errors("foo unknown := 3"), [(UNDEFINED, 4)]);
    assert_eq!(errors("foo | a a | ^a"), [(ALREADY_DECLARED, 8)]);
    assert_eq!(errors("foo: a | a | ^a"), [(ALREADY_DECLARED, 9)]);
    assert_eq!(errors("foo | first | ^first"), [(ALREADY_DECLARED, 6)]);
    assert_eq!(errors("foo: second ^second"), [(ALREADY_DECLARED, 5)]);
    assert_eq!(errors("foo ^[:a | | a | a]"), [(ALREADY_DECLARED, 13)]);
    assert_eq!(errors("foo | self | ^1"), [(ALREADY_DECLARED, 6)]);
    method("foo [:a | a]. [:a | a]. ^[| b | b]");
    let code = instructions(&method("foo: a | t | t := 1. a ifNil: [| t | t := 2. t foo]. ^[:a | a + t]"));
    assert!(code.contains(&"PopTemporary 6".to_owned()), "a block may shadow what is around it: {code:?}");
    method("foo | Global | ^Global");
}

#[test]
fn arguments_and_pseudo_variables_cannot_be_assigned() {
    assert_eq!(errors("foo: a a := 1"), [(NOT_ASSIGNABLE, 7)]);
    assert_eq!(errors("foo ^[:x | x := 1]"), [(NOT_ASSIGNABLE, 11)]);
    assert_eq!(errors("foo 1 to: 2 do: [:i | i := 3]"), [(NOT_ASSIGNABLE, 22)]);
    for name in ["self", "super", "nil", "true", "false", "thisContext"] {
        assert_eq!(errors(&format!("foo {name} := 3")), [(NOT_ASSIGNABLE, 4)]);
    }
    assert_eq!(errors("foo ^super"), [(UNEXPECTED, 5)]);
    assert_eq!(errors("foo ^self @env1:bar"), [(UNSUPPORTED, 10)].map(|(number, _)| (number, 16)));
}

#[test]
fn all_errors_of_a_method_come_at_once() {
    let source = "foo: a | t | t := unknown. t := 3 + . a := 1. ^[:u :u | t]";
    let found = errors(source);
    assert_eq!(found, [(UNDEFINED, 18), (EXPECTED_PRIMARY, 36), (NOT_ASSIGNABLE, 38), (ALREADY_DECLARED, 52)]);
}

#[test]
fn limits_of_the_instruction_set_are_errors() {
    let names = |count: usize| (0..count).map(|index| format!("t{index} ")).collect::<String>();
    let keywords = |count: usize| (0..count).map(|index| format!("a{index}: b{index} ")).collect::<String>();
    let first = |source: String| errors(&source)[0].0;
    assert_eq!(first(format!("foo | {} | ^t1", names(5000))), TOO_LARGE);
    assert_eq!(first(format!("foo ^[| {} | t1]", names(300))), TOO_LARGE);
    assert_eq!(first(format!("foo | {} | ^[{}]", names(300), names(300).replace(' ', ". "))), TOO_LARGE);
    assert_eq!(first(format!("{} ^b1", keywords(300))), TOO_LARGE);
    let numbers = |count: u32| (0..count).map(|index| format!("{}. ", 100_000 + index)).collect::<String>();
    assert_eq!(first(format!("foo ^{{{}}}", numbers(62_000))), TOO_LARGE);
    assert_eq!(first(format!("foo {}", "self bar. ".repeat(70_000))), TOO_LARGE);
    assert_eq!(first(format!("foo ^[{}]", "self bar. ".repeat(20_000))), TOO_LARGE);
    method(&format!("foo | {} | ^[{}]", names(250), names(250).replace(' ', ". ")));
    method(&format!("foo {}", "self bar. ".repeat(20_000)));
}

#[test]
fn deep_and_long_sources_need_no_deep_stack() {
    let depth = crate::syntax::MAX_DEPTH - 2;
    doit(&format!("{}3{}", "[".repeat(depth), "]".repeat(depth)));
    doit(&format!("{}3{}", "Global ifTrue: [".repeat(depth), "]".repeat(depth)));
    doit(&format!("'a'{}", ", 'b'".repeat(10_000)));
}
