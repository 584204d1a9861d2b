//! The kinds of children a component may have.

use crate::{AnyManifest, Health, Manifest, Owner, world::resource_of};
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

/// Which program makes objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ManagedBy {
    /// Another controller: the operator reads them and waits for them, see [`crate::Policy::Await`].
    OtherControllers,
    /// The operator: it may create, change and delete them.
    Operator,
}

/// A kind of child, without its type.
#[derive(Clone, Debug)]
pub struct ChildKind {
    /// How the API server knows it.
    pub resource: ApiResource,
    /// Which program makes its objects.
    pub managed_by: ManagedBy,
    /// How much of it must be watched.
    pub observe: Observe,
    /// What a user installs so that the cluster serves it.
    pub provider: &'static str,
    /// How an observed object is; fails where it cannot be decoded.
    pub health: fn(serde_json::Value) -> serde_json::Result<Health>,
}

impl ChildKind {
    /// What there is to know about `K`.
    pub fn of<K: Manifest>() -> Self {
        Self {
            resource: resource_of::<K>(),
            managed_by: ManagedBy::Operator,
            observe: K::OBSERVE,
            provider: K::PROVIDER,
            health: |object| Ok(Health::of(&serde_json::from_value::<K>(object)?)),
        }
    }

    /// What there is to know about one of our own kinds, whether it is anybody's child or not.
    pub fn of_owner<O: Owner>() -> Self {
        Self {
            resource: ApiResource::erase::<O>(&()),
            managed_by: ManagedBy::Operator,
            observe: Observe::Status,
            provider: "the operator's definitions",
            health: Health::by_conditions,
        }
    }
}

/// The kinds of children a component may have, each once.
#[derive(Clone, Debug, Default)]
pub struct Children {
    kinds: BTreeMap<(String, String), ChildKind>,
    outside: Outside,
}

/// Whether a component has children in systems outside the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Outside {
    #[default]
    None,
    Some,
}

impl Children {
    /// No kind at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// These and `K`.
    #[must_use]
    pub fn and<K: Manifest>(mut self) -> Self {
        self.add(ChildKind::of::<K>());
        self
    }

    /// These and `K`, whose objects are made by others and only waited for.
    #[must_use]
    pub fn awaiting<K: Manifest>(mut self) -> Self {
        self.add(ChildKind { managed_by: ManagedBy::OtherControllers, ..ChildKind::of::<K>() });
        self
    }

    /// These, and objects in systems outside the cluster: the operator records them in the owner.
    #[must_use]
    pub fn and_external(self) -> Self {
        Self { outside: Outside::Some, ..self }
    }

    /// Whether there are objects in systems outside the cluster among them.
    pub fn has_external(&self) -> bool {
        self.outside == Outside::Some
    }

    /// Adds all of another component's kinds.
    pub fn extend(&mut self, other: Self) {
        self.outside = self.outside.max(other.outside);
        other.kinds.into_values().for_each(|kind| self.add(kind));
    }

    /// A kind that is made here and awaited there is made.
    fn add(&mut self, kind: ChildKind) {
        let key = (kind.resource.group.clone(), kind.resource.kind.clone());
        let managed_by =
            self.kinds.get(&key).map_or(kind.managed_by, |known| known.managed_by.max(kind.managed_by));
        self.kinds.insert(key, ChildKind { managed_by, ..kind });
    }

    /// The kinds, ordered by group and name.
    pub fn iter(&self) -> impl Iterator<Item = &ChildKind> {
        self.kinds.values()
    }

    /// Whether an object is of one of these kinds.
    pub fn contains(&self, object: &dyn AnyManifest) -> bool {
        let key = object.key();
        let is_one = || self.kinds.contains_key(&(key.group.clone(), key.kind.clone()));
        if key.system().is_some() { self.has_external() } else { is_one() }
    }
}
