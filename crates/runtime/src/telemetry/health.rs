//! Whether the operator is well, for whoever decides to restart it or to wait for it.

use plan::ObjectKey;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HealthError {
    /// No watch has been opened yet.
    #[error("the operator has not started yet")]
    NotStarted,
    /// Not everything that exists is known yet.
    #[error("not listed yet: {}", .0.join(", "))]
    NotListed(Vec<String>),
    /// A reconcile neither ends nor is given up: the thread it is on hangs.
    #[error("the reconcile of {0} hangs")]
    Stuck(ObjectKey),
}

/// What is known of the health of an operator. It is told by the operator and asked by a probe.
#[derive(Debug, Default)]
pub struct Health(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Kinds, and whether they have been listed.
    watches: Vec<(String, CancellationToken)>,
    /// Reconciles under way: of what, and by when they must have ended.
    reconciles: BTreeMap<u64, (ObjectKey, Instant)>,
    count: u64,
}

impl Health {
    /// Whether everything that exists has been seen once, so that the operator can begin, or stand by to do so.
    ///
    /// A kind the cluster does not serve has no objects. One that may not be listed keeps the operator from ever being
    /// ready: it would be blind.
    pub fn ready(&self) -> Result<(), HealthError> {
        let state = self.state();
        if state.watches.is_empty() {
            return Err(HealthError::NotStarted);
        }
        let mut missing: Vec<_> = state
            .watches
            .iter()
            .filter(|(_, listed)| !listed.is_cancelled())
            .map(|(kind, _)| kind.clone())
            .collect();
        missing.dedup();
        if missing.is_empty() { Ok(()) } else { Err(HealthError::NotListed(missing)) }
    }

    /// Whether every reconcile ends in time. Who asks and is answered knows that the process does answer.
    pub fn alive(&self) -> Result<(), HealthError> {
        let now = Instant::now();
        let state = self.state();
        let hangs = state.reconciles.values().find(|(_, end)| *end < now);
        hangs.map_or(Ok(()), |(key, _)| Err(HealthError::Stuck(key.clone())))
    }

    /// A kind is about to be listed.
    pub(crate) fn first_list(&self, kind: &str) -> FirstList {
        let first = FirstList { settled: CancellationToken::new(), listed: CancellationToken::new() };
        self.state().watches.push((kind.to_owned(), first.listed.clone()));
        first
    }

    /// A reconcile begins, and ends when what is answered is dropped, which should be well before this time has passed.
    pub(crate) fn begin(&self, key: &ObjectKey, most: Duration) -> Underway<'_> {
        let mut state = self.state();
        state.count += 1;
        let number = state.count;
        state.reconciles.insert(number, (key.clone(), Instant::now() + most));
        Underway { health: self, number }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first list of a kind.
#[derive(Clone, Debug)]
pub(crate) struct FirstList {
    settled: CancellationToken,
    listed: CancellationToken,
}

impl FirstList {
    /// It ended: what there is is known.
    pub(crate) fn ended(&self) {
        self.listed.cancel();
        self.settled.cancel();
    }

    /// It failed, and will be tried again. An optional kind must not keep the rest from starting.
    pub(crate) fn failed(&self) {
        self.settled.cancel();
    }

    /// Whether it did.
    pub(crate) fn has_ended(&self) -> bool {
        self.listed.is_cancelled()
    }

    /// Hears of the first of both.
    pub(crate) fn settled(&self) -> CancellationToken {
        self.settled.clone()
    }
}

/// A reconcile under way.
#[derive(Debug)]
pub(crate) struct Underway<'a> {
    health: &'a Health,
    number: u64,
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        self.health.state().reconciles.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::Secret;

    #[test]
    fn ready_is_who_has_listed_everything_once() {
        let health = Health::default();
        assert_eq!(health.ready(), Err(HealthError::NotStarted));
        let (secrets, cores) = (health.first_list("Secret"), health.first_list("Core"));
        secrets.ended();
        assert_eq!(health.ready(), Err(HealthError::NotListed(vec!["Core".into()])));
        cores.failed();
        assert!(cores.settled().is_cancelled(), "the others need not wait");
        assert_eq!(health.ready().unwrap_err().to_string(), "not listed yet: Core");
        cores.ended();
        assert_eq!(health.ready(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_reconcile_that_neither_ends_nor_is_given_up_is_told() {
        let health = Health::default();
        let key = ObjectKey::of::<Secret>("ns", "a");
        let minute = Duration::from_mins(1);
        let look = health.begin(&key, minute);
        tokio::time::advance(minute).await;
        assert_eq!(health.alive(), Ok(()));
        tokio::time::advance(minute).await;
        assert_eq!(health.alive().unwrap_err().to_string(), "the reconcile of Secret ns/a hangs");
        drop(look);
        assert_eq!(health.alive(), Ok(()));
    }
}
