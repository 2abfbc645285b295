//! A class that is printed, read into another image and printed there gives the same text, byte for byte; and so in the
//! image that it came from. `boot_tests.rs` holds it for the classes of the kernel; here are awkward ones.

mod support;

use smalltalk::Image;
use std::time::{Duration, Instant};
use support::{error, image, value};

/// The text of a class; code that answers a string, which is printed with its quotes doubled.
fn printed(image: &mut Image, class: &str) -> String {
    let text = value(image, &format!("{class} fileOutClass"));
    text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).expect("a string").replace("''", "'")
}

fn file_in(image: &mut Image, text: &str) {
    let done = image.file_in(text, "printed.gs", Instant::now() + Duration::from_secs(60));
    done.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
}

/// Makes a class, prints it and reads it back in another image and in its own.
fn round_trip(class: &str, preparation: &[&str], code: &[&str]) -> String {
    let (mut one, mut other) = (image(), image());
    for code in preparation {
        value(&mut one, code);
        value(&mut other, code);
    }
    for code in code {
        value(&mut one, code);
    }
    let text = printed(&mut one, class);
    file_in(&mut other, &text);
    assert_eq!(printed(&mut other, class), text, "{class}, in another image");
    file_in(&mut one, &text);
    assert_eq!(printed(&mut one, class), text, "{class}, in its own image");
    text
}

const TAIL: &str = "classVars: #() classInstVars: #() poolDictionaries: #() inDictionary: UserGlobals options: #()";

fn plain(name: &str) -> String {
    format!("Object subclass: '{name}' instVarNames: #() {TAIL}")
}

#[test]
fn the_form_is_the_canonical_one() {
    let define = "Object subclass: 'Bell' instVarNames: #( a b c d) classVars: #( V U) classInstVars: #( made) \
        poolDictionaries: #() inDictionary: UserGlobals options: #( dbTransient)";
    let text = round_trip(
        "Bell",
        &[],
        &[
            define,
            "Bell comment: 'It rings.'; category: 'Sounds'",
            "Bell compile: 'ring ^a' classified: 'ringing'. Bell compile: 'a: x a := x' classified: 'setting'",
            "Bell class compile: 'loud ^self new' classified: 'making'",
        ],
    );
    let expected = "set compile_env: 0\n! ------------------- Class definition for Bell\nexpectvalue /Class\ndoit\n\
        Object subclass: 'Bell'\n  instVarNames: #( a b c\n                    d)\n  classVars: #( U V)\n  \
        classInstVars: #( made)\n  poolDictionaries: #()\n  inDictionary: UserGlobals\n  \
        options: #( dbTransient)\n\n%\n\
        expectvalue /Class\ndoit\nBell comment: \n'It rings.'\n%\nexpectvalue /Class\ndoit\n\
        Bell category: 'Sounds'\n%\n\
        ! ------------------- Remove existing behavior from Bell\nremoveallmethods Bell\n\
        removeallclassmethods Bell\n\
        ! ------------------- Class methods for Bell\ncategory: 'making'\nclassmethod: Bell\nloud ^self new\n%\n\
        ! ------------------- Instance methods for Bell\ncategory: 'setting'\nmethod: Bell\na: x a := x\n%\n\
        category: 'ringing'\nmethod: Bell\nring ^a\n%\n";
    assert_eq!(text, expected);
}

#[test]
fn variables_of_all_kinds_come_back() {
    round_trip(
        "Odd",
        &["UserGlobals at: #Pool put: (SymbolDictionary new at: #Depth put: 7; yourself)"],
        &[
            "Object subclass: 'Odd' instVarNames: #( one two three four five six seven) \
                classVars: #( Zwei Eins Drei Vier) classInstVars: #( p q r s) poolDictionaries: {Pool} \
                inDictionary: UserGlobals options: #( instancesInvariant dbTransient)",
            "Odd compile: 'depth ^Depth + Eins' classified: 'pools'",
            "Odd class compile: 'p ^p' classified: 'access'",
        ],
    );
}

#[test]
fn every_kind_of_class_comes_back() {
    for define in [
        format!("Object indexableSubclass: 'Odd' instVarNames: #( a) {TAIL}"),
        format!("Object byteSubclass: 'Odd' {TAIL}"),
        format!("String byteSubclass: 'Odd' {TAIL}"),
        format!("Array subclass: 'Odd' instVarNames: #() {TAIL}"),
        format!("OrderedCollection subclass: 'Odd' instVarNames: #( a) {TAIL}"),
        format!("TestCase subclass: 'Odd' instVarNames: #() {TAIL}"),
        "Object subclass: 'Odd' instVarNames: #() classVars: #() classInstVars: #() poolDictionaries: #() \
            inDictionary: Published options: #()"
            .to_owned(),
    ] {
        round_trip("Odd", &[], &[&define, "Odd compile: 'foo ^1' classified: 'x'"]);
    }
}

#[test]
fn any_comment_comes_back() {
    for comment in [
        "It''s \"quoted\"",
        "\n% at the beginning of a line\n%\n%%",
        "%",
        "! no comment\n!",
        "\nmethod: Foo\nfoo ^3\n%\nclassmethod: Foo\ndoit",
        "Grüße, 日本語, 🎉\r\n\ttabs and returns\r",
        "ends with a line\n",
        "''",
    ] {
        round_trip("Odd", &[], &[&plain("Odd"), &format!("Odd comment: '{comment}'"), "Odd category: 'it''s'"]);
    }
}

#[test]
fn any_category_comes_back() {
    for category in ["", "it''s", " with blanks ", "\"x\"", "größe 日本", "%", "!", "method: Foo", "two\nlines"] {
        let compile = format!("Odd compile: 'foo ^1' classified: '{category}'");
        let compile_class = format!("Odd class compile: 'foo ^1' classified: '{category}'");
        round_trip("Odd", &[], &[&plain("Odd"), &compile, &compile_class]);
    }
}

#[test]
fn any_source_comes_back() {
    for source in [
        "foo\n\t^''it''''s % fine''\n",
        "foo ^''\n% within a string\n''",
        "foo\n\"a comment with\n%\n! and !\nmethod: Foo\n\"\n\n\n",
        "foo ^$%",
        "% other ^self",
        "+ other\n\t^''Grüße 日本 🎉''",
        "größe: straße ^straße",
        "foo\r\n\t^1\r\n",
        "at: x put: y ^{x. y}",
    ] {
        let compile = format!("Odd compile: '{source}' classified: 'x'");
        let compile_class = format!("Odd class compile: '{source}' classified: 'x'");
        round_trip("Odd", &[], &[&plain("Odd"), &compile, &compile_class]);
    }
}

#[test]
fn names_in_all_of_unicode_come_back() {
    let define = "Object subclass: 'Größe' instVarNames: #( straße Ünder _x) classVars: #( Größer) \
        classInstVars: #( наименование) poolDictionaries: #() inDictionary: UserGlobals options: #()";
    round_trip("Größe", &[], &[define, "Größe compile: 'straße ^straße' classified: 'x'"]);
}

#[test]
fn a_pool_without_a_name_cannot_be_printed() {
    let mut image = image();
    value(
        &mut image,
        "Object subclass: 'Odd' instVarNames: #() classVars: #() classInstVars: #() \
            poolDictionaries: {SymbolDictionary new} inDictionary: UserGlobals options: #()",
    );
    let error = error(&mut image, "Odd fileOutClass");
    assert!(error.message.contains("a pool dictionary of Odd has no name"), "{}", error.message);
}
