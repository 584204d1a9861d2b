//! Contents that were read or written lately, so that owners who use the same Secret read it once.
//!
//! An entry is one state of an object, and is answered only to who asks for that very state, or for one that differs in
//! nothing the reader is interested in. Which state is the current one the index knows from its watch; the cache never
//! decides that anything is.
//!
//! It holds Secrets, in memory only and as JSON, which takes a third of the room of what it is parsed into, and never all
//! there are: the size is limited, what was not used for longest goes first. Who could read this memory could as well read the credentials in it, and with them the Secrets.

use super::Interest;
use kube::core::DynamicObject;
use plan::{ObjectKey, ObjectVersion};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use tokio::sync::OwnedMutexGuard;

/// How many bytes of JSON are kept.
const ROOM: usize = 4 * 1024 * 1024;

/// Objects by name and state. Not `Debug`: nobody logs it by mistake.
pub(crate) struct Cache {
    kept: Mutex<Kept>,
    turns: Mutex<HashMap<ObjectKey, Weak<tokio::sync::Mutex<()>>>>,
    room: usize,
}

#[derive(Default)]
struct Kept {
    entries: HashMap<ObjectKey, Entry>,
    size: usize,
    /// Counts uses.
    now: u64,
}

struct Entry {
    state: ObjectVersion,
    json: Box<[u8]>,
    used: u64,
}

impl Default for Cache {
    fn default() -> Self {
        Self::with_room(ROOM)
    }
}

impl Cache {
    fn with_room(room: usize) -> Self {
        Self { kept: Mutex::default(), turns: Mutex::default(), room }
    }

    /// The object in this state, as far as a reader is interested in it, if it is at hand. In another state it is of no
    /// use any more.
    pub(crate) fn get(
        &self,
        key: &ObjectKey,
        state: &ObjectVersion,
        interest: Interest,
    ) -> Option<DynamicObject> {
        let mut kept = self.kept();
        let now = kept.tick();
        let entry = kept.entries.get_mut(key)?;
        if !interest.same(Some(&entry.state), Some(state)) {
            kept.remove(key);
            return None;
        }
        entry.used = now;
        serde_json::from_slice(&entry.json).ok()
    }

    /// Keeps an object as it was read, or as a write was answered, and hands it out; lets go of what does not exist.
    pub(crate) fn put(&self, key: &ObjectKey, object: Option<DynamicObject>) -> Option<Arc<DynamicObject>> {
        let mut kept = self.kept();
        kept.remove(key);
        let mut object = object?;
        // By far the largest part of most objects, and of no use to a reader.
        object.metadata.managed_fields = None;
        // What has no JSON, or no state, is not kept.
        let json = object.metadata.resource_version.as_ref().and_then(|_| serde_json::to_vec(&object).ok());
        if let Some(json) = json.filter(|json| json.len() <= self.room) {
            kept.make_room(self.room - json.len());
            let (state, used) = (ObjectVersion::of(&object.metadata), kept.tick());
            kept.size += json.len();
            kept.entries.insert(key.clone(), Entry { state, json: json.into(), used });
        }
        Some(Arc::new(object))
    }

    /// The object in the newest state that was read or listed. A watch of its kind removes it as soon as there is a newer one.
    pub(super) fn newest(&self, key: &ObjectKey) -> Option<DynamicObject> {
        serde_json::from_slice(&self.kept().entries.get(key)?.json).ok()
    }

    /// A watch shows an object in this state; an older one is of no use any more.
    pub(super) fn outdate(&self, key: &ObjectKey, version: &str) {
        let mut kept = self.kept();
        let number = |version: &str| version.parse::<u64>().ok();
        let is_older = kept.entries.get(key).is_some_and(|it| number(&it.state.version) < number(version));
        if is_older {
            kept.remove(key);
        }
    }

    /// Keeps an object that was listed, as long as nothing else has to go for it.
    pub(super) fn offer(&self, key: &ObjectKey, object: DynamicObject) {
        let is_full = self.kept().size >= self.room / 2;
        if !is_full {
            self.put(key, Some(object));
        }
    }

    /// Waits until nobody else is reading this object: who comes second finds it here.
    pub(crate) async fn turn(&self, key: &ObjectKey) -> OwnedMutexGuard<()> {
        let turn = {
            let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
            turns.retain(|_, turn| turn.strong_count() > 0);
            turns.get(key).and_then(Weak::upgrade).unwrap_or_else(|| {
                let turn = Arc::default();
                turns.insert(key.clone(), Arc::downgrade(&turn));
                turn
            })
        };
        turn.lock_owned().await
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    fn remove(&mut self, key: &ObjectKey) {
        if let Some(entry) = self.entries.remove(key) {
            self.size -= entry.json.len();
        }
    }

    fn make_room(&mut self, left: usize) {
        while self.size > left {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
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
            .get(&key(name), &ObjectVersion::of(&secret(version, 0).metadata), Interest::Everything)
            .is_some()
    }

    #[test]
    fn who_decides_on_the_substance_is_not_kept_waiting_for_a_status() {
        let core = |version: &str, generation: i64| {
            let metadata = json!({"name": "c", "resourceVersion": version, "generation": generation});
            serde_json::from_value::<DynamicObject>(json!({"metadata": metadata})).unwrap()
        };
        let cache = Cache::default();
        let at = |object: DynamicObject| ObjectVersion::of(&object.metadata);
        cache.put(&key("c"), Some(core("1", 1)));
        assert!(cache.get(&key("c"), &at(core("2", 1)), Interest::Substance).is_some());
        assert!(cache.get(&key("c"), &at(core("3", 2)), Interest::Substance).is_none());
        cache.put(&key("c"), Some(core("1", 1)));
        assert!(cache.get(&key("c"), &at(core("2", 1)), Interest::Everything).is_none());
    }

    #[test]
    fn an_object_is_found_in_the_state_it_was_put_in_and_in_no_other() {
        let cache = Cache::default();
        cache.put(&key("a"), Some(secret("1", 10)));
        assert!(has(&cache, "a", "1"));
        assert!(!has(&cache, "b", "1"));
        assert!(!has(&cache, "a", "2"));
        assert!(!has(&cache, "a", "1"), "once superseded it is not kept");
        cache.put(&key("a"), Some(secret("2", 10)));
        assert_eq!(cache.put(&key("a"), None), None);
        assert!(!has(&cache, "a", "2"));
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let cache = Cache::with_room(1000);
        for name in ["a", "b", "c"] {
            cache.put(&key(name), Some(secret("1", 200)));
        }
        assert!(has(&cache, "a", "1"));
        cache.put(&key("d"), Some(secret("1", 400)));
        let left: Vec<_> = ["a", "b", "c", "d"].into_iter().filter(|name| has(&cache, name, "1")).collect();
        assert_eq!(left, ["a", "c", "d"]);
    }

    #[test]
    fn what_is_larger_than_all_the_room_is_handed_out_and_displaces_nothing() {
        let cache = Cache::with_room(1000);
        cache.put(&key("a"), Some(secret("1", 200)));
        let large = cache.put(&key("large"), Some(secret("1", 2000))).unwrap();
        assert_eq!(large.data["data"]["word"].as_str().map(str::len), Some(2000));
        assert!(has(&cache, "a", "1") && !has(&cache, "large", "1"));
    }

    #[test]
    fn putting_the_same_again_takes_no_more_room() {
        let cache = Cache::with_room(1000);
        cache.put(&key("a"), Some(secret("1", 200)));
        for version in 2..100 {
            cache.put(&key("b"), Some(secret(&version.to_string(), 300)));
        }
        assert!(has(&cache, "a", "1") && has(&cache, "b", "99"));
    }

    #[tokio::test]
    async fn who_reads_the_same_waits_and_who_reads_something_else_does_not() {
        let cache = Cache::default();
        let (a, b) = (key("a"), key("b"));
        let first = cache.turn(&a).await;
        let _other = cache.turn(&b).await;
        let mut second = Box::pin(cache.turn(&a));
        assert!(futures::poll!(&mut second).is_pending());
        drop(first);
        assert!(futures::poll!(&mut second).is_ready());
    }
}
