//! The controllers of the server: garbage collection, namespaces, custom kinds.
//!
//! In a cluster, controllers do this some time later. Here it is complete before the server answers the request that
//! caused it: the same changes, in an order that is possible in a cluster, too, and without timing that a test could
//! depend on.

pub(crate) use definitions::{
    FINALIZER as CUSTOM_RESOURCE_CLEANUP, adopt, definitions, is_terminating, serve_all,
};

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

/// A task for the controllers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Work {
    /// An object whose owners may be gone, or that waits for its dependents.
    Object(Key),
    /// A namespace that may have become empty.
    Namespace(String),
    /// A definition that was written, or whose last object may be gone.
    Definition(Key),
}

/// Which controllers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Controllers {
    /// All, as with a kube-controller-manager.
    On,
    /// Only those of kube-apiserver itself.
    Off,
}

impl State {
    /// Adds the tasks that a change causes.
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
                // An owner may have waited for an object that it no longer owns, or that no longer blocks it.
                self.enqueue_owners(&change.key, before);
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
        self.enqueue_owners(&change.key, before);
        if let Some(definition) = definitions::waiting_for(self, &change.key) {
            self.work.push_back(Work::Definition(definition));
        }
    }

    fn enqueue_owners(&mut self, key: &Key, object: &Value) {
        let owners: Vec<_> = collection::owners(self, key, object).map(Work::Object).collect();
        self.work.extend(owners);
    }

    /// Adds all tasks that may have been pending when an earlier process ended.
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

    /// Performs all tasks, and those that they cause.
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
