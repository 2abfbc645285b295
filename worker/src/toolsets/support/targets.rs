//! Targets: what a tool acts on, one or several in one call.
//!
//! One target is answered as if lists did not exist. For several, the answer says for each how it went; it is an error
//! only if none went well.

use crate::tool::text::cut;
use crate::tool::{Answer, Outcome, Refusal};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Value, json};
use std::borrow::Cow;

/// Most targets of one call.
const TARGETS_MAX: usize = 100;

/// Longest name of a target in an answer.
const LABEL_CHARACTERS_MAX: usize = 80;

/// Kinds of refusals after which no further target is tried.
const FINAL_KINDS: &[&str] = &["timeout", "interrupted", "outOfMemory", "stoneLost"];

/// One text, or a list of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(in crate::toolsets) enum Targets {
    /// One.
    One(String),
    /// Several; perhaps one only, but then as a list.
    Several(Vec<String>),
}

impl JsonSchema for Targets {
    fn schema_name() -> Cow<'static, str> {
        "Targets".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [
            {"type": "string"},
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": TARGETS_MAX},
        ]})
    }
}

impl Targets {
    /// Whether there may be more than one.
    pub(in crate::toolsets) fn are_several(&self) -> bool {
        matches!(self, Targets::Several(targets) if targets.len() > 1)
    }

    /// Acts on each.
    pub(in crate::toolsets) fn each(&self, mut act: impl FnMut(&str) -> Outcome) -> Outcome {
        match self {
            Targets::One(target) => act(target),
            Targets::Several(targets) => several(targets, act),
        }
    }
}

fn several(targets: &[String], mut act: impl FnMut(&str) -> Outcome) -> Outcome {
    let mut texts = Vec::new();
    let mut results = Vec::new();
    let mut first_refusal = None;
    let mut went_well = false;
    for target in targets {
        let outcome = act(target);
        let is_last = matches!(&outcome, Err(refusal) if FINAL_KINDS.contains(&refusal.kind));
        let target = &label(target);
        match outcome {
            Ok(Answer { text, structured, .. }) => {
                went_well = true;
                texts.push(format!("=== {target} ===\n{}", text.trim_end_matches('\n')));
                results.push(json!({"target": target, "answer": structured.unwrap_or(json!({ "text": text }))}));
            }
            Err(refusal) => {
                texts.push(format!("=== {target} ===\nERROR ({}) {}", refusal.kind, refusal.text));
                first_refusal.get_or_insert(refusal.kind);
                results.push(json!({"target": target, "error": refusal.data()}));
            }
        }
        if is_last {
            break;
        }
    }
    if results.len() < targets.len() {
        texts.push(format!("{} more were not tried.", targets.len() - results.len()));
    }
    finish(texts.join("\n"), results, first_refusal.filter(|_| !went_well))
}

/// A target may be a whole source: its first line stands for it.
fn label(target: &str) -> String {
    let line = target.lines().next().unwrap_or_default();
    cut(line, LABEL_CHARACTERS_MAX)
}

fn finish(text: String, results: Vec<Value>, refused: Option<&'static str>) -> Outcome {
    match refused {
        Some(kind) => Err(Refusal::new(kind, text).with("results", Value::Array(results))),
        None => Ok(Answer::text(text).with_data(json!({ "results": results }))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(target: &str) -> Outcome {
        match target {
            "bad" => Err(Refusal::new("notFound", "Not here")),
            "late" => Err(Refusal::new("timeout", "Too late")),
            _ => Ok(Answer::text(format!("{target}!\n"))),
        }
    }

    fn list(targets: &[&str]) -> Outcome {
        Targets::Several(targets.iter().map(|target| (*target).to_owned()).collect()).each(act)
    }

    #[test]
    fn each_target_gets_its_answer() {
        assert_eq!(Targets::One("a".to_owned()).each(act).expect("well").text, "a!\n");
        let answer = list(&["a", "bad"]).expect("one went well");
        assert_eq!(answer.text, "=== a ===\na!\n=== bad ===\nERROR (notFound) Not here");
        let results = &answer.structured.expect("data")["results"];
        assert_eq!(results[0], json!({"target": "a", "answer": {"text": "a!\n"}}));
        assert_eq!(results[1]["error"], json!({"kind": "notFound", "message": "Not here"}));
    }

    #[test]
    fn it_is_an_error_if_none_went_well() {
        assert_eq!(list(&["bad", "bad"]).expect_err("none").kind, "notFound");
        let refusal = list(&["late", "a"]).expect_err("none");
        assert_eq!((refusal.kind, refusal.text.lines().last()), ("timeout", Some("1 more were not tried.")));
    }
}
