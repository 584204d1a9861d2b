//! A scenario: requests to a server, step by step.

use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// One subject, and the requests that show it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Scenario {
    /// What it shows, for readers of the file.
    #[serde(rename = "about")]
    _about: String,
    /// The first Kubernetes version that supports it.
    pub since: Option<Version>,
    pub steps: Vec<Step>,
    /// The text of the file.
    #[serde(skip)]
    pub text: String,
}

/// One request, one watch, or the events of a watch.
#[derive(Debug, Deserialize)]
#[allow(
    clippy::struct_excessive_bools,
    clippy::struct_field_names,
    reason = "as a person writes it in the file"
)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Step {
    /// Its name, unique in its scenario: transcripts and later steps refer to it.
    pub step: String,
    /// The first Kubernetes version that supports it.
    pub since: Option<Version>,
    /// A method and a path.
    pub request: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body, as JSON.
    pub body: Option<Value>,
    /// The body, as text.
    pub raw: Option<String>,
    /// The format of a PATCH.
    pub patch: Option<Patch>,
    /// Repeats the request until the answer meets this condition.
    pub until: Option<Condition>,
    /// The only parts of the answer to compare, as JSON pointers.
    pub show: Option<Vec<String>>,
    /// The only elements to compare of some lists of the answer.
    #[serde(default)]
    pub only: Vec<Only>,
    /// Whether to compare `metadata.managedFields`.
    #[serde(default)]
    pub managed_fields: bool,
    /// The request is a watch that stays open.
    #[serde(default)]
    pub watch: bool,
    /// Whether to record the bookmarks of a watch.
    #[serde(default)]
    pub bookmarks: bool,
    /// The step whose watch to read.
    pub collect: Option<String>,
    /// How many events to wait for.
    #[serde(default)]
    pub events: usize,
    /// Whether the events may come in any order.
    #[serde(default)]
    pub unordered: bool,
    /// Whether the watch must end after them.
    #[serde(default)]
    pub end: bool,
}

/// The formats of patches, as short names.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Patch {
    Json,
    Merge,
    Strategic,
    Apply,
}

/// A condition for an answer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    pub status: Option<u16>,
    /// What the body must contain; a list must have at least these elements.
    pub has: Option<Value>,
}

/// The elements of a list to compare: the server may serve more than the scenario uses.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Only {
    /// The list, as a JSON pointer.
    pub list: String,
    /// The key of an element, as a JSON pointer; elements are sorted by it.
    pub by: String,
    pub of: Vec<String>,
}

/// A Kubernetes version of the form `1.25`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Version(pub u32, pub u32);

impl TryFrom<String> for Version {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (major, minor) = text.split_once('.').ok_or_else(|| format!("{text} is no version"))?;
        let number = |digits: &str| digits.parse().map_err(|_| format!("{text} is no version"));
        Ok(Self(number(major)?, number(minor)?))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

impl Scenario {
    /// Parses the file of a scenario.
    pub fn parse(name: &str, text: String) -> Self {
        let mut scenario: Self =
            serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("scenario {name}: {error}"));
        let mut seen = BTreeSet::new();
        for step in &scenario.steps {
            assert!(seen.insert(&step.step), "scenario {name}: two steps are called {}", step.step);
            assert!(
                step.request.is_some() != step.collect.is_some(),
                "scenario {name}, step {}: either request or collect",
                step.step
            );
        }
        scenario.text = text;
        scenario
    }
}

impl Patch {
    /// Its media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json-patch+json",
            Self::Merge => "application/merge-patch+json",
            Self::Strategic => "application/strategic-merge-patch+json",
            Self::Apply => "application/apply-patch+yaml",
        }
    }
}

impl Condition {
    /// Whether an answer meets the condition.
    pub fn holds(&self, status: u16, body: &Value) -> bool {
        self.status.is_none_or(|wanted| wanted == status)
            && self.has.as_ref().is_none_or(|wanted| contains(body, wanted))
    }
}

fn contains(actual: &Value, wanted: &Value) -> bool {
    match (actual, wanted) {
        (Value::Object(actual), Value::Object(wanted)) => wanted
            .iter()
            .all(|(key, value)| actual.get(key).map_or(value.is_null(), |actual| contains(actual, value))),
        (Value::Array(actual), Value::Array(wanted)) => {
            wanted.iter().all(|value| actual.iter().any(|actual| contains(actual, value)))
        }
        _ => actual == wanted,
    }
}
