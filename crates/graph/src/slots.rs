//! Where running futures live, without an allocation per future.

use crate::graph::NodeId;
use futures::task::AtomicWaker;
use std::{
    mem,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// Futures in flight, each with the node it runs.
///
/// There are never more slots than futures were in flight at once. A slot's memory serves one future after
/// another, and a future that is ready at its first poll needs none but the slot's.
pub(crate) struct Slots<F> {
    all: Vec<Slot<F>>,
    free: Vec<usize>,
    woken: Arc<Woken>,
    /// Emptied between polls; kept for its memory.
    batch: Vec<usize>,
}

/// A place for one future.
struct Slot<F> {
    node: NodeId,
    /// Boxed once and refilled in place, since a pinned future must not move with the vector.
    future: Pin<Box<Option<F>>>,
    bell: Arc<Bell>,
    /// `bell` as its future sees it.
    waker: Waker,
}

impl<F: Future> Slots<F> {
    pub(crate) fn new() -> Self {
        Self { all: Vec::new(), free: Vec::new(), woken: Arc::default(), batch: Vec::new() }
    }

    /// How many futures have been started and have not finished.
    pub(crate) fn in_flight(&self) -> usize {
        self.all.len() - self.free.len()
    }

    /// Polls `future` once and keeps it if it is not ready.
    pub(crate) fn start(&mut self, node: NodeId, future: F) -> Option<F::Output> {
        let index = if let Some(index) = self.free.pop() {
            let slot = &mut self.all[index];
            slot.node = node;
            slot.future.as_mut().set(Some(future));
            index
        } else {
            let index = self.all.len();
            let bell = Arc::new(Bell { index, rung: AtomicBool::new(false), woken: self.woken.clone() });
            let waker = Waker::from(bell.clone());
            self.all.push(Slot { node, future: Box::pin(Some(future)), bell, waker });
            index
        };
        self.poll(index).map(|(_, output)| output)
    }

    /// Polls every future that was woken since the last call, once, and hands out what has finished.
    ///
    /// A future woken meanwhile is left for the next call, which `waker` will ask for: one that wakes itself
    /// again and again gives way to the rest of the executor.
    pub(crate) fn poll_woken(&mut self, waker: &Waker, mut finished: impl FnMut(NodeId, F::Output)) {
        // First register, then look: whoever rings after the look finds the new waker.
        self.woken.parent.register(waker);
        let mut batch = mem::take(&mut self.batch);
        self.woken.swap(&mut batch);
        for index in batch.drain(..) {
            if let Some((node, output)) = self.poll(index) {
                finished(node, output);
            }
        }
        self.batch = batch;
    }

    /// Polls one slot; nothing happens if it is empty, as when an old waker of it is used late.
    fn poll(&mut self, index: usize) -> Option<(NodeId, F::Output)> {
        let slot = &mut self.all[index];
        // A swap, not a store: whatever was written before a ring that found the bell rung must be seen now.
        slot.bell.rung.swap(false, Ordering::AcqRel);
        let future = slot.future.as_mut().as_pin_mut()?;
        let Poll::Ready(output) = future.poll(&mut Context::from_waker(&slot.waker)) else { return None };
        slot.future.set(None);
        self.free.push(index);
        Some((slot.node, output))
    }
}

/// The slots whose futures asked to be polled.
#[derive(Default)]
struct Woken {
    slots: Mutex<Vec<usize>>,
    /// The task that polls the slots.
    parent: AtomicWaker,
}

impl Woken {
    /// Exchanges the list for an empty one.
    fn swap(&self, empty: &mut Vec<usize>) {
        // Nothing that can panic happens under the lock.
        mem::swap(&mut *self.slots.lock().unwrap_or_else(PoisonError::into_inner), empty);
    }
}

/// Wakes one slot. Outlives it if a future leaves its waker behind.
struct Bell {
    index: usize,
    /// Whether the slot is on the list already, which it needs to be once.
    rung: AtomicBool,
    woken: Arc<Woken>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.rung.swap(true, Ordering::AcqRel) {
            self.woken.slots.lock().unwrap_or_else(PoisonError::into_inner).push(self.index);
            self.woken.parent.wake();
        }
    }
}
