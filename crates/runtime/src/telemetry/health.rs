//! The health of the operator, for liveness and readiness probes.

use plan::ObjectKey;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Why the operator is not healthy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HealthError {
    /// No watch has been opened yet.
    #[error("the operator has not started yet")]
    NotStarted,
    /// These other things that the operator needs are not there yet.
    #[error("not there yet: {}", .0.join(", "))]
    NotThere(Vec<String>),
    /// These kinds have not been listed yet.
    #[error("not listed yet: {}", .0.join(", "))]
    NotListed(Vec<String>),
    /// A reconcile neither ends nor reaches its deadline: its thread hangs.
    #[error("the reconcile of {0} hangs")]
    Stuck(ObjectKey),
}

/// The health of an operator. The operator updates it, and probes read it.
#[derive(Debug, Default)]
pub struct Health(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Kinds, with tokens that are cancelled when they have been listed.
    watches: Vec<(String, CancellationToken)>,
    /// What else is needed, with tokens that are cancelled when it is there.
    needs: Vec<(String, CancellationToken)>,
    /// Running reconciles, with their object and the time by which they must have ended.
    reconciles: BTreeMap<u64, (ObjectKey, Instant)>,
    count: u64,
}

impl Health {
    /// Whether all kinds have been listed once, so that the operator can reconcile or stand by, and everything is there that
    /// it [needs](Self::needs).
    ///
    /// A kind that the API server does not serve counts as listed. If the operator may not list a kind, it never
    /// becomes ready.
    pub fn ready(&self) -> Result<(), HealthError> {
        let state = self.state();
        let missing = missing(&state.needs);
        if !missing.is_empty() {
            return Err(HealthError::NotThere(missing));
        }
        if state.watches.is_empty() {
            return Err(HealthError::NotStarted);
        }
        let missing = self::missing(&state.watches);
        if missing.is_empty() { Ok(()) } else { Err(HealthError::NotListed(missing)) }
    }

    /// Makes readiness wait for something. Cancel the token once it is there.
    pub fn needs(&self, what: &str) -> CancellationToken {
        let token = CancellationToken::new();
        self.state().needs.push((what.to_owned(), token.clone()));
        token
    }

    /// Whether every reconcile ends in time.
    pub fn alive(&self) -> Result<(), HealthError> {
        let now = Instant::now();
        let state = self.state();
        let hangs = state.reconciles.values().find(|(_, end)| *end < now);
        hangs.map_or(Ok(()), |(key, _)| Err(HealthError::Stuck(key.clone())))
    }

    /// Registers a kind before its first list.
    pub(crate) fn first_list(&self, kind: &str) -> FirstList {
        let first = FirstList { settled: CancellationToken::new(), listed: CancellationToken::new() };
        self.state().watches.push((kind.to_owned(), first.listed.clone()));
        first
    }

    /// Registers a reconcile, which ends when the guard is dropped. It hangs if it takes longer than `most`.
    pub(crate) fn begin(&self, key: &ObjectKey, most: Duration) -> ReconcileGuard<'_> {
        let mut state = self.state();
        state.count += 1;
        let number = state.count;
        state.reconciles.insert(number, (key.clone(), Instant::now() + most));
        ReconcileGuard { health: self, number }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The names of tokens that are not cancelled.
fn missing(tokens: &[(String, CancellationToken)]) -> Vec<String> {
    let open = tokens.iter().filter(|(_, token)| !token.is_cancelled());
    let mut names: Vec<_> = open.map(|(name, _)| name.clone()).collect();
    names.dedup();
    names
}

/// The first list of a kind.
#[derive(Clone, Debug)]
pub(crate) struct FirstList {
    settled: CancellationToken,
    listed: CancellationToken,
}

impl FirstList {
    /// The list is complete.
    pub(crate) fn ended(&self) {
        self.listed.cancel();
        self.settled.cancel();
    }

    /// The list failed, and the watch retries it. An optional kind must not delay the rest.
    pub(crate) fn failed(&self) {
        self.settled.cancel();
    }

    /// Whether the list is complete.
    pub(crate) fn has_ended(&self) -> bool {
        self.listed.is_cancelled()
    }

    /// A token that is cancelled when the list is complete or has failed.
    pub(crate) fn settled(&self) -> CancellationToken {
        self.settled.clone()
    }
}

/// A running reconcile.
#[derive(Debug)]
pub(crate) struct ReconcileGuard<'a> {
    health: &'a Health,
    number: u64,
}

impl Drop for ReconcileGuard<'_> {
    fn drop(&mut self) {
        self.health.state().reconciles.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::Secret;

    #[test]
    fn the_operator_is_ready_when_all_kinds_have_been_listed() {
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

    #[test]
    fn the_operator_is_ready_when_what_else_it_needs_is_there() {
        let health = Health::default();
        let certificate = health.needs("the certificate");
        health.first_list("Core").ended();
        assert_eq!(health.ready().unwrap_err().to_string(), "not there yet: the certificate");
        assert_eq!(health.alive(), Ok(()), "that is no reason to restart it");
        certificate.cancel();
        assert_eq!(health.ready(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_reconcile_that_hangs_is_reported() {
        let health = Health::default();
        let key = ObjectKey::of::<Secret>("ns", "a");
        let minute = Duration::from_mins(1);
        let guard = health.begin(&key, minute);
        tokio::time::advance(minute).await;
        assert_eq!(health.alive(), Ok(()));
        tokio::time::advance(minute).await;
        assert_eq!(health.alive().unwrap_err().to_string(), "the reconcile of Secret ns/a hangs");
        drop(guard);
        assert_eq!(health.alive(), Ok(()));
    }
}
