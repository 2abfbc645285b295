//! What code means, seen through the printString of what it answers.

mod support;

use support::{check, error, image, value};

#[test]
fn literals_print_as_gemstone_prints_them() {
    check(&[
        ("3", "3"),
        ("-7", "-7"),
        ("16rFF", "255"),
        ("2.5", "2.5"),
        ("1e3", "1000"),
        ("1/2", "1/2"),
        ("$a", "$a"),
        ("'it''s'", "'it''s'"),
        ("#foo", "#'foo'"),
        ("#foo:bar:", "#'foo:bar:'"),
        ("#(1 $a 'x' foo #bar (2 3) true nil)", "anArray( 1, $a, 'x', #'foo', #'bar', anArray( 2, 3), true, nil)"),
        ("{1+1. 'x'}", "anArray( 2, 'x')"),
        ("#[1 2 255]", "aByteArray( 1, 2, 255)"),
        ("nil", "nil"),
        ("Array new: 2", "anArray( nil, nil)"),
        ("Array new", "anArray( )"),
        ("Object new", "anObject"),
        ("Object", "Object"),
        ("Object class", "Object class"),
        ("1->2", "1->2"),
    ]);
}

#[test]
fn arithmetic_never_wraps() {
    check(&[
        ("3 + 4 * 2", "14"),
        ("1152921504606846975 + 1", "1152921504606846976"),
        ("-1152921504606846976 - 1", "-1152921504606846977"),
        ("(1152921504606846975 + 1) class", "LargeInteger"),
        ("(1152921504606846976 - 1) class", "SmallInteger"),
        ("1152921504606846975 * 1152921504606846975", "1329227995784915870597964051066650625"),
        ("100 factorial / 98 factorial", "9900"),
        ("7 // -2", "-4"),
        ("7 \\\\ -2", "-1"),
        ("-7 // 2", "-4"),
        ("-7 rem: 2", "-1"),
        ("-7 quo: 2", "-3"),
        ("(1/3) + (2/3)", "1"),
        ("(1/3) + 0.5", "0.8333333333333333"),
        ("2 ** 100", "1267650600228229401496703205376"),
        ("1 bitShift: 100", "1267650600228229401496703205376"),
        ("(1 bitShift: 100) bitShift: -98", "4"),
        ("3 + 4.5", "7.5"),
        ("0.1 + 0.2", "0.30000000000000004"),
        ("1.0e200 * 1.0e10", "1.0e210"),
        ("10 gcd: 4", "2"),
        ("3 max: 9", "9"),
        ("3 = 3.0", "true"),
        ("(1/2) = 0.5", "true"),
        ("5 between: 1 and: 5", "true"),
    ]);
}

#[test]
fn variables_blocks_and_cascades_work() {
    check(&[
        ("| a b | a := 3. b := a + 1. a * b", "12"),
        ("[:x | x * 2] value: 21", "42"),
        ("| counter next | counter := 0. next := [counter := counter + 1]. next value. next value. counter", "2"),
        (
            "| blocks | blocks := (1 to: 3) collect: [:i | [i * 10]]. blocks collect: [:b | b value]",
            "anArray( 10, 20, 30)",
        ),
        ("| sum | sum := 0. 1 to: 10 do: [:i | sum := sum + i]. sum", "55"),
        ("| sum | sum := 0. 10 to: 1 by: -3 do: [:i | sum := sum + i]. sum", "22"),
        ("| n | n := 0. [n < 5] whileTrue: [n := n + 1]. n", "5"),
        ("| n | n := 0. 3 timesRepeat: [n := n + 2]. n", "6"),
        ("OrderedCollection new add: 1; add: 2; yourself", "anOrderedCollection( 1, 2)"),
        ("3 > 2 ifTrue: ['yes'] ifFalse: ['no']", "'yes'"),
        ("nil ifNil: [7]", "7"),
        ("5 ifNil: [7]", "5"),
        ("5 ifNotNil: [:x | x + 1]", "6"),
        ("(3 > 2) & (2 > 1) | false", "true"),
        ("3 > 2 and: [2 > 1]", "true"),
        ("#(3 1 2) do: [:x | x = 1 ifTrue: [^'found']]. 'not found'", "'found'"),
        ("| r | r := 0. 1 to: 3 do: [:i | | local | local isNil ifTrue: [r := r + 1]. local := i]. r", "3"),
        ("[:a :b | a - b] valueWithArguments: #(9 4)", "5"),
        ("#(1 2 3) inject: 0 into: [:a :b | a + b]", "6"),
        ("3 perform: #+ with: 4", "7"),
        ("3 perform: #between:and: with: 1 with: 5", "true"),
    ]);
}

#[test]
fn classes_and_methods_can_be_made() {
    let mut image = image();
    let define = "Object subclass: 'Counter' instVarNames: #( count) classVars: #( Made) classInstVars: #() \
                  poolDictionaries: #() inDictionary: UserGlobals options: #()";
    assert_eq!(value(&mut image, define), "Counter");
    for source in [
        "count ^count ifNil: [0]",
        "increment count := self count + 1. ^self",
        "add: n n timesRepeat: [self increment]",
    ] {
        let code = format!(
            "(Counter compileMethod: '{source}' dictionaries: nil category: 'x' environmentId: \
            0) class name"
        );
        value(&mut image, &code);
    }
    assert_eq!(value(&mut image, "Counter new add: 5; count"), "5");
    assert_eq!(value(&mut image, "Counter new"), "aCounter");
    value(
        &mut image,
        "Counter subclass: 'DoubleCounter' instVarNames: #() classVars: #() classInstVars: #() \
            poolDictionaries: #() inDictionary: UserGlobals options: #()",
    );
    value(
        &mut image,
        "DoubleCounter compileMethod: 'increment super increment. ^super increment' dictionaries: nil category: 'x'",
    );
    assert_eq!(value(&mut image, "DoubleCounter new add: 3; count"), "6");
    value(&mut image, "Counter compileMethod: 'count ^100' dictionaries: nil category: 'x'");
    assert_eq!(value(&mut image, "DoubleCounter new count"), "100", "a changed method is seen at once");
}

#[test]
fn a_class_that_is_defined_later_fills_methods_compiled_earlier() {
    let mut image = image();
    let define = |instance_variables: &str| {
        format!(
            "Object subclass: 'Later' instVarNames: #({instance_variables}) classVars: #() classInstVars: #() \
             poolDictionaries: #() inDictionary: UserGlobals options: #()"
        )
    };
    value(
        &mut image,
        "UserGlobals at: #Later put: nil. Object subclass: 'Sooner' instVarNames: #() classVars: #() \
         classInstVars: #() poolDictionaries: #() inDictionary: UserGlobals options: #()",
    );
    value(&mut image, "Sooner compileMethod: 'later ^Later' dictionaries: nil category: 'x'");
    assert_eq!(value(&mut image, "Sooner new later"), "nil");
    value(&mut image, &define(""));
    assert_eq!(value(&mut image, "Sooner new later == Later"), "true", "the method sees the class");
    value(&mut image, &define("more"));
    assert_eq!(value(&mut image, "Sooner new later instVarNames size"), "1", "and its newest version");
}

#[test]
fn exceptions_follow_the_standard() {
    check(&[
        ("[1/0] on: ZeroDivide do: [:e | e return: 5]", "5"),
        ("[1/0. 3] on: ZeroDivide do: [:e | e resume: 5]", "3"),
        ("[1/0] on: ZeroDivide do: [:e | e class]", "ZeroDivide"),
        ("[nil foo] on: MessageNotUnderstood do: [:e | e message selector]", "#'foo'"),
        ("| n | n := 0. [n := n + 1. n < 3 ifTrue: [1/0]. n] on: ZeroDivide do: [:e | e retry]", "3"),
        ("[1/0] on: ZeroDivide do: [:e | e retryUsing: ['other']]", "'other'"),
        ("[[1/0] on: ZeroDivide do: [:e | e signal]] on: ZeroDivide do: [:e | 'outer']", "'outer'"),
        ("[[1/0] on: ZeroDivide do: [:e | e pass]] on: ZeroDivide do: [:e | 'passed']", "'passed'"),
        ("[[1/0] on: MessageNotUnderstood do: [:e | 'wrong']] on: ZeroDivide do: [:e | 'right']", "'right'"),
        ("[[1/0] on: ZeroDivide do: [:e | nil foo]] on: MessageNotUnderstood do: [:e | 'in handler']", "'in handler'"),
        (
            "| log | log := OrderedCollection new. [[1/0] ensure: [log add: 1]] on: ZeroDivide do: [:e | log \
                add: 2]. log",
            "anOrderedCollection( 2, 1)",
        ),
        ("| log | log := OrderedCollection new. [log add: 1] ensure: [log add: 2]. log", "anOrderedCollection( 1, 2)"),
        (
            "| log | log := OrderedCollection new. [log add: 1] ifCurtailed: [log add: 2]. log",
            "anOrderedCollection( 1)",
        ),
        (
            "| log | log := OrderedCollection new. [[1/0] ifCurtailed: [log add: 2]] on: Error do: [:e | nil]. log",
            "anOrderedCollection( 2)",
        ),
        (
            "| log | log := OrderedCollection new. #(1 2) do: [:x | [x = 1 ifTrue: [^log]] ensure: [log add: x]]. log",
            "anOrderedCollection( 1)",
        ),
        ("[Error signal: 'boo'] on: Error do: [:e | e messageText]", "'boo'"),
        ("[Warning signal: 'x'. 'after'] on: Warning do: [:e | e resume: nil]", "'after'"),
        ("(Warning signal: 'unhandled') isNil", "true"),
        ("[[Error signal: 'a'] ensure: [Error signal: 'b']] on: Error do: [:e | e return: e messageText]", "'b'"),
        ("[(Notification signal: 'n') printString] on: Notification do: [:e | e resume: 9]", "'9'"),
        (
            "[[Notification signal. 'x'] on: Notification do: [:e | e outer. 'after outer']] on: Notification \
                do: [:e | e resume]",
            "'after outer'",
        ),
    ]);
}

#[test]
fn collections_and_streams_serve_daily_work() {
    check(&[
        ("#(3 1 2) asSortedCollection asArray", "anArray( 1, 2, 3)"),
        ("(#(1 2 3 4) select: [:x | x even]) asOrderedCollection", "anOrderedCollection( 2, 4)"),
        ("#(1 2 3) reverse", "anArray( 3, 2, 1)"),
        ("(Set withAll: #(1 2 2 3)) size", "3"),
        ("(Bag withAll: #(1 2 2)) occurrencesOf: 2", "2"),
        ("| d | d := Dictionary new. d at: #a put: 1. d at: #b put: 2. (d at: #a) + (d at: #b)", "3"),
        ("| d | d := Dictionary new. d at: 1 ifAbsent: ['none']", "'none'"),
        ("| d | d := Dictionary new. 1 to: 1000 do: [:i | d at: i put: i * i]. d at: 999", "998001"),
        ("| s | s := WriteStream on: String new. s nextPutAll: 'ab'; nextPut: $c; print: 12. s contents", "'abc12'"),
        ("(ReadStream on: #(1 2 3)) next; next", "2"),
        ("'hello world' asUppercase", "'HELLO WORLD'"),
        ("'hello' reversed", "'olleh'"),
        ("'a-b-c' occurrencesOf: $-", "2"),
        ("'hello', ' ', 'you'", "'hello you'"),
        ("'abc' < 'abd'", "true"),
        ("'42' asNumber + 1", "43"),
        ("#foo == 'foo' asSymbol", "true"),
        ("'grüße' size", "5"),
        ("'日本' size", "2"),
        ("'日本', 'x'", "'日本x'"),
        ("(1 to: 5) asArray", "anArray( 1, 2, 3, 4, 5)"),
        ("#(1 2 3) with: #(4 5 6) collect: [:a :b | a * b]", "anArray( 4, 10, 18)"),
    ]);
}

#[test]
fn an_error_names_class_message_and_the_users_own_frames() {
    let mut image = image();
    value(
        &mut image,
        "Object subclass: 'Breaker' instVarNames: #() classVars: #() classInstVars: #() poolDictionaries: #() \
            inDictionary: UserGlobals options: #()",
    );
    value(
        &mut image,
        "Breaker compileMethod: 'break\n\t^#(1 2) do: [:x |\n\t\tx zork]' dictionaries: nil category: 'x'",
    );
    let error = error(&mut image, "| b |\nb := Breaker new.\nb break");
    assert_eq!(error.class, "MessageNotUnderstood");
    assert!(error.message.contains("does not understand  #'zork'"), "{}", error.message);
    assert_eq!(error.frames, ["[] in Breaker>>break (line 3)", "Breaker>>break (line 2)", "executed code (line 3)"]);
}

#[test]
fn a_compile_error_says_where_and_what() {
    let mut image = image();
    let found = error(&mut image, "| a |\na := 3.\nb + a");
    assert_eq!(found.class, "CompileError");
    assert!(found.message.contains("line 3"), "{}", found.message);
    assert_eq!(value(&mut image, "3 + 4"), "7");
}
