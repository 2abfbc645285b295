//! `execute_code`: real Smalltalk in the gem, as far as a first user goes.

use tests::client::Client;
use tests::server::Server;

/// Code and the printString of its value.
const EXPRESSIONS: &[(&str, &str)] = &[
    ("3 + 4", "7"),
    ("nil", "nil"),
    ("'it''s'", "'it''s'"),
    ("#foo:bar:", "#'foo:bar:'"),
    ("$a", "$a"),
    ("100 factorial printString size", "158"),
    ("(1 << 100) + 1", "1267650600228229401496703205377"),
    ("1073741823 * 1073741823 * 1073741823", "1237940035826615764299808767"),
    ("7 // 2", "3"),
    ("-7 \\\\ 2", "1"),
    ("1/3 + (2/3)", "1"),
    ("2 ** 10", "1024"),
    ("3 max: 9", "9"),
    ("#(1 $a 'b' #c (2 3))", "anArray( 1, $a, 'b', #'c', anArray( 2, 3))"),
    ("(1 to: 5) inject: 0 into: [:sum :each | sum + each]", "15"),
    ("| a | a := OrderedCollection new. a add: 1; add: 2; yourself. a size", "2"),
    ("(#(3 1 2) asSortedCollection) asArray", "anArray( 1, 2, 3)"),
    ("| s | s := WriteStream on: String new. s nextPutAll: 'ab'; nextPut: $c. s contents", "'abc'"),
    ("(Dictionary new at: #a put: 1; yourself) at: #a", "1"),
    ("#(1 2 3) collect: [:each | each * each]", "anArray( 1, 4, 9)"),
    ("[:x | x > 2 ifTrue: ['big'] ifFalse: ['small']] value: 3", "'big'"),
    ("3 > 2 and: [1 = 1]", "true"),
    ("[1/0] on: ZeroDivide do: [:ex | ex return: -1]", "-1"),
    ("[1/0. 5] on: ZeroDivide do: [:ex | ex resume: 3]", "5"),
    ("| log | log := OrderedCollection new. [log add: 1] ensure: [log add: 2]. log asArray", "anArray( 1, 2)"),
    ("| r | r := 0. [[Error signal: 'x'] ifCurtailed: [r := 1]] on: Error do: [:ex | ex return]. r", "1"),
    ("[Error signal: 'deep'] on: Error do: [:ex | ex messageText]", "'deep'"),
    ("[nil foo] on: MessageNotUnderstood do: [:ex | ex message selector]", "#'foo'"),
    ("#(1 2 3) detect: [:each | each > 1]", "2"),
    ("#(5 6) do: [:each | each = 5 ifTrue: [^'left early']]. 'not reached'", "'left early'"),
];

#[test]
fn expressions_answer_their_print_string() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let mut wrong = Vec::new();
    for (code, expected) in EXPRESSIONS {
        let answer = client.execute(code);
        if answer.is_error || answer.text != *expected {
            wrong.push(format!("{code}\n    expected {expected}\n    answered {}", answer.text));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), EXPRESSIONS.len(), wrong.join("\n"));
}

#[test]
fn classes_and_methods_are_defined_from_source_and_used() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    client.evaluate(ACCOUNT);
    client.evaluate("Account compile: 'balance ^balance ifNil: [0]'");
    client.evaluate("Account compile: 'deposit: amount balance := self balance + amount'");
    assert_eq!(client.evaluate("| a | a := Account new. a deposit: 5; deposit: 7. a balance"), "12");
    client.evaluate(
        "Account subclass: 'Savings' instVarNames: #() classVars: #() classInstVars: #() poolDictionaries: #() \
         inDictionary: UserGlobals options: #()",
    );
    client.evaluate("Savings compile: 'deposit: amount super deposit: amount * 2'");
    assert_eq!(client.evaluate("Savings new deposit: 5; balance"), "10");
    assert_eq!(client.evaluate("Savings superclass"), "Account");
}

const ACCOUNT: &str = "Object subclass: 'Account' instVarNames: #(balance) classVars: #() classInstVars: #() \
    poolDictionaries: #() inDictionary: UserGlobals options: #()";

#[test]
fn an_error_names_class_message_and_the_users_own_frames() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    client.evaluate(ACCOUNT);
    client.evaluate("Account compile: 'explode ^self inner'");
    client.evaluate("Account compile: 'inner ^self zork'");
    let answer = client.execute("Account new explode");
    let text = answer.expect_error();
    for words in ["MessageNotUnderstood", "zork", "Account", "inner", "explode"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    assert!(!answer.kind().is_empty(), "{}", answer.result);
    let answer = client.execute("1/0");
    assert!(answer.expect_error().contains("ZeroDivide"), "{}", answer.text);
    let answer = client.execute("self error: 'my own words'");
    assert!(answer.expect_error().contains("my own words"), "{}", answer.text);
    assert_eq!(client.evaluate("3 + 4"), "7");
}

#[test]
fn a_compile_error_says_where_and_changes_nothing() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for code in ["3 +", "(1 + 2", "'open", "| a | b := ]", "#(1 2", "3 foo: ", "^^", "nosuchvariable + 1", ":= 3"] {
        let answer = client.execute(code);
        answer.expect_error();
        assert_eq!(answer.kind(), "compileError", "{code}: {}", answer.result);
    }
    assert_eq!(client.evaluate("3 + 4"), "7");
}

#[test]
fn a_long_answer_is_cut_and_says_so() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    let answer = client.execute("(String new: 60000) atAllPut: $x; yourself");
    let text = answer.expect_text();
    assert!(text.contains("[truncated"), "{}", &text[text.len() - 100..]);
    let limit = protocol::limits::RESULT_CHARACTERS_MAX;
    assert!(text.chars().count() <= limit + 100 && text.chars().count() >= limit, "{}", text.chars().count());
}

#[test]
fn text_beyond_ascii_survives_both_ways() {
    let server = Server::start_default();
    let mut client = Client::open(server.address);
    for text in ["'äöü'", "'ελληνικά'", "'日本語'", "'😀 smile'"] {
        assert_eq!(client.evaluate(text), text);
    }
    assert_eq!(client.evaluate("'日本語' size"), "3");
}
