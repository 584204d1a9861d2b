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

/// How many bytes of JSON it holds in addition until [`Cache::end_preload`]: what a thousand Harbors read when the operator
/// starts.
const PRELOADED_CAPACITY: usize = 32 * 1024 * 1024;

/// Objects by key and version. Not `Debug`, so that it cannot be logged by mistake.
pub(crate) struct Cache {
    entries: Mutex<Entries>,
    locks: Mutex<HashMap<ObjectKey, Weak<tokio::sync::Mutex<()>>>>,
    capacity: usize,
    preloaded_capacity: usize,
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<ObjectKey, Entry>,
    /// The size of all entries that are not preloaded.
    size: usize,
    /// The size of all preloaded entries.
    preloaded: usize,
    /// The number of uses so far, as a clock.
    now: u64,
}

struct Entry {
    state: ObjectVersion,
    json: Box<[u8]>,
    used: u64,
    is_preloaded: bool,
}

impl Default for Cache {
    fn default() -> Self {
        Self::with_capacity(CAPACITY, PRELOADED_CAPACITY)
    }
}

impl Cache {
    fn with_capacity(capacity: usize, preloaded_capacity: usize) -> Self {
        Self { entries: Mutex::default(), locks: Mutex::default(), capacity, preloaded_capacity }
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
        let (object, entry) = entry(object?);
        if let Some(entry) = entry.filter(|entry| entry.json.len() <= self.capacity) {
            entries.evict_to(self.capacity - entry.json.len());
            entries.insert(key, entry);
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

    /// Stores an object that was listed before anything is reconciled, as far as there is room.
    pub(super) fn preload(&self, key: &ObjectKey, object: DynamicObject) {
        let mut entries = self.entries();
        entries.remove(key);
        let (_, entry) = entry(object);
        let room = self.preloaded_capacity.saturating_sub(entries.preloaded);
        if let Some(entry) = entry.filter(|entry| entry.json.len() <= room) {
            entries.insert(key, Entry { is_preloaded: true, ..entry });
        }
    }

    /// Evicts preloaded objects like others from now on: all owners have been reconciled.
    pub(crate) fn end_preload(&self) {
        let mut entries = self.entries();
        entries.by_key.values_mut().for_each(|entry| entry.is_preloaded = false);
        let preloaded = std::mem::take(&mut entries.preloaded);
        entries.size += preloaded;
        let mut by_use: Vec<_> =
            entries.by_key.iter().map(|(key, entry)| (entry.used, key.clone())).collect();
        by_use.sort_unstable();
        for (_, key) in by_use {
            if entries.size <= self.capacity {
                break;
            }
            entries.remove(&key);
        }
        entries.by_key.shrink_to_fit();
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

    fn insert(&mut self, key: &ObjectKey, entry: Entry) {
        let used = self.tick();
        *self.size_of(&entry) += entry.json.len();
        self.by_key.insert(key.clone(), Entry { used, ..entry });
    }

    fn remove(&mut self, key: &ObjectKey) {
        if let Some(entry) = self.by_key.remove(key) {
            *self.size_of(&entry) -= entry.json.len();
        }
    }

    fn size_of(&mut self, entry: &Entry) -> &mut usize {
        if entry.is_preloaded { &mut self.preloaded } else { &mut self.size }
    }

    fn evict_to(&mut self, size: usize) {
        while self.size > size {
            let evictable = self.by_key.iter().filter(|(_, entry)| !entry.is_preloaded);
            let oldest = evictable.min_by_key(|(_, entry)| entry.used).map(|(key, _)| key.clone());
            let Some(oldest) = oldest else { return };
            self.remove(&oldest);
        }
    }
}

/// An object without its managed fields, which are the largest part of most objects and which no reader uses, and its entry.
/// An object without JSON form or resource version gets none.
fn entry(mut object: DynamicObject) -> (DynamicObject, Option<Entry>) {
    object.metadata.managed_fields = None;
    let json = object.metadata.resource_version.as_ref().and_then(|_| serde_json::to_vec(&object).ok());
    let state = ObjectVersion::of(&object.metadata);
    let entry = json.map(|json| Entry { state, json: json.into(), used: 0, is_preloaded: false });
    (object, entry)
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
        let cache = Cache::with_capacity(1000, 2000);
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
        let cache = Cache::with_capacity(1000, 2000);
        cache.put(&key("a"), Some(secret("1", 200)));
        let large = cache.put(&key("large"), Some(secret("1", 2000))).unwrap();
        assert_eq!(large.data["data"]["word"].as_str().map(str::len), Some(2000));
        assert!(has(&cache, "a", "1") && !has(&cache, "large", "1"));
    }

    #[test]
    fn replacing_an_entry_does_not_increase_the_size() {
        let cache = Cache::with_capacity(1000, 2000);
        cache.put(&key("a"), Some(secret("1", 200)));
        for version in 2..100 {
            cache.put(&key("b"), Some(secret(&version.to_string(), 300)));
        }
        assert!(has(&cache, "a", "1") && has(&cache, "b", "99"));
    }

    #[test]
    fn preloaded_objects_are_kept_beside_the_others_until_all_owners_have_been_reconciled() {
        let cache = Cache::with_capacity(1000, 2000);
        for name in ["a", "b", "c", "d", "e", "too-many"] {
            cache.preload(&key(name), secret("1", 300));
        }
        cache.put(&key("read"), Some(secret("1", 600)));
        cache.put(&key("also-read"), Some(secret("1", 300)));
        let left = || {
            let all = ["a", "b", "c", "d", "e", "too-many", "read", "also-read"];
            all.into_iter().filter(|name| has(&cache, name, "1")).collect::<Vec<_>>()
        };
        assert_eq!(left(), ["a", "b", "c", "d", "e", "also-read"]);
        cache.end_preload();
        assert_eq!(left(), ["e", "also-read"], "the least recently used are evicted");
        cache.put(&key("a"), Some(secret("1", 300)));
        assert_eq!(left(), ["a", "also-read"]);
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
