//! From what changed to who must look.

use crate::index::{Concerned, Index};
use kube::core::ApiResource;
use plan::ObjectKey;
use std::{collections::HashMap, pin::pin};
use tokio::sync::{Notify, mpsc};

/// The index of one scope and the queues of its controllers.
///
/// kube's own shared streams lose deletions and, worse, wakers (kube-rs/kube#1590); a queue per controller does not.
/// The queues are unbounded because controllers drain them at once into a set that holds every object only once.
#[derive(Debug, Default)]
pub(crate) struct Router {
    pub(crate) index: Index,
    queues: HashMap<(String, String), mpsc::UnboundedSender<ObjectKey>>,
    lost: Notify,
}

impl Router {
    /// The queue of the controller of one kind.
    pub(crate) fn queue(&mut self, group: &str, kind: &str) -> mpsc::UnboundedReceiver<ObjectKey> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.queues.insert((group.into(), kind.into()), sender);
        self.index.track_children_of(group, kind);
        receiver
    }

    /// One queue for all of these kinds.
    pub(crate) fn queue_of_all<'a>(
        &mut self,
        kinds: impl Iterator<Item = &'a ApiResource>,
    ) -> mpsc::UnboundedReceiver<ObjectKey> {
        let (sender, receiver) = mpsc::unbounded_channel();
        for ApiResource { group, kind, .. } in kinds {
            self.queues.insert((group.clone(), kind.clone()), sender.clone());
            self.index.track_children_of(group, kind);
        }
        receiver
    }

    /// A kind turned out not to be served; answers who is concerned.
    pub(crate) fn unserved(&self, kind: &ObjectKey) -> Concerned {
        let concerned = self.index.unserved(kind);
        self.lost.notify_waiters();
        concerned
    }

    /// Ends when a kind that is served turns out to be served no longer.
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

    /// Has all of these look again.
    pub(crate) fn wake(&self, concerned: Concerned) {
        for owner in concerned {
            // A closed queue belongs to a controller that is shutting down.
            if let Some(queue) = self.queues.get(&(owner.group.clone(), owner.kind.clone())) {
                let _closed = queue.send(owner);
            }
        }
    }

    /// Has all of these look again but the one who caused it, and knows.
    pub(crate) fn wake_others(&self, mut concerned: Concerned, cause: &ObjectKey) {
        concerned.remove(cause);
        self.wake(concerned);
    }
}
