//! What statuses say about objects inside a Harbor, and the fields that scripts for the old operator read.

use api::v1beta1::Condition;
use harborstate::{Found, State};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use plan::{Conclusion, Origin, Subject, Verdict};
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

/// A field of the status. While the Harbor does not answer, what was known of it stays.
pub(crate) fn field(name: &str, value: Option<Value>, conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let known = value.or_else(|| conclusion.previous.get(name).cloned());
    known.map(|value| (name.to_owned(), value)).into_iter().collect()
}

/// The fields that every such kind has, and one with the number that Harbor gave to the object.
pub(crate) fn fields_with_id<S: State>(
    name: &str,
    id: fn(S::Facts) -> Value,
    conclusion: &Conclusion<'_>,
) -> Map<String, Value> {
    let number = found::<S>(conclusion).next().map(|(_, found)| id(found.facts));
    let mut fields = managed_fields::<S>(conclusion);
    fields.extend(field(name, number, conclusion));
    fields
}

/// The fields that every such kind has: `created`, whether the operator created all objects of a collection that an owner has,
/// and `resolvedHarbor`, the Harbor that the owner is bound to.
pub(crate) fn managed_fields<S: State>(conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let claims = conclusion.record.iter().filter(|(key, _)| key.kind == S::COLLECTION);
    let created = claims.map(|(_, claim)| claim.origin == Origin::Created).reduce(|a, b| a && b);
    let harbor = conclusion.record.systems().next().map(|(system, uid)| {
        let kind = if system.namespace.is_empty() { "HarborServerConfiguration" } else { "Harbor" };
        json!({"kind": kind, "name": system.name, "uid": uid})
    });
    let mut fields = field("created", created.map(Value::from), conclusion);
    fields.extend(field("resolvedHarbor", harbor, conclusion));
    fields
}

/// The fields that the old operator's kinds have.
pub(crate) struct Legacy;

impl Legacy {
    /// `status`, `reason`, `message` and `lastApplyTime`. The reason is the word that the old operator had for this cause.
    pub fn fields(
        conclusion: &Conclusion<'_>,
        word: impl FnOnce(&Subject) -> &'static str,
    ) -> Map<String, Value> {
        let state = match conclusion.verdict {
            Verdict::Ready => "Success",
            Verdict::Stalled { .. } => "Fail",
            Verdict::Progressing { .. } | Verdict::Interrupted => "Unknown",
        };
        let is_ready = |condition: &&Condition| condition.type_ == "Ready";
        let ready = conclusion.status.conditions.iter().find(is_ready);
        let reason = conclusion.cause.map(word).filter(|_| state != "Success");
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
