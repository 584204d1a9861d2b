//! What the engine reports while it reconciles.

use plan::{Failure, ObjectKey, Verdict};
use serde_json::Value;
use std::sync::Arc;

/// Receives the progress of reconciles, in order for each owner.
///
/// Reconciles call it, so it must neither block nor panic. It may receive the same progress again.
pub trait Observer: Send + Sync {
    /// Receives a step of progress.
    fn observe(&self, progress: Progress);

    /// Receives the stored object before its reconcile.
    fn see(&self, _owner: &ObjectKey, _object: &dyn Fn() -> Value) {}
}

/// Calls several observers, one after the other.
impl Observer for Vec<Arc<dyn Observer>> {
    fn observe(&self, progress: Progress) {
        for observer in self {
            observer.observe(progress.clone());
        }
    }

    fn see(&self, owner: &ObjectKey, object: &dyn Fn() -> Value) {
        for observer in self {
            observer.see(owner, object);
        }
    }
}

/// A step in the reconcile of an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The owner.
    pub owner: ObjectKey,
    /// The stage that it has reached.
    pub stage: Stage,
}

/// A stage of the reconcile of an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Planning is complete, with these children in topological order.
    Planned(Vec<Planned>),
    /// The state of a child changed.
    Child {
        /// Which child.
        object: ObjectKey,
        /// Its state.
        state: State,
    },
    /// The reconcile ended. If planning failed, the verdict states why.
    Concluded(Verdict),
    /// The user has paused the reconciliation.
    Paused,
    /// The owner was deleted, or is being deleted.
    Deleted,
}

/// A child that should exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Which object.
    pub object: ObjectKey,
    /// Positions of the children that it depends on; all of them are smaller than its own.
    pub after: Vec<usize>,
}

/// The state of a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// The operator is writing it.
    Applying,
    /// It is written and not ready yet; the message states what is left.
    Waiting(String),
    /// It is ready.
    Ready,
    /// The operator could not write it, or it reports that it failed.
    Failed(Failure),
    /// The operator did not try it, because another child is not ready.
    Blocked {
        /// The root cause: a child that waits or has failed.
        by: ObjectKey,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn owner() -> ObjectKey {
        ObjectKey::new("goharbor.io", "Harbor", "ns", "owner")
    }

    #[test]
    fn several_observers_all_receive_progress_and_objects() {
        #[derive(Default)]
        struct Witness(Mutex<Vec<String>>);
        impl Observer for Witness {
            fn observe(&self, progress: Progress) {
                self.0.lock().unwrap().push(format!("{:?}", progress.stage));
            }

            fn see(&self, owner: &ObjectKey, object: &dyn Fn() -> Value) {
                self.0.lock().unwrap().push(format!("{owner}: {}", object()));
            }
        }
        let witnesses = [(); 2].map(|()| Arc::new(Witness::default()));
        let observers: Vec<Arc<dyn Observer>> =
            witnesses.iter().map(|witness| witness.clone() as _).collect();
        observers.see(&owner(), &|| "as stored".into());
        observers.observe(Progress { owner: owner(), stage: Stage::Paused });
        for witness in witnesses {
            assert_eq!(*witness.0.lock().unwrap(), ["Harbor ns/owner: \"as stored\"", "Paused"]);
        }
    }
}
