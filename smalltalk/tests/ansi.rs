//! Which messages of ANSI Smalltalk's protocols our classes understand. `ansi/protocols.txt` names each protocol, the
//! classes of ours that stand for it, and its messages; a message counts when all of these classes have a method for
//! it that does more than refuse.

mod support;

use smalltalk::Image;
use std::collections::BTreeMap;
use support::{image, value};

/// The fewest messages that must be understood: all but those of file streams, which no session can open.
const GOAL: usize = 511;

/// A protocol of the table.
struct Protocol {
    name: &'static str,
    classes: Vec<&'static str>,
    selectors: Vec<&'static str>,
}

fn protocols() -> Vec<Protocol> {
    let mut protocols: Vec<Protocol> = Vec::new();
    for line in include_str!("ansi/protocols.txt").lines() {
        match (line.strip_prefix("  of: "), line.strip_prefix("  "), protocols.last_mut()) {
            (Some(classes), _, Some(last)) => last.classes.extend(classes.split(", ")),
            (None, Some(selectors), Some(last)) => last.selectors.extend(selectors.split(' ')),
            _ => protocols.push(Protocol { name: line, classes: Vec::new(), selectors: Vec::new() }),
        }
    }
    protocols
}

/// The messages of one protocol that a class lacks, as the image sees it.
fn missing(image: &mut Image, class: &str, selectors: &[&str]) -> Vec<String> {
    let (name, side) = class.split_once(' ').unwrap_or((class, "yourself"));
    let quoted: String = selectors.iter().map(|selector| format!(" #'{selector}'")).collect();
    let code = format!(
        "| class missing | class := System objectNamed: '{name}'. \
         class == nil ifTrue: [missing := #({quoted})] ifFalse: [class := class {side}. \
         missing := #({quoted}) reject: [:each | | home | home := class whichClassIncludesSelector: each. \
         home notNil and: [| source | source := home sourceCodeAt: each. \
         (source includesSubstring: 'self subclassResponsibility') not \
         and: [(source includesSubstring: 'self shouldNotImplement') not]]]]. \
         ' ' join: (missing collect: [:each | each asString])"
    );
    value(image, &code).trim_matches('\'').split_whitespace().map(str::to_owned).collect()
}

#[test]
fn messages_are_understood() {
    let mut image = image();
    let (mut all, mut lacking) = (0, Vec::new());
    for protocol in protocols() {
        all += protocol.selectors.len();
        let mut holes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for class in protocol.classes {
            for selector in missing(&mut image, class, &protocol.selectors) {
                holes.entry(selector).or_default().push(class);
            }
        }
        let texts =
            holes.into_iter().map(|(hole, classes)| format!("{}: {hole} ({})", protocol.name, classes.join(", ")));
        lacking.extend(texts);
    }
    println!("{} of {all}", all - lacking.len());
    lacking.iter().for_each(|hole| println!("missing {hole}"));
    assert!(all - lacking.len() >= GOAL, "{} of {all}; missing:\n{}", all - lacking.len(), lacking.join("\n"));
}

/// The table holds what the reference lists: whoever has it can see that nothing was left out.
#[test]
fn table_is_complete() {
    let Some(folder) = std::env::var_os("LAPIDARY_REFERENCE") else {
        println!("SKIPPED table_is_complete: LAPIDARY_REFERENCE names no folder with ansi-messages.json");
        return;
    };
    let path = std::path::Path::new(&folder).join("ansi-messages.json");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) => {
            println!("SKIPPED table_is_complete: {}: {error}", path.display());
            return;
        }
    };
    let reference: serde_json::Value = serde_json::from_str(&text).expect("the reference is JSON");
    let listed = reference["protocols"].as_object().expect("protocols by name");
    let ours = protocols();
    assert_eq!(ours.len(), listed.len());
    for protocol in ours {
        let messages = listed[protocol.name]["messages"].as_array().expect("a list of messages");
        let theirs: Vec<&str> = messages.iter().filter_map(|message| message["selector"].as_str()).collect();
        assert_eq!(protocol.selectors, theirs, "{}", protocol.name);
    }
}
