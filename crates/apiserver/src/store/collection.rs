//! The objects of one kind, and their latest changes.

use super::Change;
use serde_json::Value;
use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    sync::Arc,
};
use tokio::sync::watch;

type Place = (Arc<str>, Arc<str>);

/// All objects of one kind.
#[derive(Debug)]
pub(crate) struct Collection {
    objects: BTreeMap<Place, Arc<Value>>,
    log: VecDeque<Change>,
    history: usize,
    /// Changes up to and including this revision are no longer in the log.
    compacted: u64,
    /// The last change that is no longer in the log. A watch that has seen it has missed nothing.
    lost: u64,
    wake: watch::Sender<u64>,
}

/// A revision is too old: later changes are no longer in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Compacted {
    /// The oldest revision in the log.
    pub horizon: u64,
}

impl Collection {
    /// `origin` is the revision up to which no changes are known.
    pub(super) fn new(history: usize, revision: u64, origin: u64) -> Self {
        Self {
            objects: BTreeMap::new(),
            log: VecDeque::new(),
            history,
            compacted: origin,
            lost: origin,
            wake: watch::Sender::new(revision),
        }
    }

    /// Drops the changes up to a revision.
    pub(super) fn forget(&mut self, revision: u64) {
        self.log.retain(|change| change.revision > revision);
        (self.compacted, self.lost) = (revision, revision);
    }

    /// The objects of a namespace, or all of them, ordered by namespace and name.
    pub fn objects(&self, namespace: Option<&str>) -> impl Iterator<Item = &Arc<Value>> {
        let from = match namespace {
            Some(namespace) => Bound::Included((Arc::from(namespace), Arc::from(""))),
            None => Bound::Unbounded,
        };
        let namespace = namespace.map(str::to_owned);
        self.objects
            .range((from, Bound::Unbounded))
            .take_while(move |((place, _), _)| {
                namespace.as_deref().is_none_or(|namespace| **place == *namespace)
            })
            .map(|(_, object)| object)
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&Place, &Arc<Value>)> {
        self.objects.iter()
    }

    pub(super) fn get(&self, namespace: &Arc<str>, name: &Arc<str>) -> Option<&Arc<Value>> {
        self.objects.get(&(Arc::clone(namespace), Arc::clone(name)))
    }

    /// The objects at a revision.
    pub fn objects_at(&self, namespace: Option<&str>, revision: u64) -> Result<Vec<Arc<Value>>, Compacted> {
        let mut then: BTreeMap<Place, Option<&Arc<Value>>> = BTreeMap::new();
        let changes: Vec<&Change> = self.changes_since(revision)?.collect();
        for change in changes.into_iter().rev() {
            let place = (Arc::clone(&change.key.namespace), Arc::clone(&change.key.name));
            then.insert(place, change.before.as_ref());
        }
        let mut objects: BTreeMap<&Place, &Arc<Value>> = self.objects.iter().collect();
        for (place, before) in &then {
            match before {
                Some(object) => objects.insert(place, object),
                None => objects.remove(place),
            };
        }
        Ok(objects
            .into_iter()
            .filter(|((place, _), _)| namespace.is_none_or(|namespace| **place == *namespace))
            .map(|(_, object)| Arc::clone(object))
            .collect())
    }

    /// The changes after a revision, oldest first.
    pub fn changes_since(&self, revision: u64) -> Result<impl Iterator<Item = &Change>, Compacted> {
        if revision < self.compacted {
            return Err(Compacted { horizon: self.compacted });
        }
        Ok(self.log_after(revision))
    }

    /// The changes after the revision that a watch has reached. Compaction ends the watch only if it fell behind.
    pub fn changes_missed_since(&self, revision: u64) -> Result<impl Iterator<Item = &Change>, Compacted> {
        if revision < self.lost {
            return Err(Compacted { horizon: self.compacted });
        }
        Ok(self.log_after(revision))
    }

    fn log_after(&self, revision: u64) -> impl Iterator<Item = &Change> {
        let from = self.log.partition_point(|change| change.revision <= revision);
        self.log.range(from..)
    }

    /// Announces every further change.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.wake.subscribe()
    }

    pub(super) fn put(&mut self, change: Change) {
        let place = (Arc::clone(&change.key.namespace), Arc::clone(&change.key.name));
        match &change.after {
            Some(object) => self.objects.insert(place, Arc::clone(object)),
            None => self.objects.remove(&place),
        };
        let revision = change.revision;
        self.log.push_back(change);
        if self.log.len() > self.history
            && let Some(forgotten) = self.log.pop_front()
        {
            (self.compacted, self.lost) = (forgotten.revision, forgotten.revision);
        }
        self.wake.send_replace(revision);
    }

    pub(super) fn compact(&mut self, revision: u64) {
        if let Some(last) = self.log.back() {
            self.lost = last.revision;
        }
        self.log.clear();
        self.compacted = revision;
    }
}
