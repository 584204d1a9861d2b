//! One owner at a time works on an object outside the cluster: it decides, writes and records.
//!
//! Two owners that both find no claim could otherwise both write. A system that does not return what it was sent, such as a
//! password, would keep that of the younger owner, and the operator could not notice.

use super::lock;
use plan::ObjectKey;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tokio::sync::OwnedMutexGuard;

/// The objects that owners work on.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<BTreeMap<ObjectKey, Arc<tokio::sync::Mutex<()>>>>);

/// The right to work on an object, until it is dropped.
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    key: &'a ObjectKey,
    _guard: OwnedMutexGuard<()>,
}

impl Turns {
    /// Waits until no other owner works on an object.
    pub(super) async fn take<'a>(&'a self, key: &'a ObjectKey) -> Turn<'a> {
        let turn = Arc::clone(lock(&self.0).entry(key.clone()).or_default());
        Turn { turns: self, key, _guard: turn.lock_owned().await }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut turns = lock(&self.turns.0);
        // That of the map and that of the guard: no other owner waits.
        if turns.get(self.key).is_some_and(|turn| Arc::strong_count(turn) <= 2) {
            turns.remove(self.key);
        }
    }
}
