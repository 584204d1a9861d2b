//! The status that every kind reports: a pure fold of the outcomes of a reconcile.

use crate::{Aspect, Aspects, Class, Classify, ObjectKey, Subject, Violation, sanitize::one_line};
use api::v1beta1::{ComponentStatus, Condition, OperatorStatus};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};

/// The outcome of reconciling one child, or of planning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The child is ready.
    Ready,
    /// The child is not ready yet.
    Waiting {
        /// Which child.
        object: ObjectKey,
        /// What it waits for.
        why: String,
    },
    /// The child is ready, and its upgrade waits for another child.
    Held {
        /// Which child.
        object: ObjectKey,
        /// What it is held as, and what its upgrade waits for.
        why: String,
    },
    /// The operator could not create, change or plan it.
    Failed(Failure),
    /// Not tried: a dependency is not ready.
    Blocked,
}

/// A failure, as the status reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its class.
    pub class: Class,
    /// One `PascalCase` word for programs.
    pub reason: &'static str,
    /// A sentence for users; names the object.
    pub message: String,
    /// What it is about, for programs.
    pub subject: Subject,
    /// Whether the failure stays until a user or a developer acts.
    pub stalls: bool,
}

impl<E: Classify> From<&E> for Failure {
    fn from(error: &E) -> Self {
        Self {
            class: error.class(),
            reason: error.reason(),
            message: one_line(error),
            subject: error.subject(),
            stalls: error.stalls(),
        }
    }
}

/// The overall result of a reconcile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All children are ready.
    Ready,
    /// Not ready yet; no action of a user is needed, or an object that the user creates is missing.
    Progressing {
        /// One `PascalCase` word for programs.
        reason: &'static str,
        /// A sentence for users.
        message: String,
    },
    /// Unknown: the operator is stopping. Its next process finds out.
    Interrupted,
    /// Not ready, and a user or a developer has to act.
    Stalled {
        /// One `PascalCase` word for programs.
        reason: &'static str,
        /// A sentence for users.
        message: String,
    },
}

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

impl Verdict {
    /// The reason when children are not ready yet and nothing failed.
    pub const WAITING: &'static str = "ChildrenNotReady";

    /// The worst of all outcomes, how many others are not ready either, and what is held back.
    pub fn of(outcomes: &[Outcome]) -> Self {
        let with_others = |first: &str, count: usize| {
            let held = held_back(outcomes);
            std::iter::once(with_others(first, count)).chain(held).collect::<Vec<_>>().join("; ")
        };
        if let Some(worst) = worst(outcomes) {
            let (reason, message) = (worst.reason, with_others(&worst.message, failures(outcomes).count()));
            return if worst.stalls {
                Self::Stalled { reason, message }
            } else {
                Self::Progressing { reason, message }
            };
        }
        let waiting = || {
            outcomes.iter().filter_map(|outcome| match outcome {
                Outcome::Waiting { object, why } => Some(format!("{object}: {why}")),
                _ => None,
            })
        };
        match (waiting().next(), held_back(outcomes)) {
            (Some(first), _) => {
                Self::Progressing { reason: Self::WAITING, message: with_others(&first, waiting().count()) }
            }
            (None, Some(message)) => Self::Progressing { reason: Self::WAITING, message },
            // Blocked although nothing failed or waits: the reconcile was interrupted.
            (None, None) if outcomes.contains(&Outcome::Blocked) => Self::Interrupted,
            (None, None) => Self::Ready,
        }
    }

    /// Whether children are not ready yet and nothing failed.
    pub fn is_waiting(&self) -> bool {
        matches!(self, Self::Progressing { reason, .. } if *reason == Self::WAITING)
    }

    /// Whether an object or a kind is missing that a user has to create or install.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Progressing { reason: "DependencyMissing" | "KindMissing", .. })
    }

    /// The sentence for users, if there is one.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Ready | Self::Interrupted => None,
            Self::Progressing { message, .. } | Self::Stalled { message, .. } => Some(message),
        }
    }

    /// The reason for programs.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Ready => "Ready",
            Self::Interrupted => "Interrupted",
            Self::Progressing { reason, .. } | Self::Stalled { reason, .. } => reason,
        }
    }
}

fn failures(outcomes: &[Outcome]) -> impl Iterator<Item = &Failure> {
    outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Failed(failure) => Some(failure),
        Outcome::Ready | Outcome::Waiting { .. } | Outcome::Held { .. } | Outcome::Blocked => None,
    })
}

/// The failure that the verdict reports.
fn worst(outcomes: &[Outcome]) -> Option<&Failure> {
    failures(outcomes).max_by_key(|failure| (failure.stalls, failure.class))
}

/// What the failure or the wait is about that the verdict reports.
pub fn cause(outcomes: &[Outcome]) -> Option<Subject> {
    let waiting = outcomes.iter().find_map(|outcome| match outcome {
        Outcome::Waiting { object, .. } | Outcome::Held { object, .. } => Some(Subject::of(object)),
        Outcome::Ready | Outcome::Failed(_) | Outcome::Blocked => None,
    });
    worst(outcomes).map(|failure| failure.subject.clone()).or(waiting)
}

fn with_others(first: &str, count: usize) -> String {
    let message = one_line(&first);
    match count.saturating_sub(1) {
        0 => message,
        others => format!("{message} (and {others} more)"),
    }
}

/// What is held back, and why: `Registry, Portal ns/a, Deployment ns/b: held at version 1 until …`.
fn held_back(outcomes: &[Outcome]) -> Option<String> {
    let mut by_reason: Vec<(&str, Vec<&ObjectKey>)> = Vec::new();
    for outcome in outcomes {
        let Outcome::Held { object, why } = outcome else { continue };
        match by_reason.iter_mut().find(|(reason, _)| reason == why) {
            Some((_, objects)) => objects.push(object),
            None => by_reason.push((why, vec![object])),
        }
    }
    let named = |objects: &[&ObjectKey]| {
        let kinds: Vec<_> = objects.iter().map(|key| key.kind.as_str()).collect();
        let name = objects.first().map(|key| format!(" {}/{}", key.namespace, key.name));
        kinds.join(", ") + &name.unwrap_or_default()
    };
    let reasons = by_reason.iter().map(|(why, objects)| {
        let alike = objects.chunk_by(|a, b| (&a.namespace, &a.name) == (&b.namespace, &b.name));
        format!("{}: {why}", alike.map(named).collect::<Vec<_>>().join(", "))
    });
    let message = reasons.collect::<Vec<_>>().join("; ");
    (!message.is_empty()).then(|| one_line(&message))
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
