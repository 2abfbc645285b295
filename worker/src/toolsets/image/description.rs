//! What a toolset of the image says of itself, as the JSON that its class answers.

use serde::Deserialize;
use serde_json::Value;

/// What a toolset says of itself.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Description {
    pub(super) tools: Vec<ToolDescription>,
    pub(super) safe: Vec<String>,
    #[serde(rename = "offers")]
    pub(super) features: Vec<FeatureDescription>,
    pub(super) icon: Option<String>,
    pub(super) group: Option<String>,
    pub(super) instructions: Option<String>,
    pub(super) is_advertised: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolDescription {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: String,
    pub(super) input_schema: Value,
    pub(super) output_schema: Option<Value>,
    pub(super) hints: HintsDescription,
    pub(super) keywords: Vec<String>,
    pub(super) icon: Option<String>,
    pub(super) group: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HintsDescription {
    pub(super) read_only: bool,
    pub(super) destructive: bool,
    pub(super) idempotent: bool,
    pub(super) open_world: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FeatureDescription {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) uri: Option<String>,
    pub(super) description: String,
    pub(super) mime_type: Option<String>,
    pub(super) arguments: Vec<ArgumentDescription>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ArgumentDescription {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) required: bool,
}
