//! What happens to objects without being asked for: garbage collection, the end of namespaces, custom kinds.
//!
//! In a cluster, controllers do this some time later. Here it is done before the request that caused it is answered:
//! the same changes in an order that a cluster may take, too, and no timing for a test to depend on.

pub(crate) use definitions::{FINALIZER as CUSTOM_RESOURCE_CLEANUP, is_terminating, serve_all};

mod collection;
mod definitions;
mod namespaces;

use crate::{
    clock::Clock,
    state::State,
    store::{Change, Key},
};
use serde_json::Value;
use std::sync::Arc;

/// Something garbage collection has to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Work {
    /// An object whose owners may be gone, or that waits for its dependents.
    Object(Key),
    /// A namespace that may have become empty.
    Namespace(String),
    /// A definition that was written, or whose last object may have gone.
    Definition(Key),
}

/// Which of it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Controllers {
    /// All, as with a kube-controller-manager.
    On,
    /// Only what kube-apiserver does itself.
    Off,
}

impl State {
    /// Notes what has to be looked at because of a change.
    pub(crate) fn note(&mut self, change: &Change) {
        let is = |group: &str, plural: &str| *change.key.group == *group && *change.key.plural == *plural;
        if is("apiextensions.k8s.io", "customresourcedefinitions") {
            self.work.push_back(Work::Definition(change.key.clone()));
        }
        if is("", "namespaces") && change.after.is_some() {
            self.work.push_back(Work::Namespace(change.key.name.to_string()));
        }
        if let Some(after) = &change.after {
            let metadata = &after["metadata"];
            if !metadata["ownerReferences"].is_null() || !metadata["deletionTimestamp"].is_null() {
                self.work.push_back(Work::Object(change.key.clone()));
            }
            if let Some(before) = &change.before
                && before["metadata"]["ownerReferences"] != metadata["ownerReferences"]
            {
                // An owner may have waited for an object that it does not own any more, or that lets it go.
                self.look_at_owners(&change.key, before);
            }
            return;
        }
        if !change.key.namespace.is_empty() {
            self.work.push_back(Work::Namespace(change.key.namespace.to_string()));
        }
        let Some(before) = &change.before else { return };
        if let Some(uid) = before["metadata"]["uid"].as_str() {
            let orphans: Vec<_> = self.store.dependents(uid).cloned().map(Work::Object).collect();
            self.work.extend(orphans);
        }
        self.look_at_owners(&change.key, before);
        if let Some(definition) = definitions::waiting_for(self, &change.key) {
            self.work.push_back(Work::Definition(definition));
        }
    }

    fn look_at_owners(&mut self, key: &Key, object: &Value) {
        let owners: Vec<_> = collection::owners(self, key, object).map(Work::Object).collect();
        self.work.extend(owners);
    }

    /// Notes everything that may have been left undone when an earlier life ended.
    pub(crate) fn note_all(&mut self) {
        let all: Vec<Change> = self
            .store
            .everything()
            .map(|(key, object)| Change {
                revision: 0,
                key,
                before: Some(Arc::clone(object)),
                after: Some(Arc::clone(object)),
            })
            .collect();
        for change in &all {
            self.note(change);
        }
    }

    /// Does what is to be done, and what that brings about, until nothing is left.
    pub(crate) fn settle(&mut self, controllers: Controllers, clock: &Clock) {
        while let Some(work) = self.work.pop_front() {
            match (work, controllers) {
                (Work::Definition(key), _) => definitions::settle(self, &key, clock),
                (_, Controllers::Off) => {}
                (Work::Object(key), Controllers::On) => collection::settle(self, &key, clock),
                (Work::Namespace(name), Controllers::On) => namespaces::settle(self, &name, clock),
            }
        }
    }
}
