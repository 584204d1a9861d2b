//! A cache of objects that were recently read or written, so that several owners of the same Secret read it once.
//!
//! An entry is one version of an object. The cache returns it only for that version, or for a version that differs
//! only in fields that the reader is not interested in. The index knows the current version from the watch; the cache
//! does not.
//!
//! It holds Secrets, in memory only. They are stored as JSON, which takes a third of the memory of decoded objects.
//! The size is limited, and the least recently used entries are evicted first. A process that can read this memory
//! can also read the operator's credentials in it, and with them the Secrets.

use super::Interest;
use kube::core::DynamicObject;
use plan::{ObjectKey, ObjectVersion};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use tokio::sync::OwnedMutexGuard;

/// How many bytes of JSON the cache holds.
const CAPACITY: usize = 4 * 1024 * 1024;

/// Objects by key and version. Not `Debug`, so that it cannot be logged by mistake.
pub(crate) struct Cache {
    entries: Mutex<Entries>,
    locks: Mutex<HashMap<ObjectKey, Weak<tokio::sync::Mutex<()>>>>,
    capacity: usize,
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<ObjectKey, Entry>,
    size: usize,
    /// The number of uses so far, as a clock.
    now: u64,
}

struct Entry {
    state: ObjectVersion,
    json: Box<[u8]>,
    used: u64,
}

impl Default for Cache {
    fn default() -> Self {
        Self::with_capacity(CAPACITY)
    }
}

impl Cache {
    fn with_capacity(capacity: usize) -> Self {
        Self { entries: Mutex::default(), locks: Mutex::default(), capacity }
    }

    /// The object in this version, or in one that is the same for a reader with this interest. Removes any other
    /// version.
    pub(crate) fn get(
        &self,
        key: &ObjectKey,
        state: &ObjectVersion,
        interest: Interest,
    ) -> Option<DynamicObject> {
        let mut entries = self.entries();
        let now = entries.tick();
        let entry = entries.by_key.get_mut(key)?;
        if !interest.same(Some(&entry.state), Some(state)) {
            entries.remove(key);
            return None;
        }
        entry.used = now;
        serde_json::from_slice(&entry.json).ok()
    }

    /// Stores an object from a read or from the answer to a write, and returns it. Removes the entry of an object
    /// that does not exist.
    pub(crate) fn put(&self, key: &ObjectKey, object: Option<DynamicObject>) -> Option<Arc<DynamicObject>> {
        let mut entries = self.entries();
        entries.remove(key);
        let mut object = object?;
        // The largest part of most objects, which no reader uses.
        object.metadata.managed_fields = None;
        // An object without JSON form or resource version is not stored.
        let json = object.metadata.resource_version.as_ref().and_then(|_| serde_json::to_vec(&object).ok());
        if let Some(json) = json.filter(|json| json.len() <= self.capacity) {
            entries.evict_to(self.capacity - json.len());
            let (state, used) = (ObjectVersion::of(&object.metadata), entries.tick());
            entries.size += json.len();
            entries.by_key.insert(key.clone(), Entry { state, json: json.into(), used });
        }
        Some(Arc::new(object))
    }

    /// The newest version of an object that was read or listed. The watch of its kind removes it when there is a
    /// newer one.
    pub(super) fn newest(&self, key: &ObjectKey) -> Option<DynamicObject> {
        serde_json::from_slice(&self.entries().by_key.get(key)?.json).ok()
    }

    /// Replaces an entry that is older than a version that a watch delivered. Removes it if the watch delivered only
    /// metadata.
    pub(super) fn replace_older(&self, key: &ObjectKey, version: &str, object: Option<&DynamicObject>) {
        let number = |version: &str| version.parse::<u64>().ok();
        let is_older =
            self.entries().by_key.get(key).is_some_and(|it| number(&it.state.version) < number(version));
        if is_older {
            self.put(key, object.cloned());
        }
    }

    /// Stores an object that was listed, unless the cache is half full.
    pub(super) fn offer(&self, key: &ObjectKey, object: DynamicObject) {
        let is_full = self.entries().size >= self.capacity / 2;
        if !is_full {
            self.put(key, Some(object));
        }
    }

    /// Locks an object for a read. A second reader waits and then finds the object in the cache.
    pub(crate) async fn lock(&self, key: &ObjectKey) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
            locks.retain(|_, lock| lock.strong_count() > 0);
            locks.get(key).and_then(Weak::upgrade).unwrap_or_else(|| {
                let lock = Arc::default();
                locks.insert(key.clone(), Arc::downgrade(&lock));
                lock
            })
        };
        lock.lock_owned().await
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entries {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    fn remove(&mut self, key: &ObjectKey) {
        if let Some(entry) = self.by_key.remove(key) {
            self.size -= entry.json.len();
        }
    }

    fn evict_to(&mut self, size: usize) {
        while self.size > size {
            let oldest = self.by_key.iter().min_by_key(|(_, entry)| entry.used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { return };
            self.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::Secret;
    use serde_json::json;

    fn key(name: &str) -> ObjectKey {
        ObjectKey::of::<Secret>("ns", name)
    }

    fn secret(version: &str, length: usize) -> DynamicObject {
        let managed = [json!({"manager": "x".repeat(1000)})];
        let object = json!({
            "metadata": {"name": "s", "resourceVersion": version, "managedFields": managed},
            "data": {"word": "x".repeat(length)},
        });
        serde_json::from_value(object).unwrap()
    }

    fn has(cache: &Cache, name: &str, version: &str) -> bool {
        cache
            .get(&key(name), &ObjectVersion::of(&secret(version, 0).metadata), Interest::SpecAndStatus)
            .is_some()
    }

    #[test]
    fn a_reader_of_the_spec_gets_an_entry_that_differs_only_in_the_status() {
        let core = |version: &str, generation: i64| {
            let metadata = json!({"name": "c", "resourceVersion": version, "generation": generation});
            serde_json::from_value::<DynamicObject>(json!({"metadata": metadata})).unwrap()
        };
        let cache = Cache::default();
        let at = |object: DynamicObject| ObjectVersion::of(&object.metadata);
        cache.put(&key("c"), Some(core("1", 1)));
        assert!(cache.get(&key("c"), &at(core("2", 1)), Interest::Spec).is_some());
        assert!(cache.get(&key("c"), &at(core("3", 2)), Interest::Spec).is_none());
        cache.put(&key("c"), Some(core("1", 1)));
        assert!(cache.get(&key("c"), &at(core("2", 1)), Interest::SpecAndStatus).is_none());
    }

    #[test]
    fn an_object_is_returned_only_in_the_stored_version() {
        let cache = Cache::default();
        cache.put(&key("a"), Some(secret("1", 10)));
        assert!(has(&cache, "a", "1"));
        assert!(!has(&cache, "b", "1"));
        assert!(!has(&cache, "a", "2"));
        assert!(!has(&cache, "a", "1"), "an outdated entry is removed");
        cache.put(&key("a"), Some(secret("2", 10)));
        assert_eq!(cache.put(&key("a"), None), None);
        assert!(!has(&cache, "a", "2"));
    }

    #[test]
    fn the_least_recently_used_entry_is_evicted_first() {
        let cache = Cache::with_capacity(1000);
        for name in ["a", "b", "c"] {
            cache.put(&key(name), Some(secret("1", 200)));
        }
        assert!(has(&cache, "a", "1"));
        cache.put(&key("d"), Some(secret("1", 400)));
        let left: Vec<_> = ["a", "b", "c", "d"].into_iter().filter(|name| has(&cache, name, "1")).collect();
        assert_eq!(left, ["a", "c", "d"]);
    }

    #[test]
    fn an_object_larger_than_the_capacity_is_returned_and_evicts_nothing() {
        let cache = Cache::with_capacity(1000);
        cache.put(&key("a"), Some(secret("1", 200)));
        let large = cache.put(&key("large"), Some(secret("1", 2000))).unwrap();
        assert_eq!(large.data["data"]["word"].as_str().map(str::len), Some(2000));
        assert!(has(&cache, "a", "1") && !has(&cache, "large", "1"));
    }

    #[test]
    fn replacing_an_entry_does_not_increase_the_size() {
        let cache = Cache::with_capacity(1000);
        cache.put(&key("a"), Some(secret("1", 200)));
        for version in 2..100 {
            cache.put(&key("b"), Some(secret(&version.to_string(), 300)));
        }
        assert!(has(&cache, "a", "1") && has(&cache, "b", "99"));
    }

    #[tokio::test]
    async fn a_second_reader_of_the_same_object_waits_and_a_reader_of_another_does_not() {
        let cache = Cache::default();
        let (a, b) = (key("a"), key("b"));
        let first = cache.lock(&a).await;
        let _other = cache.lock(&b).await;
        let mut second = Box::pin(cache.lock(&a));
        assert!(futures::poll!(&mut second).is_pending());
        drop(first);
        assert!(futures::poll!(&mut second).is_ready());
    }
}
