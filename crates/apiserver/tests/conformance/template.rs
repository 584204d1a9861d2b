//! Placeholders of a scenario: `{ns}`, `{step:/json/pointer}` of an earlier answer, and `{x*1000}` for something long.

use regex::{Captures, Regex};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{(?:(ns)|([\w -]+):(/[^}]*)|(.)\*(\d+))\}").unwrap());

/// The values of placeholders so far.
pub struct Known {
    pub namespace: String,
    /// The body of every answer, by step.
    pub answers: BTreeMap<String, Value>,
}

impl Known {
    /// `text` with the placeholders replaced.
    pub fn fill(&self, text: &str) -> String {
        PLACEHOLDER
            .replace_all(text, |found: &Captures<'_>| {
                if found.get(1).is_some() {
                    self.namespace.clone()
                } else if let (Some(step), Some(pointer)) = (found.get(2), found.get(3)) {
                    self.look_up(step.as_str(), pointer.as_str())
                } else {
                    found[4].repeat(found[5].parse().unwrap())
                }
            })
            .into_owned()
    }

    fn look_up(&self, step: &str, pointer: &str) -> String {
        let answer = self.answers.get(step).unwrap_or_else(|| panic!("no earlier step is called {step}"));
        match answer.pointer(pointer) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => panic!("the answer to {step} has no {pointer}: {answer:#}"),
        }
    }
}
