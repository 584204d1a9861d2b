//! What a watch tells about one object, reduced to what decisions need.

use crate::ownership::Provenance;
use api::names::{FIELD_MANAGER_PREFIX, IMMUTABLE_ANNOTATION, KEPT_ANNOTATION};
use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry;
use kube::core::{DynamicObject, ObjectMeta};
use plan::{Health, ObjectKey, mutation::KeptFor};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
};

/// What of an object is ours: a hash of our entries in its managed fields.
///
/// Whoever changes a field of ours takes it away from us, and changing anything else leaves the claim as it is; so it
/// tells drift from a status, a label or an annotation that is somebody else's business, also of kinds that count
/// generations: a Deployment's moves when its controller annotates it. The time of our last change is a part of it, for
/// there may be another process of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim(u64);

/// A label or an annotation as hashes: enough to notice a change, and small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(u64, u64);

/// The state an object is in, and how much of it is news.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edition {
    /// Of the whole object: its resource version.
    pub version: String,
    /// Of what is decided on: its spec, its labels and its annotations. It outlives every tick of a status.
    pub substance: u64,
}

impl Edition {
    /// The state of the object with this metadata. Of a kind that does not count generations, everything is substance.
    pub fn of(meta: &ObjectMeta) -> Self {
        let version = meta.resource_version.clone().unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        meta.uid.hash(&mut hasher);
        match meta.generation {
            Some(generation) => {
                generation.hash(&mut hasher);
                tags(meta).hash(&mut hasher);
            }
            None => version.hash(&mut hasher),
        }
        Self { version, substance: hasher.finish() }
    }
}

/// Whose child an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whose {
    /// That of a controller, with its uid, and deleted with it.
    Owned(ObjectKey, String),
    /// Kept for whoever has this name.
    Kept(ObjectKey),
}

impl Whose {
    /// Who looks after it.
    pub fn key(&self) -> &ObjectKey {
        match self {
            Self::Owned(key, _) | Self::Kept(key) => key,
        }
    }

    /// The uid of the controller that it is deleted with.
    pub fn controller(&self) -> Option<&str> {
        match self {
            Self::Owned(_, uid) => Some(uid),
            Self::Kept(_) => None,
        }
    }
}

/// An object as last seen. Holds neither its content nor its managed fields: thousands of children fit into memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Tells an object from a namesake created later.
    pub uid: String,
    /// State of the whole object.
    pub resource_version: String,
    /// State of what is decided on where it is read.
    pub substance: u64,
    /// State of what we set.
    pub claim: Claim,
    /// Whose it is.
    pub owner: Option<Whose>,
    /// How it is.
    pub health: Health,
    /// How many pods it has, if it says so.
    pub replicas: Option<i32>,
    /// Until when it is valid, if it is a certificate of cert-manager's.
    pub expires: Option<Timestamp>,
    /// Who created it.
    pub provenance: Provenance,
    /// Whether fields of it still belong to the old operator.
    pub unadopted: bool,
    /// Whether it must not be touched.
    pub immutable: bool,
    /// Whether it is being deleted.
    pub deleting: bool,
}

/// An object, seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Which object.
    pub key: ObjectKey,
    /// How it looked.
    pub observation: Observation,
}

impl Sighting {
    /// Reduces an object of the given kind; `None` where it has no name, which the API server does not serve.
    pub fn of(
        resource: &kube::core::ApiResource,
        meta: &ObjectMeta,
        health: Health,
        predecessors: &BTreeSet<String>,
    ) -> Option<Self> {
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let key = ObjectKey::dynamic(resource, namespace, meta.name.as_deref()?);
        let Edition { version: resource_version, substance } = Edition::of(meta);
        let annotation = |key: &str| meta.annotations.as_ref().and_then(|all| all.get(key));
        let observation = Observation {
            uid: meta.uid.clone().unwrap_or_default(),
            resource_version,
            substance,
            claim: Claim::of(meta),
            owner: controller_of(meta, namespace).or_else(|| {
                annotation(KEPT_ANNOTATION)
                    .and_then(|value| KeptFor::parse(value, namespace))
                    .map(Whose::Kept)
            }),
            health,
            replicas: None,
            expires: None,
            provenance: Provenance::of(meta, predecessors),
            unadopted: entries(meta, "Update").any(|(manager, _)| predecessors.contains(manager)),
            immutable: annotation(IMMUTABLE_ANNOTATION).is_some_and(|value| value == "true"),
            deleting: meta.deletion_timestamp.is_some(),
        };
        Some(Self { key, observation })
    }

    /// The same with the number of pods, or the end of validity, that the object tells in its status.
    #[must_use]
    pub fn counting(mut self, object: &DynamicObject) -> Self {
        let replicas = object.data.pointer("/status/replicas").and_then(serde_json::Value::as_i64);
        self.observation.replicas = replicas.and_then(|replicas| replicas.try_into().ok());
        let expires = object.data.pointer("/status/notAfter").and_then(serde_json::Value::as_str);
        self.observation.expires = expires.and_then(|expires| expires.parse().ok());
        self
    }
}

impl Claim {
    fn of(meta: &ObjectMeta) -> Self {
        let mut hasher = DefaultHasher::new();
        for (manager, entry) in
            entries(meta, "Apply").filter(|(manager, _)| manager.starts_with(FIELD_MANAGER_PREFIX))
        {
            let fields = entry.fields_v1.as_ref().map(|fields| fields.0.to_string());
            (manager, fields, entry.time.as_ref().map(|time| time.0)).hash(&mut hasher);
        }
        Self(hasher.finish())
    }
}

/// Who owns which fields of the object itself, rather than of its status, by this operation.
fn entries<'a>(
    meta: &'a ObjectMeta,
    operation: &'a str,
) -> impl Iterator<Item = (&'a String, &'a ManagedFieldsEntry)> {
    let all = meta.managed_fields.iter().flatten();
    all.filter(move |entry| {
        entry.operation.as_deref() == Some(operation)
            && entry.subresource.as_deref().unwrap_or_default().is_empty()
    })
    .filter_map(|entry| Some((entry.manager.as_ref()?, entry)))
}

impl Observation {
    /// Whether anything differs that the owner could act on. The resource version alone is no such thing: it moves with
    /// every tick of a status. What others set is their business.
    pub fn differs_materially(&self, other: &Self) -> bool {
        let without_version = |o: &Self| Self { resource_version: String::new(), substance: 0, ..o.clone() };
        without_version(self) != without_version(other)
    }

    /// The state it was in.
    pub fn edition(&self) -> Edition {
        Edition { version: self.resource_version.clone(), substance: self.substance }
    }

    /// Whether this is an older state than one with `resource_version`. Versions that cannot be compared are not.
    pub fn is_older_than(&self, resource_version: &str) -> bool {
        match (self.resource_version.parse::<u64>(), resource_version.parse::<u64>()) {
            (Ok(this), Ok(other)) => this < other,
            _ => false,
        }
    }
}

/// The labels and annotations of an object, as hashes.
pub(crate) fn tags(meta: &ObjectMeta) -> BTreeSet<Tag> {
    let empty = BTreeMap::new();
    let labels = meta.labels.as_ref().unwrap_or(&empty).iter().map(|(key, value)| tag("label", key, value));
    let annotations = meta.annotations.as_ref().unwrap_or(&empty).iter();
    labels.chain(annotations.map(|(key, value)| tag("annotation", key, value))).collect()
}

fn tag(sort: &str, key: &str, value: &str) -> Tag {
    let hash = |what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        hasher.finish()
    };
    Tag(hash(&|hasher| (sort, key).hash(hasher)), hash(&|hasher| value.hash(hasher)))
}

/// Whose an object is that has a controller.
pub(crate) fn controller_of(meta: &ObjectMeta, namespace: &str) -> Option<Whose> {
    let owner = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))?;
    let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
    let key = ObjectKey::new(group, &owner.kind, namespace, &owner.name);
    Some(Whose::Owned(key, owner.uid.clone()))
}
