//! One collection of one system, or a part of it, as it was last listed.

use super::{Age, lock};
use crate::Entropy;
use kube::core::DynamicObject;
use plan::{Connection, ObjectKey, SystemError};
use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// How old a list may be that shows that an object does not exist, before the operator creates one.
const FRESH: Duration = Duration::from_secs(10);

/// After how long a list that failed is tried again, at first.
const FIRST_RETRY: Duration = Duration::from_secs(1);

/// The objects of a collection, by name.
pub(super) type Objects = BTreeMap<String, Arc<DynamicObject>>;

/// What one list asks a system for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Question {
    /// The collection.
    pub(super) collection: ObjectKey,
    /// The part of it; `None` for all of it.
    pub(super) part: Option<String>,
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.collection.kind)?;
        self.part.iter().try_for_each(|part| write!(f, " of {part}"))
    }
}

/// The answer to one question.
pub(super) struct Listing {
    /// Held while it is listed, so that all readers wait for the same request.
    pub(super) listed: tokio::sync::Mutex<Listed>,
    due: Mutex<Instant>,
    /// How many requests the last list took.
    requests: AtomicU64,
}

/// What a list was answered with.
pub(super) struct Listed {
    /// How the system was reached. Readers that reach it in another way get no answer of this one.
    pub(super) connection: Option<Connection>,
    pub(super) answer: Result<Objects, SystemError>,
    /// Failures in a row.
    pub(super) failures: u32,
    /// When the request was sent: the answer shows everything that happened before.
    at: Instant,
}

impl Listing {
    /// One that was not listed yet.
    pub(super) fn new() -> Self {
        let at = Instant::now();
        let listed = Listed { connection: None, answer: Ok(Objects::new()), failures: 0, at };
        Self { listed: tokio::sync::Mutex::new(listed), due: Mutex::new(at), requests: AtomicU64::new(1) }
    }

    /// When it is to be listed again.
    pub(super) fn due(&self) -> Instant {
        *lock(&self.due)
    }

    pub(super) fn set_due(&self, due: Instant) {
        *lock(&self.due) = due;
    }

    /// How many requests a list takes, as far as it is known.
    pub(super) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    pub(super) fn set_requests(&self, requests: u64) {
        self.requests.store(requests.max(1), Ordering::Relaxed);
    }

    /// Keeps an answer, and plans the next list: after the interval, or sooner after a failure.
    pub(super) fn keep(
        &self,
        listed: &mut Listed,
        connection: &Connection,
        (begun, answer): (Instant, Result<Objects, SystemError>),
        interval: Duration,
        entropy: &dyn Entropy,
    ) {
        let failures = if answer.is_ok() { 0 } else { listed.failures.saturating_add(1) };
        let wait = match failures {
            0 => interval,
            _ => FIRST_RETRY.saturating_mul(2_u32.saturating_pow(failures.min(16) - 1)).min(interval),
        };
        // Between 80 and 120 %: systems are not asked all at once.
        self.set_due(Instant::now() + wait * 4 / 5 + entropy.jitter(wait * 2 / 5));
        *listed = Listed { connection: Some(connection.clone()), answer, failures, at: begun };
    }

    /// Whether a reader with this connection can do with the last answer. It must be younger than the last request of a user
    /// to compare the reader.
    pub(super) fn serves(
        &self,
        listed: &Listed,
        connection: &Connection,
        age: Age,
        requested: Option<Instant>,
    ) -> bool {
        let young = match age {
            Age::AsListed => true,
            Age::Fresh => listed.answer.is_err() || listed.at.elapsed() <= FRESH,
        };
        let answers_request = requested.is_none_or(|requested| requested <= listed.at);
        young
            && answers_request
            && listed.connection.as_ref() == Some(connection)
            && Instant::now() < self.due()
    }
}
