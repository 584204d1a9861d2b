//! Which objects outside the cluster the operator keeps for an owner, and which items it added to objects of other programs:
//! an annotation of the owner, since neither a restart nor a system without labels may make the operator forget what it created.
//! No garbage collector deletes these.

use super::{Contents, System};
#[cfg(doc)]
use crate::External;
use crate::{Amended, DeletionBehavior, Digest, DigestKey, ObjectKey, Parts};
use api::names::EXTERNAL_ANNOTATION;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The objects outside the cluster that the operator keeps for one owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    claims: BTreeMap<ObjectKey, Claim>,
    /// The identities of the systems that they are in, as far as they have any.
    systems: BTreeMap<System, String>,
    amended: Vec<Amended>,
}

/// What is recorded of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it is deleted with its owner, where the operator created it.
    pub deletion: DeletionBehavior,
    /// What happens to its contents when it is deleted.
    pub contents: Contents,
    /// Digest of the write-only fields that were sent last.
    pub written: Option<Digest>,
    /// The fields that the owner has, see [`External::claimed_fields`]; empty where it has the whole object.
    pub fields: BTreeSet<String>,
}

/// Where an object outside the cluster comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The operator created it, or was about to.
    Created,
    /// It existed before.
    Adopted,
}

/// The annotation does not hold a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the annotation {EXTERNAL_ANNOTATION} cannot be read; restore it, or remove it to have the operator forget which \
     objects it created outside the cluster"
)]
pub struct UnreadableRecord;

/// A claim as it is stored, without its defaults.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Entry {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    adopted: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    kept: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    with_contents: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    fields: BTreeSet<String>,
}

/// Entries by system, collection and name.
type Objects = BTreeMap<String, BTreeMap<String, BTreeMap<String, Entry>>>;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Annotation {
    objects: Objects,
    /// Identities by system.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    systems: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    amended: Vec<Amended>,
    signature: Option<String>,
}

impl Annotation {
    fn parse(text: &str) -> Result<Self, UnreadableRecord> {
        serde_json::from_str(text).map_err(|_| UnreadableRecord)
    }

    fn is_signed_by(&self, signer: Option<Signer<'_>>) -> bool {
        let is_its = |signer: Signer<'_>| self.signature.is_some() && self.signature == signer.sign(self);
        signer.is_none_or(is_its)
    }
}

/// Signs the record of one owner.
#[derive(Clone, Copy, Debug)]
pub struct Signer<'a> {
    /// What only the operator has.
    pub key: &'a DigestKey,
    /// The owner, so that the record of another one is no record of this one.
    pub owner: &'a ObjectKey,
}

impl Signer<'_> {
    fn sign(&self, Annotation { objects, systems, amended, .. }: &Annotation) -> Option<String> {
        let Parts { group, kind, namespace, name } = &**self.owner;
        let owner = (group, kind, namespace, name);
        let signature = match amended.as_slice() {
            [] => self.key.digest(&(group, kind, namespace, name, objects, systems)),
            amended => self.key.digest(&(owner, objects, systems, amended)),
        };
        Some(signature.ok()?.to_string())
    }
}

impl Record {
    /// The record that an annotation holds. What the operator has not signed counts as adopted, and so is never deleted, or as not
    /// added; without a signer, which only readers are, everything counts as signed.
    pub fn parse(annotation: Option<&str>, signer: Option<Signer<'_>>) -> Result<Self, UnreadableRecord> {
        let Some(text) = annotation else { return Ok(Self::default()) };
        let annotation = Annotation::parse(text)?;
        let is_signed = annotation.is_signed_by(signer);
        let Annotation { objects, systems, amended, .. } = annotation;
        let amended = if is_signed { amended } else { Vec::new() };
        let mut record = Self { amended, ..Self::default() };
        for (group, collections) in objects {
            let system = System::of_group(&group).ok_or(UnreadableRecord)?;
            for (collection, objects) in collections {
                for (name, Entry { adopted, kept, with_contents, written, fields }) in objects {
                    let claim = Claim {
                        origin: if adopted || !is_signed { Origin::Adopted } else { Origin::Created },
                        deletion: if kept { DeletionBehavior::Kept } else { DeletionBehavior::Owned },
                        contents: if with_contents { Contents::Deleted } else { Contents::Kept },
                        written: written.as_deref().and_then(Digest::parse),
                        fields,
                    };
                    record.claims.insert(ObjectKey::external(&system, &collection, &name), claim);
                }
            }
        }
        for (group, identity) in systems {
            record.systems.insert(System::of_group(&group).ok_or(UnreadableRecord)?, identity);
        }
        Ok(record)
    }

    /// The record that an annotation holds; an empty one if the operator has not signed it.
    pub fn signed(annotation: Option<&str>, signer: Option<Signer<'_>>) -> Self {
        let parsed = annotation.and_then(|text| Annotation::parse(text).ok());
        let is_signed = parsed.is_some_and(|annotation| annotation.is_signed_by(signer));
        let record = is_signed.then(|| Self::parse(annotation, signer).ok()).flatten();
        record.unwrap_or_default()
    }

    /// The annotation; `None` where nothing is recorded.
    pub fn to_annotation(&self, signer: Signer<'_>) -> Option<String> {
        let mut objects = Objects::new();
        for (key, Claim { origin, deletion, contents, written, fields }) in &self.claims {
            let claim = Entry {
                adopted: *origin == Origin::Adopted,
                kept: *deletion == DeletionBehavior::Kept,
                with_contents: *contents == Contents::Deleted,
                written: written.map(|digest| digest.to_string()),
                fields: fields.clone(),
            };
            let collections = objects.entry(key.group.clone()).or_default();
            collections.entry(key.kind.clone()).or_default().insert(key.name.clone(), claim);
        }
        let systems = self.systems.iter().map(|(system, identity)| (system.group(), identity.clone()));
        let (systems, amended) = (systems.collect(), self.amended.clone());
        let mut annotation = Annotation { objects, systems, amended, signature: None };
        annotation.signature = signer.sign(&annotation);
        // A map of strings always has a JSON form.
        let text = || serde_json::to_string(&annotation).unwrap_or_default();
        (*self != Self::default()).then(text)
    }

    /// What is recorded of an object.
    pub fn get(&self, key: &ObjectKey) -> Option<&Claim> {
        self.claims.get(key)
    }

    /// What is recorded.
    pub fn iter(&self) -> impl Iterator<Item = (&ObjectKey, &Claim)> {
        self.claims.iter()
    }

    /// Records an object.
    pub fn insert(&mut self, key: ObjectKey, claim: Claim) {
        self.claims.insert(key, claim);
    }

    /// Forgets an object.
    pub fn remove(&mut self, key: &ObjectKey) {
        self.claims.remove(key);
        let is_used = |system: &System| self.claims.keys().any(|key| key.system() == Some(system));
        self.systems.retain(|system, _| is_used(system));
    }

    /// The items that the operator added to objects of other programs.
    pub fn amended(&self) -> &[Amended] {
        &self.amended
    }

    /// Records that the operator adds an item.
    pub fn amend(&mut self, item: Amended) {
        if !self.amended.contains(&item) {
            self.amended.push(item);
        }
    }

    /// Forgets an item.
    pub fn forget_amended(&mut self, item: &Amended) {
        self.amended.retain(|it| it != item);
    }

    /// The systems in which the operator keeps objects for the owner and that have an identity.
    pub fn systems(&self) -> impl Iterator<Item = (&System, &str)> {
        self.systems.iter().map(|(system, identity)| (system, identity.as_str()))
    }

    /// The identity of a system in which the operator keeps objects for the owner.
    pub fn identity(&self, system: &System) -> Option<&str> {
        self.systems.get(system).map(String::as_str)
    }

    /// Notes the identity of a system.
    pub fn identify(&mut self, system: &System, identity: &str) {
        self.systems.insert(system.clone(), identity.to_owned());
    }

    /// The objects that are not `wanted`, each with whether it is to be deleted.
    ///
    /// What is not recorded is never among them, whatever a system shows.
    pub fn unwanted(&self, wanted: &BTreeSet<&ObjectKey>) -> BTreeMap<ObjectKey, DeletionBehavior> {
        let unwanted = self.claims.iter().filter(|(key, _)| !wanted.contains(key));
        let behavior = |claim: &Claim| match claim {
            Claim { origin: Origin::Created, deletion, .. } => *deletion,
            Claim { origin: Origin::Adopted, .. } => DeletionBehavior::Kept,
        };
        unwanted.map(|(key, claim)| (key.clone(), behavior(claim))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Amendment;
    use proptest::prelude::*;

    fn claims() -> impl Strategy<Value = Claim> {
        let fields = prop::collection::btree_set("[a-z]{1,4}", 0..3);
        let parts = (any::<bool>(), any::<bool>(), any::<bool>(), prop::option::of("[a-z]{1,4}"), fields);
        parts.prop_map(|(adopted, kept, with_contents, value, fields)| Claim {
            origin: if adopted { Origin::Adopted } else { Origin::Created },
            deletion: if kept { DeletionBehavior::Kept } else { DeletionBehavior::Owned },
            contents: if with_contents { Contents::Deleted } else { Contents::Kept },
            written: value.map(|value| Digest::of(&value).unwrap()),
            fields,
        })
    }

    fn keys() -> impl Strategy<Value = ObjectKey> {
        ("[ab]", "[ab]", "[a-c]{1,2}[$+/ ]?[a-c]?").prop_map(|(system, collection, name)| {
            ObjectKey::external(&System::new("depot", "ns", &system), &collection, &name)
        })
    }

    fn records() -> impl Strategy<Value = Record> {
        let claims = prop::collection::btree_map(keys(), claims(), 0..6);
        (claims, prop::option::of("[a-z]{1,4}")).prop_map(|(claims, identity)| {
            let system = claims.keys().next().and_then(ObjectKey::system).cloned();
            let item = Amendment { list: "/list".into(), item: serde_json::json!({"name": "item"}) };
            let amended = identity.iter().map(|name| Amended::new(&owner(name), item.clone())).collect();
            Record { claims, systems: system.zip(identity).into_iter().collect(), amended }
        })
    }

    fn owner(name: &str) -> ObjectKey {
        ObjectKey::new("goharbor.io", "HarborProject", "ns", name)
    }

    const KEY: DigestKey = DigestKey::new([7; 32]);

    proptest! {
        #[test]
        fn what_is_written_is_read_back(record in records()) {
            let owner = owner("mine");
            let signer = Signer { key: &KEY, owner: &owner };
            let annotation = record.to_annotation(signer);
            prop_assert_eq!(Record::parse(annotation.as_deref(), None), Ok(record.clone()));
            prop_assert_eq!(Record::signed(annotation.as_deref(), Some(signer)), record.clone());
            prop_assert_eq!(Record::parse(annotation.as_deref(), Some(signer)), Ok(record));
        }

        #[test]
        fn nothing_is_deleted_that_the_operator_has_not_signed_for_this_owner(record in records()) {
            let (mine, other) = (owner("mine"), owner("other"));
            let signer = Signer { key: &KEY, owner: &mine };
            let annotation = record.to_annotation(signer);
            let unsigned = annotation.as_ref().map(|text| text.replace("\"signature\":\"", "\"signature\":\"0"));
            let another_key = Signer { key: &DigestKey::PLACEHOLDER, ..signer };
            let another_owner = Signer { owner: &other, ..signer };
            for (text, signer) in [(&unsigned, signer), (&annotation, another_key), (&annotation, another_owner)] {
                prop_assert_eq!(Record::signed(text.as_deref(), Some(signer)), Record::default());
                let forged = Record::parse(text.as_deref(), Some(signer)).unwrap();
                prop_assert!(forged.amended().is_empty());
                let unwanted = forged.unwanted(&BTreeSet::new());
                prop_assert_eq!(unwanted.len(), record.claims.len());
                prop_assert!(unwanted.values().all(|behavior| *behavior == DeletionBehavior::Kept));
            }
        }

        #[test]
        fn nothing_is_deleted_that_is_wanted_kept_or_was_not_created_by_the_operator(
            record in records(), others in prop::collection::btree_set(keys(), 0..6),
        ) {
            let wanted = others.iter().collect();
            for (key, behavior) in record.unwanted(&wanted) {
                prop_assert!(!others.contains(&key));
                let claim = record.get(&key);
                prop_assert!(claim.is_some(), "{} is not recorded", key);
                if behavior == DeletionBehavior::Owned {
                    prop_assert_eq!(claim.map(|claim| claim.origin), Some(Origin::Created));
                    prop_assert_eq!(claim.map(|claim| claim.deletion), Some(DeletionBehavior::Owned));
                }
            }
        }
    }

    #[test]
    fn defaults_are_left_out_and_what_is_no_record_is_refused() {
        let mut record = Record::default();
        let owner = owner("mine");
        let signer = Signer { key: &KEY, owner: &owner };
        assert_eq!(record.to_annotation(signer), None);
        let key = ObjectKey::external(&System::new("harbor", "registry", "acme"), "project", "alpha");
        let claim = Claim {
            origin: Origin::Created,
            deletion: DeletionBehavior::Owned,
            contents: Contents::Kept,
            written: None,
            fields: BTreeSet::new(),
        };
        record.insert(key, claim);
        let expected = r#"{"objects":{"harbor:registry/acme":{"project":{"alpha":{}}}},"signature":""#;
        assert!(record.to_annotation(signer).is_some_and(|text| text.starts_with(expected)));
        let apps = r#"{"objects":{"apps":{"project":{"alpha":{}}}}}"#;
        let unknown = r#"{"objects":{"a:b/c":{"d":{"e":{"f":1}}}}}"#;
        for text in ["", "[]", "{}", apps, unknown] {
            assert_eq!(Record::parse(Some(text), None), Err(UnreadableRecord), "{text}");
        }
    }
}
