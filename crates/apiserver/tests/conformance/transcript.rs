//! The answers of a server to a scenario.

use crate::scenario::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The answers to all steps, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Transcript(pub Vec<Entry>);

/// The answer to one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    pub step: String,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Those that clients depend on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Vec<String>>,
    /// Text, if it is not JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<Value>,
    /// Whether a watch ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<bool>,
}

impl Entry {
    /// A step that this server does not support.
    pub fn skipped(step: &str, since: Version) -> Self {
        Self { step: step.to_owned(), skipped: Some(format!("needs Kubernetes {since}")), ..Self::default() }
    }
}

impl Transcript {
    /// As a file.
    pub fn to_yaml(&self) -> String {
        let options = serde_saphyr::ser_options! { folded_wrap_chars: 100_000 };
        serde_saphyr::to_string_with_options(self, options).unwrap()
    }

    /// From a file.
    pub fn from_yaml(text: &str) -> Self {
        serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("a transcript: {error}"))
    }
}
