//! The status every kind reports: a pure fold of what a run found.

use crate::{Aspect, Aspects, Class, Classify, ObjectKey, Reached, Violation, told};
use api::v1beta1::{ComponentStatus, Condition, OperatorStatus};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use serde::{Deserialize, Serialize};

/// What became of one child, or of the attempt to plan any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is as it should be.
    Ready,
    /// It is on its way.
    Waiting {
        /// Which child.
        object: ObjectKey,
        /// What for.
        why: String,
    },
    /// It could not be brought about.
    Failed(Failure),
    /// Not tried: something before it is not ready.
    Blocked,
}

/// A failure, reduced to what a user is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// How it is answered.
    pub class: Class,
    /// One word for programs.
    pub reason: &'static str,
    /// A sentence for people; names the object.
    pub message: String,
    /// Whether it will not go away by waiting.
    pub stalls: bool,
}

impl<E: Classify> From<&E> for Failure {
    fn from(error: &E) -> Self {
        Self {
            class: error.class(),
            reason: error.reason(),
            message: told(&error.to_string(), LONGEST_MESSAGE),
            stalls: error.stalls(),
        }
    }
}

/// What a run comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything is as it should be.
    Ready,
    /// Not yet, and waiting may help.
    Progressing {
        /// One word for programs.
        reason: &'static str,
        /// A sentence for people.
        message: String,
    },
    /// Unknown: the operator is stopping. The next one will tell.
    Interrupted,
    /// Not, and waiting will not help.
    Stalled {
        /// One word for programs.
        reason: &'static str,
        /// A sentence for people.
        message: String,
    },
}

/// The condition that says whether what an object stands for serves, be it not all of it, or of an earlier spec.
pub(crate) const AVAILABLE: &str = "Available";

/// Longest condition message; what is longer is cut, the events tell the rest.
const LONGEST_MESSAGE: usize = 2048;

impl Verdict {
    /// The reason where all there is to say is that children are on their way.
    pub const WAITING: &'static str = "ChildrenNotReady";

    /// The worst of all outcomes, and how many others are not ready either.
    pub fn of(outcomes: &[Outcome]) -> Self {
        let failures = || {
            outcomes.iter().filter_map(|outcome| match outcome {
                Outcome::Failed(failure) => Some(failure),
                _ => None,
            })
        };
        let stalled = failures().filter(|failure| failure.stalls).max_by_key(|failure| failure.class);
        if let Some(worst) = stalled {
            return Self::Stalled {
                reason: worst.reason,
                message: with_others(&worst.message, failures().count()),
            };
        }
        if let Some(worst) = failures().max_by_key(|failure| failure.class) {
            let message = with_others(&worst.message, failures().count());
            return Self::Progressing { reason: worst.reason, message };
        }
        let waiting = || {
            outcomes.iter().filter_map(|outcome| match outcome {
                Outcome::Waiting { object, why } => Some(format!("{object}: {why}")),
                _ => None,
            })
        };
        match waiting().next() {
            Some(first) => {
                Self::Progressing { reason: Self::WAITING, message: with_others(&first, waiting().count()) }
            }
            // Blocked by nothing that failed or waits: the run was cut short.
            None if outcomes.contains(&Outcome::Blocked) => Self::Interrupted,
            None => Self::Ready,
        }
    }

    /// Whether all there is to say is that children are on their way.
    pub fn is_waiting(&self) -> bool {
        matches!(self, Self::Progressing { reason, .. } if *reason == Self::WAITING)
    }

    /// Whether something does not exist that a user has to bring.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Progressing { reason: "DependencyMissing" | "KindMissing", .. })
    }

    /// The sentence for people, where there is one.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Ready | Self::Interrupted => None,
            Self::Progressing { message, .. } | Self::Stalled { message, .. } => Some(message),
        }
    }

    /// The word a program would switch on.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Ready => "Ready",
            Self::Interrupted => "Interrupted",
            Self::Progressing { reason, .. } | Self::Stalled { reason, .. } => reason,
        }
    }
}

fn with_others(first: &str, count: usize) -> String {
    let message = told(first, LONGEST_MESSAGE);
    match count.saturating_sub(1) {
        0 => message,
        others => format!("{message} (and {others} more)"),
    }
}

/// What the status is about and who writes it.
#[derive(Clone, Debug)]
pub struct StatusInput<'a> {
    /// The status before.
    pub previous: &'a ComponentStatus,
    /// The generation looked at.
    pub generation: Option<i64>,
    /// Who looked.
    pub operator: OperatorStatus,
    /// When.
    pub at: Timestamp,
    /// How many pods exist, where that can be told.
    pub replicas: Option<i32>,
    /// How far what serves has come that it consists of.
    pub reached: Reached,
    /// Which parts of the state have a condition of their own.
    pub aspects: &'static [Aspect],
    /// How they are; `None` where no plan could be made.
    pub found: Option<&'a Aspects>,
    /// What may work, but most likely not as meant.
    pub advice: &'a [Violation],
}

/// A status with what only its kind tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// What every kind tells.
    #[serde(flatten)]
    pub common: ComponentStatus,
    /// What only this one does.
    #[serde(flatten)]
    pub details: serde_json::Map<String, serde_json::Value>,
}

/// How much two statuses differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Not at all.
    Nothing,
    /// In messages and in the number of pods: what changes all the time while children are on their way.
    Details,
    /// In what programs wait for.
    Substance,
}

impl Difference {
    /// How much `after` differs from `before`.
    pub fn between(before: &Status, after: &Status) -> Self {
        // What somebody else wrote into the status is none of our business.
        let told = after.details.iter().all(|(field, value)| before.details.get(field) == Some(value));
        if !told {
            return Self::Substance;
        }
        let (before, after) = (&before.common, &after.common);
        let substance = |status: &ComponentStatus| {
            let mut status = ComponentStatus { replicas: None, ..status.clone() };
            status.conditions.iter_mut().for_each(|condition| condition.message = None);
            status
        };
        if before == after {
            Self::Nothing
        } else if substance(before) == substance(after) {
            Self::Details
        } else {
            Self::Substance
        }
    }
}

/// The status after a run.
///
/// `Ready` is what users wait for, `Reconciling` and `Stalled` are kstatus, `InProgress` and `Failed` are what scripts
/// written for the old operator look at. `Available` is what other objects wait for before they are created.
/// `lastTransitionTime` moves only with `status`.
pub fn fold(input: &StatusInput<'_>, verdict: &Verdict) -> ComponentStatus {
    let (ready, progressing, stalled) = match verdict {
        Verdict::Ready => (true, false, false),
        Verdict::Progressing { .. } | Verdict::Interrupted => (false, true, false),
        Verdict::Stalled { .. } => (false, false, true),
    };
    let told = |holds: bool| (verdict.reason(), verdict.message().filter(|_| holds));
    let advice = input.advice.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let advice = crate::told(&advice, LONGEST_MESSAGE);
    let advice = Some(advice.as_str()).filter(|advice| ready && !advice.is_empty());
    let wanted = [
        ("Ready", ready, (verdict.reason(), advice.or(verdict.message()))),
        ("Reconciling", progressing, told(progressing)),
        ("Stalled", stalled, told(stalled)),
        ("InProgress", progressing, told(progressing)),
        ("Failed", stalled, told(stalled)),
    ];
    let conditions = wanted.into_iter().map(|(kind, holds, (reason, message))| {
        input.condition(kind, if holds { "True" } else { "False" }, reason, message)
    });
    let available = match (ready, input.reached) {
        (false, Reached::Nothing) => {
            let message = "not everything that serves has a replica that does";
            input.condition(AVAILABLE, "False", "Unavailable", Some(message))
        }
        _ => input.condition(AVAILABLE, "True", AVAILABLE, None),
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

/// The status while reconciliation is paused: everything as it was, and a condition that says so. Of an object that was
/// never looked at it is unknown whether it is ready.
pub fn paused(input: &StatusInput<'_>, message: &str) -> ComponentStatus {
    let mut status = input.previous.clone();
    // No generation: nobody has looked at any.
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
    /// Status, reason and message of an aspect, when all in all it came to `verdict`. Never what it was before: an
    /// aspect nobody could look at is unknown.
    fn aspect<'v>(
        &self,
        aspect: Aspect,
        verdict: &'v Verdict,
    ) -> (&'static str, &'static str, Option<&'v str>)
    where
        Self: 'v,
    {
        const ELSEWHERE: &str = "External";
        let Some(found) = self.found else { return ("Unknown", verdict.reason(), verdict.message()) };
        match found.get(&aspect) {
            Some(Verdict::Ready) => ("True", Verdict::Ready.reason(), None),
            Some(Verdict::Interrupted) => {
                ("Unknown", "Blocked", Some("not tried: something before it is not ready"))
            }
            Some(own @ (Verdict::Progressing { .. } | Verdict::Stalled { .. })) => {
                ("False", own.reason(), own.message())
            }
            // Run by somebody else, it is known to work when what uses it does.
            None if *verdict == Verdict::Ready => ("True", ELSEWHERE, None),
            None => ("Unknown", ELSEWHERE, Some("run by somebody else; known to work once Harbor is ready")),
        }
    }

    fn condition(&self, kind: &str, status: &str, reason: &str, message: Option<&str>) -> Condition {
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
mod tests;
