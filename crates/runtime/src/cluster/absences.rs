//! Objects that did not exist when the operator read them.

use super::index::Index;
use plan::ObjectKey;
use std::{collections::BTreeSet, time::Duration};
use tokio::time::Instant;

/// How long a confirmed absence is valid. The watch reports an object that is created later; this limit is for a
/// watch that fails to.
const VALID_FOR: Duration = Duration::from_mins(5);

/// The objects that one owner reads and that do not exist. Confirmed with one read, not with one for each reconcile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Absences(Option<(Instant, BTreeSet<ObjectKey>)>);

impl Absences {
    /// The `keys` whose absence needs a read, because so far only the watch says that they do not exist.
    pub(crate) fn unconfirmed(&mut self, keys: &BTreeSet<ObjectKey>, index: &Index) -> BTreeSet<ObjectKey> {
        let Some((since, confirmed)) = self.0.take().filter(|(since, _)| since.elapsed() < VALID_FOR) else {
            return keys.clone();
        };
        let (still, unconfirmed) =
            keys.iter().cloned().partition(|key| confirmed.contains(key) && index.lacks(key));
        self.0 = Some((since, still));
        unconfirmed
    }

    /// Records that a read has confirmed the absence of these.
    pub(crate) fn confirmed(&mut self, keys: BTreeSet<ObjectKey>) {
        self.0.get_or_insert_with(|| (Instant::now(), BTreeSet::new())).1.extend(keys);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::core::v1::Secret;
    use kube::core::{ApiResource, ObjectMeta};
    use plan::{Health, ObservedObject};

    #[tokio::test(start_paused = true)]
    async fn an_absence_is_confirmed_once_and_again_after_the_object_was_observed_or_after_five_minutes() {
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

        tokio::time::advance(VALID_FOR).await;
        assert_eq!(absences.unconfirmed(&keys, &index), keys);
    }
}
