//! Routes changes to the queues of the owners that they affect.

use super::index::{AffectedOwners, Index};
use kube::core::ApiResource;
use plan::ObjectKey;
use std::{
    collections::HashMap,
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tokio::sync::{Notify, mpsc};

/// The index of one scope and the queues of its controllers.
///
/// kube's own shared streams lose deletions and, worse, wakers (kube-rs/kube#1590); a queue per controller does not.
/// The queues are unbounded because controllers drain them at once into a set that holds every object only once.
#[derive(Debug, Default)]
pub(crate) struct Router {
    pub(crate) index: Index,
    queues: Mutex<HashMap<(String, String), mpsc::UnboundedSender<ObjectKey>>>,
    lost: Notify,
}

impl Router {
    /// A queue of the owners of these kinds that are to be reconciled.
    pub(crate) fn queue<'a>(
        &self,
        kinds: impl IntoIterator<Item = &'a ApiResource>,
    ) -> mpsc::UnboundedReceiver<ObjectKey> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let mut queues = self.queues();
        for ApiResource { group, kind, .. } in kinds {
            queues.insert((group.clone(), kind.clone()), sender.clone());
        }
        receiver
    }

    /// Records that the API server does not serve a kind, and returns the affected owners.
    pub(crate) fn unserved(&self, kind: &ObjectKey) -> AffectedOwners {
        let affected = self.index.unserved(kind);
        self.lost.notify_waiters();
        affected
    }

    /// Waits until the API server no longer serves a kind.
    pub(crate) async fn until_unserved(&self, kind: &ObjectKey) {
        loop {
            let mut lost = pin!(self.lost.notified());
            lost.as_mut().enable();
            if !self.index.serves(kind) {
                return;
            }
            lost.await;
        }
    }

    /// Enqueues these owners.
    pub(crate) fn wake(&self, affected: AffectedOwners) {
        let queues = self.queues();
        for owner in affected {
            // A closed queue belongs to a controller that is shutting down.
            if let Some(queue) = queues.get(&(owner.group.clone(), owner.kind.clone())) {
                let _closed = queue.send(owner);
            }
        }
    }

    /// Enqueues these owners, except for the one whose reconcile caused the change.
    pub(crate) fn wake_others(&self, mut affected: AffectedOwners, cause: &ObjectKey) {
        affected.remove(cause);
        self.wake(affected);
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<(String, String), mpsc::UnboundedSender<ObjectKey>>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
