//! Which owner has which object outside the cluster, by the records in the owners. Of several, the oldest has it.

use api::names::EXTERNAL_ANNOTATION;
use jiff::Timestamp;
use kube::core::ObjectMeta;
use plan::{DigestKey, ObjectKey, Record, Signer};
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// When an owner was created. Of two that were created in the same second, the order of their names decides.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Claimant {
    created: Option<Timestamp>,
    pub(crate) owner: ObjectKey,
}

impl Claimant {
    pub(crate) fn new(owner: &ObjectKey, meta: &ObjectMeta) -> Self {
        Self { created: meta.creation_timestamp.as_ref().map(|time| time.0), owner: owner.clone() }
    }
}

/// The fields of an object that an owner has; none for the whole object.
pub(crate) type Fields = BTreeSet<String>;

/// The records of all owners.
#[derive(Debug, Default)]
pub(crate) struct Claims(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    by_object: BTreeMap<ObjectKey, BTreeMap<Claimant, Fields>>,
    by_owner: BTreeMap<ObjectKey, (Claimant, Record)>,
    /// The owners that want a part of an object, by that object.
    contenders: BTreeMap<ObjectKey, BTreeSet<ObjectKey>>,
}

impl Claims {
    /// Notes the record of an owner, and returns the objects that it claims now and did not before, or the reverse. Records
    /// that are not signed with `key` claim nothing: another user could keep an object from its owner. Readers have no key.
    pub(crate) fn put(
        &self,
        owner: &ObjectKey,
        meta: &ObjectMeta,
        key: Option<&DigestKey>,
    ) -> BTreeSet<ObjectKey> {
        let annotation = meta.annotations.as_ref().and_then(|all| all.get(EXTERNAL_ANNOTATION));
        let signer = key.map(|key| Signer { key, owner });
        let record = Record::signed(annotation.map(String::as_str), signer);
        self.state().replace(owner, (Claimant::new(owner, meta), record))
    }

    /// Forgets an owner that is gone, and returns the objects that it claimed.
    pub(crate) fn remove(&self, owner: &ObjectKey) -> BTreeSet<ObjectKey> {
        let nothing = (Claimant { created: None, owner: owner.clone() }, Record::default());
        let mut state = self.state();
        state.contenders.retain(|_, contenders| {
            contenders.remove(owner);
            !contenders.is_empty()
        });
        state.replace(owner, nothing)
    }

    /// The owner that has an object of which `contender` wants a part; the oldest of several. The contender is among
    /// [`Claims::contenders`] from now on.
    pub(crate) fn holder(&self, object: &ObjectKey, contender: &ObjectKey) -> Option<ObjectKey> {
        let mut state = self.state();
        state.contenders.entry(object.clone()).or_default().insert(contender.clone());
        let mut holders = state.by_object.get(object)?.keys().map(|claimant| &claimant.owner);
        holders.find(|owner| *owner != contender).cloned()
    }

    /// The owners that want a part of an object.
    pub(crate) fn contenders(&self, object: &ObjectKey) -> BTreeSet<ObjectKey> {
        self.state().contenders.get(object).cloned().unwrap_or_default()
    }

    /// The owners that have an object, or fields of it, and are older than `claimant`; the oldest first.
    pub(crate) fn seniors(&self, object: &ObjectKey, claimant: &Claimant) -> Vec<(ObjectKey, Fields)> {
        let state = self.state();
        let seniors = state.by_object.get(object).into_iter().flat_map(|all| all.range(..claimant));
        seniors.map(|(senior, theirs)| (senior.owner.clone(), theirs.clone())).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn replace(&mut self, owner: &ObjectKey, (claimant, record): (Claimant, Record)) -> BTreeSet<ObjectKey> {
        let before = self.by_owner.remove(owner);
        if before.as_ref().is_some_and(|before| *before == (claimant.clone(), record.clone())) {
            self.by_owner.extend(before.map(|before| (owner.clone(), before)));
            return BTreeSet::new();
        }
        let mut changed = BTreeSet::new();
        if let Some((former, record)) = before {
            for (object, _) in record.iter() {
                if let Entry::Occupied(mut claimants) = self.by_object.entry(object.clone()) {
                    claimants.get_mut().remove(&former);
                    if claimants.get().is_empty() {
                        claimants.remove();
                    }
                }
                changed.insert(object.clone());
            }
        }
        for (object, claim) in record.iter() {
            self.by_object.entry(object.clone()).or_default().insert(claimant.clone(), claim.fields.clone());
            changed.insert(object.clone());
        }
        if record != Record::default() {
            self.by_owner.insert(owner.clone(), (claimant, record));
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
    use plan::{Claim, Contents, DeletionBehavior, Origin, System};

    const KEY: DigestKey = DigestKey::new([7; 32]);

    fn owner(name: &str) -> ObjectKey {
        ObjectKey::new("goharbor.io", "HarborProject", "ns", name)
    }

    fn object(name: &str) -> ObjectKey {
        ObjectKey::external(&System::new("harbor", "ns", "acme"), "project", name)
    }

    fn fields<const N: usize>(fields: [&str; N]) -> Fields {
        fields.map(str::to_owned).into()
    }

    /// The metadata of an owner that was created in this second and claims these objects.
    fn meta<const N: usize>(name: &str, second: i64, claims: [(&str, Fields); N]) -> ObjectMeta {
        let mut record = Record::default();
        for (name, fields) in claims {
            let claim = Claim {
                origin: Origin::Created,
                deletion: DeletionBehavior::Owned,
                contents: Contents::Kept,
                written: None,
                fields,
            };
            record.insert(object(name), claim);
        }
        let owner = owner(name);
        let annotation = record.to_annotation(Signer { key: &KEY, owner: &owner });
        ObjectMeta {
            creation_timestamp: Some(Time(Timestamp::from_second(second).unwrap())),
            annotations: annotation.map(|text| [(EXTERNAL_ANNOTATION.to_owned(), text)].into()),
            ..ObjectMeta::default()
        }
    }

    fn claimant(name: &str, second: i64) -> Claimant {
        Claimant::new(&owner(name), &meta(name, second, []))
    }

    #[test]
    fn the_older_of_two_owners_has_an_object_until_it_is_gone() {
        let claims = Claims::default();
        claims.put(&owner("old"), &meta("old", 1, [("alpha", fields([]))]), Some(&KEY));
        claims.put(&owner("new"), &meta("new", 2, [("alpha", fields([]))]), Some(&KEY));
        let seniors = |name, second| claims.seniors(&object("alpha"), &claimant(name, second));
        let (old, new) = ((owner("old"), fields([])), (owner("new"), fields([])));
        assert_eq!(
            [seniors("old", 1), seniors("new", 2), seniors("newest", 3)],
            [vec![], vec![old.clone()], vec![old, new.clone()]]
        );
        assert_eq!(claims.remove(&owner("old")), [object("alpha")].into());
        assert_eq!([seniors("new", 2), seniors("newest", 3)], [vec![], vec![new]]);
    }

    #[test]
    fn the_older_owners_of_an_object_have_the_fields_that_they_recorded() {
        let claims = Claims::default();
        let old = meta("old", 1, [("settings", fields(["auth_mode"]))]);
        claims.put(&owner("old"), &old, Some(&KEY));
        let seniors = claims.seniors(&object("settings"), &claimant("new", 2));
        assert_eq!(seniors, [(owner("old"), fields(["auth_mode"]))]);
    }

    #[test]
    fn a_record_that_the_operator_did_not_sign_claims_nothing() {
        let claims = Claims::default();
        let forged = meta("old", 1, [("alpha", fields([]))]);
        assert_eq!(claims.put(&owner("forger"), &forged, Some(&KEY)), BTreeSet::new());
        assert_eq!(claims.seniors(&object("alpha"), &claimant("new", 2)), []);
    }

    #[test]
    fn owners_of_parts_learn_who_has_the_whole_until_they_are_gone() {
        let claims = Claims::default();
        let (whole, part) = (object("members"), owner("part"));
        assert_eq!(claims.holder(&whole, &part), None);
        assert_eq!(claims.contenders(&whole), [part.clone()].into());
        claims.put(&owner("young"), &meta("young", 9, [("members", fields([]))]), Some(&KEY));
        assert_eq!(claims.holder(&whole, &part), Some(owner("young")));
        claims.remove(&part);
        assert_eq!(claims.contenders(&whole), BTreeSet::new());
    }

    #[test]
    fn only_what_changes_is_returned() {
        let claims = Claims::default();
        let one = meta("a", 1, [("alpha", fields([]))]);
        assert_eq!(claims.put(&owner("a"), &one, Some(&KEY)), [object("alpha")].into());
        assert_eq!(claims.put(&owner("a"), &one, Some(&KEY)), BTreeSet::new());
    }
}
