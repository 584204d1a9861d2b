//! The status that every kind reports: a pure fold of the outcomes of a reconcile.

mod outcome;

pub use outcome::{Failure, Outcome, Verdict, cause};

use crate::{Aspect, Aspects, Violation, sanitize::one_line};
use api::v1beta1::{ComponentStatus, Condition, OperatorStatus};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};

/// The type of the condition that is true while every workload has an available replica, possibly of an earlier spec.
pub(crate) const AVAILABLE: &str = "Available";

/// The reason of that condition while the operator keeps a workload without pods.
pub(crate) const STOPPED: &str = "Stopped";

/// Whether the workloads of an owner serve requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Serving {
    /// At least one has no available replica.
    #[default]
    Unavailable,
    /// The operator keeps at least one of them without pods; which, and why.
    Stopped(String),
    /// Each has an available replica, possibly of an earlier spec.
    Available,
}

/// The input of a status besides the verdict.
#[derive(Clone, Debug)]
pub struct StatusInput<'a> {
    /// The status before.
    pub previous: &'a ComponentStatus,
    /// The generation that was reconciled.
    pub generation: Option<i64>,
    /// The operator that reconciled it.
    pub operator: OperatorStatus,
    /// The current time.
    pub at: Timestamp,
    /// How many pods exist, if that is known.
    pub replicas: Option<i32>,
    /// Whether its workloads serve requests.
    pub serving: Serving,
    /// Which parts of the state have a condition of their own.
    pub aspects: &'static [Aspect],
    /// The verdict on each aspect; `None` if planning failed.
    pub found: Option<&'a Aspects>,
    /// Settings that work, but most likely not as the user intends.
    pub advice: &'a [Violation],
}

/// A status with the fields that only its kind has.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// The fields of every kind.
    #[serde(flatten)]
    pub common: ComponentStatus,
    /// The fields of this kind.
    #[serde(flatten)]
    pub details: serde_json::Map<String, serde_json::Value>,
}

/// How much two statuses differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// They are equal.
    Nothing,
    /// Only in messages and in the number of pods, which change often while children become ready.
    Details,
    /// In a field that programs wait for.
    Significant,
}

impl Difference {
    /// How much `after` differs from `before`.
    pub fn between(before: &Status, after: &Status) -> Self {
        // Fields that other programs wrote into the status do not count. Null is a field that is not to be there.
        let same_details = after
            .details
            .iter()
            .all(|(field, value)| before.details.get(field).unwrap_or(&serde_json::Value::Null) == value);
        if !same_details {
            return Self::Significant;
        }
        let (before, after) = (&before.common, &after.common);
        let significant = |status: &ComponentStatus| {
            let mut status = ComponentStatus { replicas: None, ..status.clone() };
            status.conditions.iter_mut().for_each(|condition| condition.message = None);
            status
        };
        if before == after {
            Self::Nothing
        } else if significant(before) == significant(after) {
            Self::Details
        } else {
            Self::Significant
        }
    }
}

/// The status after a reconcile.
///
/// Users wait for `Ready`. `Reconciling` and `Stalled` are conditions of kstatus. `InProgress` and `Failed` are for
/// scripts that were written for the old operator. The creation of other objects waits for `Available`.
/// `lastTransitionTime` changes only with `status`.
pub fn fold(input: &StatusInput<'_>, verdict: &Verdict) -> ComponentStatus {
    let (ready, progressing, stalled) = match verdict {
        Verdict::Ready => (true, false, false),
        Verdict::Progressing { .. } | Verdict::Interrupted => (false, true, false),
        Verdict::Stalled { .. } => (false, false, true),
    };
    let reported = |holds: bool| (verdict.reason(), verdict.message().filter(|_| holds));
    let advice = input.advice.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let advice = one_line(&advice);
    let advice = Some(advice.as_str()).filter(|advice| ready && !advice.is_empty());
    let wanted = [
        ("Ready", ready, (verdict.reason(), advice.or(verdict.message()))),
        ("Reconciling", progressing, reported(progressing)),
        ("Stalled", stalled, reported(stalled)),
        ("InProgress", progressing, reported(progressing)),
        ("Failed", stalled, reported(stalled)),
    ];
    let conditions = wanted.into_iter().map(|(kind, holds, (reason, message))| {
        input.condition(kind, if holds { "True" } else { "False" }, reason, message)
    });
    let available = match &input.serving {
        Serving::Unavailable if !ready => {
            let message = "not every workload has an available replica";
            input.condition(AVAILABLE, "False", "Unavailable", Some(message))
        }
        Serving::Stopped(why) if !ready => {
            input.condition(AVAILABLE, "False", STOPPED, Some(one_line(why).as_str()))
        }
        Serving::Unavailable | Serving::Stopped(_) | Serving::Available => {
            input.condition(AVAILABLE, "True", AVAILABLE, None)
        }
    };
    let aspects = input.aspects.iter().map(|aspect| {
        let (status, reason, message) = input.aspect(*aspect, verdict);
        input.condition(aspect.condition(), status, reason, message)
    });
    ComponentStatus {
        conditions: conditions.chain([available]).chain(aspects).collect(),
        observed_generation: input.generation,
        operator: Some(input.operator.clone()),
        replicas: input.replicas.or(input.previous.replicas),
    }
}

/// The reason of the conditions of an object whose reconciliation a user has paused.
pub const PAUSED: &str = "Paused";

/// The status while reconciliation is paused: the previous status with a `Paused` condition. If the object was never
/// reconciled, its `Ready` condition is `Unknown`.
pub fn paused(input: &StatusInput<'_>, message: &str) -> ComponentStatus {
    let mut status = input.previous.clone();
    // No generation: the operator has not reconciled any.
    let condition = |kind: &str, status: &str| Condition {
        observed_generation: None,
        ..input.condition(kind, status, PAUSED, Some(message))
    };
    let is_known = |c: &Condition| c.type_ == "Ready" && c.reason.as_deref() != Some(PAUSED);
    if !status.conditions.iter().any(is_known) {
        status.conditions.retain(|c| c.type_ != "Ready");
        status.conditions.push(condition("Ready", "Unknown"));
    }
    status.conditions.retain(|c| c.type_ != "Paused");
    status.conditions.push(condition("Paused", "True"));
    status.operator = Some(input.operator.clone());
    status
}

impl StatusInput<'_> {
    /// Status, reason and message of an aspect, given the overall `verdict`. An aspect that was not reconciled is
    /// `Unknown` and does not keep its previous status.
    fn aspect<'v>(
        &self,
        aspect: Aspect,
        verdict: &'v Verdict,
    ) -> (&'static str, &'static str, Option<&'v str>)
    where
        Self: 'v,
    {
        const EXTERNAL: &str = "External";
        let Some(found) = self.found else { return ("Unknown", verdict.reason(), verdict.message()) };
        match found.get(&aspect) {
            Some(Verdict::Ready) => ("True", Verdict::Ready.reason(), None),
            Some(Verdict::Interrupted) => {
                ("Unknown", "Blocked", Some("not tried: a dependency is not ready"))
            }
            Some(own @ (Verdict::Progressing { .. } | Verdict::Stalled { .. })) => {
                ("False", own.reason(), own.message())
            }
            // The operator does not manage it and knows that it works only when Harbor, which uses it, is ready.
            None if *verdict == Verdict::Ready => ("True", EXTERNAL, None),
            None => {
                ("Unknown", EXTERNAL, Some("not managed by the operator; known to work once Harbor is ready"))
            }
        }
    }

    pub(crate) fn condition(
        &self,
        kind: &str,
        status: &str,
        reason: &str,
        message: Option<&str>,
    ) -> Condition {
        let before = self.previous.conditions.iter().find(|condition| condition.type_ == kind);
        let since = before
            .filter(|before| before.status == status)
            .and_then(|before| before.last_transition_time.clone());
        Condition {
            type_: kind.into(),
            status: status.into(),
            reason: Some(reason.into()),
            message: message.map(Into::into),
            last_transition_time: Some(since.unwrap_or(Time(self.at))),
            observed_generation: self.generation,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
