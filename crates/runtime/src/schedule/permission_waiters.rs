//! Owners that wait for a permission, and how they learn that it was granted.
//!
//! Nothing tells when a permission comes back. An API server that starts refuses everything until it has loaded its roles,
//! and then all owners wait at once. So one of them tries every few seconds, each in its turn; as soon as one is no longer
//! refused, all others try, too.

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
    /// Next is whose turn it is.
    owners: Mutex<VecDeque<ObjectKey>>,
    first: Notify,
}

impl PermissionWaiters {
    /// An owner was refused something.
    pub(crate) fn refused(&self, owner: &ObjectKey) {
        let mut owners = self.owners();
        if !owners.contains(owner) {
            owners.push_back(owner.clone());
            if owners.len() == 1 {
                self.first.notify_one();
            }
        }
    }

    /// An owner was refused nothing. If it was before, answers who else was.
    pub(crate) fn permitted(&self, owner: &ObjectKey) -> AffectedOwners {
        if self.forget(owner) { self.owners().drain(..).collect() } else { AffectedOwners::default() }
    }

    /// An owner is gone, or waits no longer; answers whether it did.
    pub(crate) fn forget(&self, owner: &ObjectKey) -> bool {
        let mut owners = self.owners();
        let before = owners.len();
        owners.retain(|waiting| waiting != owner);
        owners.len() < before
    }

    /// Whose turn it is, who then comes last.
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

/// Has one owner after the other try again while any waits, ever more rarely, until the operator stops.
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
    fn those_who_wait_try_in_turn() {
        let waiters = waiting(&["a", "b", "a"]);
        let turns: Vec<_> = std::iter::repeat_with(|| waiters.next()).take(3).flatten().collect();
        assert_eq!(turns, ["a", "b", "a"].map(owner));
        assert_eq!(PermissionWaiters::default().next(), None);
    }

    #[test]
    fn who_is_permitted_again_has_all_others_try() {
        let waiters = waiting(&["a", "b", "c"]);
        assert_eq!(waiters.permitted(&owner("unconcerned")), AffectedOwners::default());
        assert_eq!(waiters.permitted(&owner("b")), [owner("a"), owner("c")].into());
        assert_eq!(waiters.next(), None, "until they are refused again");
    }

    #[test]
    fn who_is_gone_has_no_turn() {
        let waiters = waiting(&["a"]);
        assert!(waiters.forget(&owner("a")));
        assert_eq!(waiters.next(), None);
    }
}
