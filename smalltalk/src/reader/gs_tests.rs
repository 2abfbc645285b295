//! What the reader makes of files, and what it refuses.

use super::*;

const FILE: &str = "\
! a comment
set compile_env: 0
expectvalue /Class
doit
Object subclass: 'Point'
  instVarNames: #( x y)
  classVars: #()
  classInstVars: #()
  poolDictionaries: #()
  inDictionary: UserGlobals
  options: #()

%
removeallmethods Point
removeallclassmethods Point
category: 'instance creation'
classmethod: Point
x: x y: y
\t^self basicNew setX: x y: y
%
category: 'it''s'
method: Point
! \"no comment here\"
 method: x
%
run
3 + 4
%
commit
";

fn kinds(text: &str) -> Vec<ItemKind> {
    read_gs(text).unwrap().into_iter().map(|item| item.kind).collect()
}

fn method(class: &str, meta: bool, category: &str, source: &str) -> ItemKind {
    let (class, category, source) = (class.to_owned(), category.to_owned(), source.to_owned());
    ItemKind::Method { class, meta, category, source, environment: 0 }
}

#[test]
fn reads_a_file_out() {
    let items = read_gs(FILE).unwrap();
    let lines: Vec<u32> = items.iter().map(|item| item.line).collect();
    assert_eq!(lines, [4, 14, 15, 17, 22, 26, 29]);
    let mut kinds = items.into_iter().map(|item| item.kind);
    match kinds.next() {
        Some(ItemKind::ClassDefinition { definition, source }) => {
            assert_eq!((definition.name.as_str(), definition.inst_vars.len()), ("Point", 2));
            assert!(source.starts_with("Object subclass:") && source.ends_with("#()\n\n"));
        }
        other => panic!("{other:?}"),
    }
    let rest: Vec<ItemKind> = kinds.collect();
    let expected = [
        ItemKind::RemoveAllMethods { class: "Point".to_owned(), meta: false },
        ItemKind::RemoveAllMethods { class: "Point".to_owned(), meta: true },
        method("Point", true, "instance creation", "x: x y: y\n\t^self basicNew setX: x y: y\n"),
        method("Point", false, "it's", "! \"no comment here\"\n method: x\n"),
        ItemKind::DoIt { source: "3 + 4\n".to_owned() },
        ItemKind::Commit,
    ];
    assert_eq!(rest, expected);
}

#[test]
fn reads_carriage_returns_and_a_byte_order_mark() {
    let text = "\u{feff}category: 'a'\r\nmethod: Foo\r\nbar\r\n\t^1\r\n%\r\n";
    assert_eq!(kinds(text), [method("Foo", false, "a", "bar\r\n\t^1\r\n")]);
}

#[test]
fn a_set_class_serves_commands_that_name_none() {
    let text = "set user a pass b\nset class Foo\nmethod:\nbar\n%\nmethod: Foo class\nbaz\n%\nset compile_env: \
        2\nclassmethod:\na\n%\n";
    let mut last = method("Foo", true, DEFAULT_CATEGORY, "a\n");
    if let ItemKind::Method { environment, .. } = &mut last {
        *environment = 2;
    }
    let expected =
        [method("Foo", false, DEFAULT_CATEGORY, "bar\n"), method("Foo", true, DEFAULT_CATEGORY, "baz\n"), last];
    assert_eq!(kinds(text), expected);
}

#[test]
fn a_method_may_be_called_method() {
    assert_eq!(
        kinds("method: Foo\nmethod: aMethod\n\t^1\n%\n"),
        [method("Foo", false, DEFAULT_CATEGORY, "method: aMethod\n\t^1\n")]
    );
}

#[test]
fn reads_no_further_than_exit() {
    assert_eq!(kinds("input foo.gs\nexit\nnonsense\n"), [ItemKind::Input { path: "foo.gs".to_owned() }]);
}

#[test]
fn refuses_what_would_lose_code() {
    for (text, line) in [
        ("method: Foo\nbar\n", 1),
        ("\ndoit\n3\n %\n", 2),
        ("method: Foo\nbar\n\nmethod: Foo\nbaz\n%\n", 1),
        ("doit\n3\nclassmethod: 'Foo'\nbaz\n%\n", 1),
        ("doit\n3\n%\n%\n", 4),
        ("methods: Foo\n", 1),
        ("method: 3x\n", 1),
        ("method:\n", 1),
        ("category:\n", 1),
        ("\n\nset\n", 3),
        ("set compile_env: 300\n", 1),
        ("set nonsense 3\n", 1),
        ("3 + 4\n", 1),
    ] {
        let error = read_gs(text).unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error}");
    }
}

#[test]
fn a_message_may_stand_on_the_line_of_its_command() {
    assert_eq!(kinds("time\nsend Object printString\n"), [ItemKind::DoIt { source: "Object printString".to_owned() }]);
    assert!(read_gs("send\n").unwrap_err().message.contains("after send"));
}
