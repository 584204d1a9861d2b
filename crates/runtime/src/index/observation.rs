//! What a watch tells about one object, reduced to what decisions need.

use kube::core::ObjectMeta;
use plan::{ObjectKey, Readiness};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash, Hasher},
};

/// Marks a child that must never be touched again; the old operator wrote it on generated secrets, users may too.
pub const IMMUTABLE_ANNOTATION: &str = "goharbor.io/immutable";

/// Which state of an object this is: as far as anything we set is concerned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Version {
    /// Counts changes of the spec, for kinds that have one: their status may change without concerning us.
    Generation(i64),
    /// Counts every change.
    Resource(String),
}

/// A label or an annotation as hashes: enough to notice a change, and small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tag(u64, u64);

/// An object as last seen. Holds neither its content nor its managed fields: thousands of children fit into memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Tells an object from a namesake created later.
    pub uid: String,
    /// State of the whole object.
    pub resource_version: String,
    /// State of what we set.
    pub version: Version,
    /// The controller it belongs to, with that one's uid.
    pub owner: Option<(ObjectKey, String)>,
    /// Its labels and annotations.
    pub tags: BTreeSet<Tag>,
    /// How it is.
    pub readiness: Readiness,
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
        readiness: Readiness,
        predecessors: &BTreeSet<String>,
    ) -> Option<Self> {
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let key = ObjectKey::dynamic(resource, namespace, meta.name.as_deref()?);
        let resource_version = meta.resource_version.clone().unwrap_or_default();
        let version = match meta.generation {
            Some(generation) => Version::Generation(generation),
            None => Version::Resource(resource_version.clone()),
        };
        let annotation = |key: &str| meta.annotations.as_ref().and_then(|all| all.get(key));
        let observation = Observation {
            uid: meta.uid.clone().unwrap_or_default(),
            resource_version,
            version,
            owner: controller_of(meta, namespace),
            tags: tags(meta),
            readiness,
            unadopted: meta.managed_fields.iter().flatten().any(|entry| {
                entry.operation.as_deref() == Some("Update")
                    && entry.subresource.as_deref().unwrap_or_default().is_empty()
                    && entry.manager.as_ref().is_some_and(|manager| predecessors.contains(manager))
            }),
            immutable: annotation(IMMUTABLE_ANNOTATION).is_some_and(|value| value == "true"),
            deleting: meta.deletion_timestamp.is_some(),
        };
        Some(Self { key, observation })
    }
}

impl Observation {
    /// Whether anything differs that a reconcile could act on. The resource version alone is no such thing: it moves
    /// with every tick of a status.
    pub fn differs_materially(&self, other: &Self) -> bool {
        let without_version = |o: &Self| Self { resource_version: String::new(), ..o.clone() };
        without_version(self) != without_version(other)
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

fn controller_of(meta: &ObjectMeta, namespace: &str) -> Option<(ObjectKey, String)> {
    let owner = meta.owner_references.iter().flatten().find(|owner| owner.controller == Some(true))?;
    let group = owner.api_version.split_once('/').map_or("", |(group, _)| group);
    let key = ObjectKey {
        group: group.into(),
        kind: owner.kind.clone(),
        namespace: namespace.into(),
        name: owner.name.clone(),
    };
    Some((key, owner.uid.clone()))
}
