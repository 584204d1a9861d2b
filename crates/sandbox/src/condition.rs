//! Conditions in a status. Their transition time changes only with their status.

use jiff::Timestamp;
use serde_json::{Value, json};

/// One condition to write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition<'a> {
    pub kind: &'a str,
    pub status: &'a str,
    pub reason: &'a str,
    pub message: &'a str,
}

impl<'a> Condition<'a> {
    pub fn new(kind: &'a str, holds: bool, reason: &'a str, message: &'a str) -> Self {
        Self { kind, status: if holds { "True" } else { "False" }, reason, message }
    }

    /// The condition as JSON, with the transition time of `before` if the status has not changed.
    pub fn after(self, before: &Value, now: Timestamp) -> Value {
        let previous = find(before, self.kind).filter(|previous| previous["status"] == self.status);
        let since = previous.and_then(|previous| previous.get("lastTransitionTime").cloned());
        json!({
            "type": self.kind,
            "status": self.status,
            "reason": self.reason,
            "message": self.message,
            "lastTransitionTime": since.unwrap_or_else(|| written(now).into()),
        })
    }
}

/// The condition of this type in a list of conditions.
pub(crate) fn find<'v>(conditions: &'v Value, kind: &str) -> Option<&'v Value> {
    conditions.as_array()?.iter().find(|condition| condition["type"] == kind)
}

/// Whether the condition of this type is true.
pub(crate) fn holds(conditions: &Value, kind: &str) -> bool {
    find(conditions, kind).is_some_and(|condition| condition["status"] == "True")
}

/// A time in the format of Kubernetes, in whole seconds.
pub(crate) fn written(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The value with another field.
pub(crate) fn with(mut value: Value, field: &str, content: impl Into<Value>) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.insert(field.to_owned(), content.into());
    }
    value
}
