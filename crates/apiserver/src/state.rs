//! The state of the server, under one lock.

use crate::{
    failure::Failure,
    kinds::{Kinds, Resource},
    lifecycle::Work,
    server::ServiceAccounts,
    store::{Change, Key, Store},
    uid,
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::Value;
use std::{collections::VecDeque, sync::Arc};

/// Letters and digits of generated names. They cannot form words.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A function that is called for every commit.
pub(crate) type Recorder = Box<dyn FnMut(&Change) + Send>;

/// All objects and kinds.
pub(crate) struct State {
    pub store: Store,
    pub kinds: Arc<Kinds>,
    /// Pending tasks of the controllers.
    pub work: VecDeque<Work>,
    pub service_accounts: ServiceAccounts,
    recorder: Option<Recorder>,
    rng: StdRng,
}

impl State {
    pub fn new(history: usize, seed: u64, service_accounts: ServiceAccounts) -> Self {
        Self {
            store: Store::new(history),
            kinds: Arc::new(Kinds::builtin()),
            work: VecDeque::new(),
            service_accounts,
            recorder: None,
            rng: StdRng::seed_from_u64(seed),
        }
    }

    /// Sets another seed after a restart at this revision, so that no identity is assigned twice.
    pub fn reseed(&mut self) {
        let other = self.rng.random::<u64>() ^ self.store.revision();
        self.rng = StdRng::seed_from_u64(other);
    }

    /// Calls this function for every commit from now on.
    pub fn record_with(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    /// Stores or removes the object of a key, and adds the tasks that this causes.
    pub fn commit(&mut self, key: &Key, after: Option<Value>) -> Change {
        let change = self.store.commit(key, after);
        if let Some(record) = &mut self.recorder {
            record(&change);
        }
        self.note(&change);
        change
    }

    /// The key of an object of this kind.
    pub fn key(resource: &Resource, namespace: Option<&str>, name: &str) -> Key {
        Key {
            group: resource.storage_group.as_str().into(),
            plural: resource.storage_plural.as_str().into(),
            namespace: namespace.unwrap_or_default().into(),
            name: name.into(),
        }
    }

    pub fn get(&self, resource: &Resource, key: &Key) -> Result<&Arc<Value>, Failure> {
        self.store.get(key).ok_or_else(|| Failure::not_found(&resource.group, &resource.plural, &key.name))
    }

    /// The kind of the objects at this key, in any version.
    pub fn resource_at(&self, key: &Key) -> Option<Arc<Resource>> {
        self.kinds
            .iter()
            .find(|kind| *kind.storage_group == *key.group && *kind.storage_plural == *key.plural)
            .cloned()
    }

    /// A uid for a new object.
    pub fn uid(&mut self) -> String {
        uid::of(self.rng.random())
    }

    /// A name with this prefix.
    pub fn generated_name(&mut self, prefix: &str) -> String {
        // A name has at most 63 characters, and the suffix has five.
        let prefix: String = prefix.chars().take(58).collect();
        let suffix: String =
            (0..5).map(|_| char::from(ALPHABET[self.rng.random_range(0..ALPHABET.len())])).collect();
        prefix + &suffix
    }
}
