//! What became of each child, and the verdict on all of them.

use crate::{Class, Classify, ObjectKey, Subject, sanitize::one_line};

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
