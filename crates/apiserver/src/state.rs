//! Everything the server knows, under one lock.

use crate::{
    failure::Failure,
    kinds::{Kinds, Resource},
    lifecycle::Work,
    store::{Change, Key, Store},
    uid,
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::Value;
use std::{collections::VecDeque, sync::Arc};

/// Letters and digits of generated names, none of which make words.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// What is told of every commit.
pub(crate) type Recorder = Box<dyn FnMut(&Change) + Send>;

/// All objects and kinds.
pub(crate) struct State {
    pub store: Store,
    pub kinds: Arc<Kinds>,
    /// What garbage collection still has to look at.
    pub work: VecDeque<Work>,
    recorder: Option<Recorder>,
    dice: StdRng,
}

impl State {
    pub fn new(history: usize, seed: u64) -> Self {
        Self {
            store: Store::new(history),
            kinds: Arc::new(Kinds::builtin()),
            work: VecDeque::new(),
            recorder: None,
            dice: StdRng::seed_from_u64(seed),
        }
    }

    /// Throws other dice than the earlier life that came to this revision, lest identities be given twice.
    pub fn reborn(&mut self) {
        let other = self.dice.random::<u64>() ^ self.store.revision();
        self.dice = StdRng::seed_from_u64(other);
    }

    /// Tells this one of every commit from now on.
    pub fn record_with(&mut self, recorder: Recorder) {
        self.recorder = Some(recorder);
    }

    /// Puts an object, or none, at a place, and notes what garbage collection has to look at because of it.
    pub fn commit(&mut self, key: &Key, after: Option<Value>) -> Change {
        let change = self.store.commit(key, after);
        if let Some(record) = &mut self.recorder {
            record(&change);
        }
        self.note(&change);
        change
    }

    /// The place of an object of this kind.
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

    /// The kind whose objects are at this place, in whichever version.
    pub fn resource_at(&self, key: &Key) -> Option<Arc<Resource>> {
        self.kinds
            .iter()
            .find(|kind| *kind.storage_group == *key.group && *kind.storage_plural == *key.plural)
            .cloned()
    }

    /// A new object's identity.
    pub fn uid(&mut self) -> String {
        uid::of(self.dice.random())
    }

    /// A name that begins with this.
    pub fn generated_name(&mut self, prefix: &str) -> String {
        // The longest name is 63 characters, and five of them are the dice's.
        let prefix: String = prefix.chars().take(58).collect();
        let suffix: String =
            (0..5).map(|_| char::from(ALPHABET[self.dice.random_range(0..ALPHABET.len())])).collect();
        prefix + &suffix
    }
}
