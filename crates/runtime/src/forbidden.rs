//! Owners that wait for a permission, and how they learn that it was granted.
//!
//! Nothing tells when a permission comes back. An API server that starts refuses everything until it has loaded its roles,
//! and then all owners wait at once. So one of them tries every few seconds, each in its turn; as soon as one is no longer
//! refused, all others try, too.

use crate::{index::Concerned, shared::Shared};
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
pub(crate) struct Forbidden {
    /// Next is whose turn it is.
    owners: Mutex<VecDeque<ObjectKey>>,
    first: Notify,
}

impl Forbidden {
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
    pub(crate) fn permitted(&self, owner: &ObjectKey) -> Concerned {
        if self.forget(owner) { self.owners().drain(..).collect() } else { Concerned::default() }
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
pub(crate) async fn probe(shared: Arc<Shared>) {
    let turns = async {
        loop {
            shared.forbidden.first.notified().await;
            let mut pause = FIRST;
            loop {
                tokio::time::sleep(pause).await;
                let Some(owner) = shared.forbidden.next() else { break };
                shared.router.wake([owner].into());
                pause = (pause * 2).min(LONGEST);
            }
        }
    };
    shared.stop.run_until_cancelled(turns).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> ObjectKey {
        ObjectKey::new("goharbor.io", "Harbor", "registry", name)
    }

    fn waiting(names: &[&str]) -> Forbidden {
        let forbidden = Forbidden::default();
        for name in names {
            forbidden.refused(&owner(name));
        }
        forbidden
    }

    #[test]
    fn those_who_wait_try_in_turn() {
        let forbidden = waiting(&["a", "b", "a"]);
        let turns: Vec<_> = std::iter::repeat_with(|| forbidden.next()).take(3).flatten().collect();
        assert_eq!(turns, ["a", "b", "a"].map(owner));
        assert_eq!(Forbidden::default().next(), None);
    }

    #[test]
    fn who_is_permitted_again_has_all_others_try() {
        let forbidden = waiting(&["a", "b", "c"]);
        assert_eq!(forbidden.permitted(&owner("unconcerned")), Concerned::default());
        assert_eq!(forbidden.permitted(&owner("b")), [owner("a"), owner("c")].into());
        assert_eq!(forbidden.next(), None, "until they are refused again");
    }

    #[test]
    fn who_is_gone_has_no_turn() {
        let forbidden = waiting(&["a"]);
        assert!(forbidden.forget(&owner("a")));
        assert_eq!(forbidden.next(), None);
    }
}
