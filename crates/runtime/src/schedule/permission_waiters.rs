//! Owners that wait for a permission.
//!
//! No event reports that a permission was granted. An API server that starts refuses all requests until it has loaded
//! its roles, and then all owners wait. So the operator reconciles one of them every few seconds, in turn. As soon as
//! one is no longer refused, it reconciles all others.

use crate::cluster::{AffectedOwners, Cluster};
use plan::ObjectKey;
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::Notify;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(15);

/// The owners that wait.
#[derive(Debug, Default)]
pub(crate) struct PermissionWaiters {
    /// The first is the next to retry.
    owners: Mutex<VecDeque<ObjectKey>>,
    first: Notify,
}

impl PermissionWaiters {
    /// The API server refused a request of an owner.
    pub(crate) fn refused(&self, owner: &ObjectKey) {
        let mut owners = self.owners();
        if !owners.contains(owner) {
            owners.push_back(owner.clone());
            if owners.len() == 1 {
                self.first.notify_one();
            }
        }
    }

    /// The API server refused no request of an owner. If the owner waited before, returns all other owners that wait.
    pub(crate) fn permitted(&self, owner: &ObjectKey) -> AffectedOwners {
        if self.forget(owner) { self.owners().drain(..).collect() } else { AffectedOwners::default() }
    }

    /// Removes an owner and returns whether it waited.
    pub(crate) fn forget(&self, owner: &ObjectKey) -> bool {
        let mut owners = self.owners();
        let before = owners.len();
        owners.retain(|waiting| waiting != owner);
        owners.len() < before
    }

    /// The next owner to retry, which then becomes the last.
    fn next(&self) -> Option<ObjectKey> {
        let mut owners = self.owners();
        let next = owners.pop_front()?;
        owners.push_back(next.clone());
        Some(next)
    }

    fn owners(&self) -> MutexGuard<'_, VecDeque<ObjectKey>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Enqueues the waiting owners one after the other, with increasing pauses, until the operator stops.
pub(crate) async fn probe(cluster: Arc<Cluster>, waiters: Arc<PermissionWaiters>) {
    let turns = async {
        loop {
            waiters.first.notified().await;
            let mut pause = FIRST;
            loop {
                tokio::time::sleep(pause).await;
                let Some(owner) = waiters.next() else { break };
                cluster.router.wake([owner].into());
                pause = (pause * 2).min(LONGEST);
            }
        }
    };
    cluster.stop.run_until_cancelled(turns).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> ObjectKey {
        ObjectKey::new("goharbor.io", "Harbor", "registry", name)
    }

    fn waiting(names: &[&str]) -> PermissionWaiters {
        let waiters = PermissionWaiters::default();
        for name in names {
            waiters.refused(&owner(name));
        }
        waiters
    }

    #[test]
    fn waiting_owners_retry_in_turn() {
        let waiters = waiting(&["a", "b", "a"]);
        let turns: Vec<_> = std::iter::repeat_with(|| waiters.next()).take(3).flatten().collect();
        assert_eq!(turns, ["a", "b", "a"].map(owner));
        assert_eq!(PermissionWaiters::default().next(), None);
    }

    #[test]
    fn an_owner_that_is_permitted_again_wakes_all_others() {
        let waiters = waiting(&["a", "b", "c"]);
        assert_eq!(waiters.permitted(&owner("not-waiting")), AffectedOwners::default());
        assert_eq!(waiters.permitted(&owner("b")), [owner("a"), owner("c")].into());
        assert_eq!(waiters.next(), None, "until they are refused again");
    }

    #[test]
    fn a_forgotten_owner_does_not_retry() {
        let waiters = waiting(&["a"]);
        assert!(waiters.forget(&owner("a")));
        assert_eq!(waiters.next(), None);
    }
}
