//! How an execution stands, in the status.

use crate::management;
use harborstate::{
    State as _,
    execution::{Execution, Facts, Progress},
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use plan::Conclusion;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

/// The fields that only tasks have. What is known of an execution stays when Harbor is not asked any more.
pub(super) fn fields(conclusion: &Conclusion<'_>) -> Map<String, Value> {
    let mut executions = conclusion.external.iter().filter(|(key, _)| key.kind == Execution::COLLECTION);
    let Some(facts) = executions.next().and_then(|(_, found)| Facts::deserialize(&found.data).ok()) else {
        return conclusion.previous.clone();
    };
    let has_ended = facts.progress != Progress::Running;
    // A scan does not say when it ended.
    let now =
        || conclusion.status.conditions.iter().filter_map(|it| it.last_transition_time.clone()).next_back();
    let ended = if has_ended { facts.ended.and_then(time).or_else(now) } else { None };
    let fields = [
        ("executionID", Some(json!(facts.id))),
        ("state", Some(json!(facts.status))),
        ("startTime", facts.started.and_then(time).map(|time| json!(time))),
        ("endTime", ended.map(|time| json!(time))),
        ("result", Some(json!(facts.result)).filter(|_| !facts.result.is_empty())),
    ];
    let known = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    management::managed_fields::<Execution>(conclusion).into_iter().chain(known).collect()
}

/// Whether a final state of an execution is a success. The words differ between jobs.
pub(super) fn is_success(state: &str) -> bool {
    matches!(state, "Success" | "Succeed")
}

fn time(second: i64) -> Option<Time> {
    jiff::Timestamp::from_second(second).ok().map(Time)
}
