//! Which classes of the image are toolsets, and when a session notices that they have changed.

mod support;

use smalltalk::memory_store::MemoryStore;
use smalltalk::{Commit, Image, Value};
use std::time::{Duration, Instant};
use support::{image, image_on, value};

/// The names of the toolsets; starts the watch.
fn toolsets(image: &mut Image) -> Vec<String> {
    let answer = image.ask("McpServer", "_toolsets", &[], Instant::now() + Duration::from_secs(60)).expect("asked");
    let parts = answer.as_array().expect("an array");
    assert_eq!(parts[0], Value::Nil, "{parts:?}");
    parts[1].as_array().expect("names").iter().map(|name| name.as_text().expect("a name").to_owned()).collect()
}

fn define(image: &mut Image, name: &str, superclass: &str, dictionary: &str) {
    value(image, &format!("{superclass} subclass: '{name}' instVarNames: #() inDictionary: {dictionary}"));
}

fn compile(image: &mut Image, class: &str, source: &str) {
    value(image, &format!("{class} compile: '{source}' classified: 'tools'. true"));
}

fn define_toolset(image: &mut Image, name: &str) {
    define(image, name, "McpToolset", "UserGlobals");
    compile(image, name, "registerOn: aRegistry");
    compile(image, name, "toolNames ^#()");
}

fn commit(image: &mut Image) {
    assert_eq!(image.commit().expect("a store"), Commit::Committed);
}

#[test]
fn a_toolset_names_its_tools_itself_and_registers_them() {
    let mut image = image();
    assert!(toolsets(&mut image).is_empty());
    define(&mut image, "Half", "McpToolset", "UserGlobals");
    compile(&mut image, "Half", "toolNames ^#()");
    assert!(toolsets(&mut image).is_empty(), "it registers nothing");
    compile(&mut image, "Half", "registerOn: aRegistry");
    assert_eq!(toolsets(&mut image), ["Half"]);
    define(&mut image, "Heir", "Half", "UserGlobals");
    assert_eq!(toolsets(&mut image), ["Half"], "an inherited name does not count");
    compile(&mut image, "Heir", "toolNames ^#()");
    assert_eq!(toolsets(&mut image), ["Half", "Heir"], "an inherited registration does");
    value(&mut image, "Published at: #Alias put: Heir");
    assert_eq!(toolsets(&mut image), ["Half", "Heir"], "an alias is none");
}

#[test]
fn what_shadows_a_toolset_hides_it() {
    let mut image = image();
    define(&mut image, "Mine", "McpToolset", "Published");
    compile(&mut image, "Mine", "registerOn: aRegistry");
    compile(&mut image, "Mine", "toolNames ^#()");
    assert_eq!(toolsets(&mut image), ["Mine"]);
    value(&mut image, "UserGlobals at: #Mine put: 3");
    assert!(toolsets(&mut image).is_empty());
    value(&mut image, "UserGlobals removeKey: #Mine. UserGlobals at: #McpToolset put: Array");
    assert_eq!(toolsets(&mut image), ["Mine"], "the root is known by its identity");
}

#[test]
fn a_session_notices_when_its_view_moves_and_only_then() {
    let store = MemoryStore::new();
    let (mut writer, mut reader) = (image_on(&store), image_on(&store));
    assert!(!reader.toolsets_touched(), "nobody has asked");
    assert!(toolsets(&mut reader).is_empty());
    define_toolset(&mut writer, "Tools");
    commit(&mut writer);
    assert!(!reader.toolsets_touched());
    reader.refresh().expect("a store");
    assert!(reader.toolsets_touched());
    assert_eq!(toolsets(&mut reader), ["Tools"]);
    assert!(!reader.toolsets_touched(), "asked again");
    // Another text of the same selector changes neither the dictionary of the methods nor its size.
    compile(&mut writer, "Tools", "registerOn: aRegistry ^self");
    commit(&mut writer);
    reader.abort().expect("a store");
    assert!(reader.toolsets_touched());
    toolsets(&mut reader);
    value(&mut writer, "UserGlobals removeKey: #Tools");
    commit(&mut writer);
    reader.commit().expect("a store");
    assert!(reader.toolsets_touched());
    assert!(toolsets(&mut reader).is_empty());
}

#[test]
fn what_does_not_concern_toolsets_is_not_noticed() {
    let store = MemoryStore::new();
    let (mut writer, mut reader) = (image_on(&store), image_on(&store));
    define_toolset(&mut writer, "Tools");
    value(&mut writer, "UserGlobals at: #Data put: (Array new: 3)");
    define(&mut writer, "Other", "Object", "UserGlobals");
    commit(&mut writer);
    reader.refresh().expect("a store");
    assert_eq!(toolsets(&mut reader), ["Tools"]);
    value(&mut reader, "Data size + Other name size");
    for change in ["Data at: 1 put: 4", "Other compile: 'zork ^3' classified: 'x'. true"] {
        value(&mut writer, change);
        commit(&mut writer);
        reader.refresh().expect("a store");
        assert!(!reader.toolsets_touched(), "{change}");
    }
}

#[test]
fn a_session_notices_its_own_commits_and_aborts() {
    let mut image = image();
    toolsets(&mut image);
    define_toolset(&mut image, "Tools");
    assert!(!image.toolsets_touched(), "its view has not moved");
    commit(&mut image);
    assert!(image.toolsets_touched());
    assert_eq!(toolsets(&mut image), ["Tools"]);
    value(&mut image, "UserGlobals removeKey: #Tools");
    assert!(toolsets(&mut image).is_empty());
    image.abort().expect("a store");
    assert!(image.toolsets_touched());
    assert_eq!(toolsets(&mut image), ["Tools"]);
}

#[test]
fn a_name_that_is_bound_anew_is_noticed() {
    let store = MemoryStore::new();
    let (mut writer, mut reader) = (image_on(&store), image_on(&store));
    value(&mut writer, "UserGlobals at: #Later put: nil");
    commit(&mut writer);
    reader.refresh().expect("a store");
    assert!(toolsets(&mut reader).is_empty());
    define_toolset(&mut writer, "Later");
    commit(&mut writer);
    reader.refresh().expect("a store");
    assert!(reader.toolsets_touched());
    assert_eq!(toolsets(&mut reader), ["Later"]);
}
