//! The kinds of children a component may have.

use crate::{AnyManifest, Manifest, Owner, Readiness, world::resource_of};
use kube::core::ApiResource;
use std::collections::BTreeMap;

/// How much of an object must be watched to know how it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observe {
    /// Its metadata: it is ready by existing.
    Metadata,
    /// Its status too.
    Status,
}

/// A kind of child, without its type.
#[derive(Clone, Debug)]
pub struct ChildKind {
    /// How the API server knows it.
    pub resource: ApiResource,
    /// How much of it must be watched.
    pub observe: Observe,
    /// What a user installs so that the cluster serves it.
    pub provider: &'static str,
    /// How an observed object is; fails where it cannot be decoded.
    pub readiness: fn(serde_json::Value) -> serde_json::Result<Readiness>,
}

impl ChildKind {
    /// What there is to know about `K`.
    pub fn of<K: Manifest>() -> Self {
        Self {
            resource: resource_of::<K>(),
            observe: K::OBSERVE,
            provider: K::PROVIDER,
            readiness: |object| Ok(serde_json::from_value::<K>(object)?.readiness()),
        }
    }

    /// What there is to know about one of our own kinds, whether it is anybody's child or not.
    pub fn of_owner<O: Owner>() -> Self {
        Self {
            resource: ApiResource::erase::<O>(&()),
            observe: Observe::Status,
            provider: "the operator's definitions",
            readiness: Readiness::by_conditions,
        }
    }
}

/// The kinds of children a component may have, each once.
#[derive(Clone, Debug, Default)]
pub struct Children(BTreeMap<(String, String), ChildKind>);

impl Children {
    /// No kind at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// These and `K`.
    #[must_use]
    pub fn and<K: Manifest>(mut self) -> Self {
        let kind = ChildKind::of::<K>();
        self.0.insert((kind.resource.group.clone(), kind.resource.kind.clone()), kind);
        self
    }

    /// Adds all of another component's kinds.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// The kinds, ordered by group and name.
    pub fn iter(&self) -> impl Iterator<Item = &ChildKind> {
        self.0.values()
    }

    /// Whether an object is of one of these kinds.
    pub fn contains(&self, object: &dyn AnyManifest) -> bool {
        let key = object.key();
        self.0.contains_key(&(key.group.clone(), key.kind.clone()))
    }
}
