//! Objects that the API server was asked for and did not have.

use super::index::Index;
use plan::ObjectKey;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;

/// How long an answer is believed. The watch tells of an object that is created later; this is for a watch that fails to.
const BELIEVED: Duration = Duration::from_mins(5);

/// What one owner misses. Asked for once, however often the owner is looked at meanwhile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Absences(Option<(Instant, BTreeSet<ObjectKey>)>);

impl Absences {
    /// Those of `keys` about which the API server is to be asked, because the watch alone says that they do not exist.
    pub(crate) fn unconfirmed(&mut self, keys: &BTreeSet<ObjectKey>, index: &Index) -> BTreeSet<ObjectKey> {
        let Some((since, confirmed)) = self.0.take().filter(|(since, _)| since.elapsed() < BELIEVED) else {
            return keys.clone();
        };
        let (still, unconfirmed) =
            keys.iter().cloned().partition(|key| confirmed.contains(key) && index.lacks(key));
        self.0 = Some((since, still));
        unconfirmed
    }

    /// The API server does not have these either.
    pub(crate) fn confirmed(&mut self, keys: BTreeSet<ObjectKey>) {
        self.0.get_or_insert_with(|| (Instant::now(), BTreeSet::new())).1.extend(keys);
    }
}

/// How long the operator does not ask again for an object that no watch would show.
const RECENT: Duration = Duration::from_secs(30);

/// Objects that the API server did not have a moment ago, of kinds whose watch shows only children.
#[derive(Debug, Default)]
pub(super) struct RecentlyAbsent(Mutex<BTreeMap<ObjectKey, Instant>>);

impl RecentlyAbsent {
    pub(super) fn is_recent(&self, key: &ObjectKey) -> bool {
        self.asked().get(key).is_some_and(|asked| asked.elapsed() < RECENT)
    }

    pub(super) fn note(&self, key: &ObjectKey) {
        let mut asked = self.asked();
        asked.retain(|_, asked| asked.elapsed() < RECENT);
        asked.insert(key.clone(), Instant::now());
    }

    fn asked(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::Secret;
    use kube::core::{ApiResource, ObjectMeta};
    use plan::{Health, ObservedObject};

    #[tokio::test(start_paused = true)]
    async fn the_api_server_is_asked_once_and_again_when_there_was_such_an_object_or_after_five_minutes() {
        let (a, b) = (ObjectKey::of::<Secret>("ns", "a"), ObjectKey::of::<Secret>("ns", "b"));
        let keys = BTreeSet::from([a.clone(), b.clone()]);
        let index = Index::default();
        index.listed("", "Secret", &BTreeSet::new());
        let mut absences = Absences::default();
        assert_eq!(absences.unconfirmed(&keys, &index), keys);
        absences.confirmed(keys.clone());
        assert_eq!(absences.unconfirmed(&keys, &index), BTreeSet::new());

        let meta =
            ObjectMeta { name: Some("a".into()), namespace: Some("ns".into()), ..ObjectMeta::default() };
        let resource = ApiResource::erase::<Secret>(&());
        index.seen(ObservedObject::of(&resource, &meta, Health::READY, &BTreeSet::new()).unwrap());
        assert_eq!(absences.unconfirmed(&keys, &index), BTreeSet::from([a]));

        tokio::time::advance(BELIEVED).await;
        assert_eq!(absences.unconfirmed(&keys, &index), keys);
    }
}
