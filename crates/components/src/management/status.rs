//! What statuses say about objects inside a Harbor, and the fields that scripts for the old operator read.

use api::v1beta1::Condition;
use harborstate::{Found, State};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use plan::{Conclusion, Verdict};
use serde_json::{Map, Value, json};

/// The objects of a collection that an owner has or has read, by name.
pub(crate) fn found<'a, S: State>(
    conclusion: &Conclusion<'a>,
) -> impl Iterator<Item = (&'a str, Found<S, S::Facts>)> {
    let of_collection = conclusion.external.iter().filter(|(key, _)| key.kind == S::COLLECTION);
    of_collection.filter_map(|(key, object)| {
        Some((key.name.as_str(), serde_json::from_value(object.data.clone()).ok()?))
    })
}

/// The fields that the old operator's kinds have.
pub(crate) struct Legacy;

impl Legacy {
    /// `status`, `reason`, `message` and `lastApplyTime`.
    pub fn fields(conclusion: &Conclusion<'_>) -> Map<String, Value> {
        let state = match conclusion.verdict {
            Verdict::Ready => "Success",
            Verdict::Stalled { .. } => "Fail",
            Verdict::Progressing { .. } | Verdict::Interrupted => "Unknown",
        };
        let is_ready = |condition: &&Condition| condition.type_ == "Ready";
        let ready = conclusion.status.conditions.iter().find(is_ready);
        let reason = ready.and_then(|ready| ready.reason.clone()).filter(|_| state != "Success");
        let message = ready.and_then(|ready| ready.message.clone()).filter(|_| state != "Success");
        // The API server stores whole seconds.
        let second = conclusion.written.and_then(|time| jiff::Timestamp::from_second(time.as_second()).ok());
        let written = second.map(|second| json!(Time(second)));
        let applied = written.or_else(|| conclusion.previous.get("lastApplyTime").cloned());
        let fields = [
            ("status", Some(json!(state))),
            ("reason", reason.map(Value::from)),
            ("message", message.map(Value::from)),
            ("lastApplyTime", applied),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}
