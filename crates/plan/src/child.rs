//! The kinds of children a component may have.

use crate::{AnyManifest, Health, Manifest, Owner, Placement, Scoped, world::resource_of};
use kube::{
    Resource,
    core::{ApiResource, ClusterResourceScope},
};
use std::collections::BTreeMap;

/// How much of an object the operator must watch to know its health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observe {
    /// Its metadata: it is ready when it exists.
    Metadata,
    /// Its metadata and its status.
    Status,
}

/// Which program creates the objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ManagedBy {
    /// Another controller: the operator reads them and waits for them, see [`crate::Policy::Await`].
    OtherControllers,
    /// Other programs: the operator adds items to their lists, see [`crate::Policy::Amend`].
    Amended,
    /// The operator: it may create, change and delete them.
    Operator,
}

/// A kind of child, without its type.
#[derive(Clone, Debug)]
pub struct ChildKind {
    /// Group, version, kind and plural.
    pub resource: ApiResource,
    /// Where its objects live.
    pub placement: Placement,
    /// Which program creates its objects.
    pub managed_by: ManagedBy,
    /// How much of an object the operator must watch.
    pub observe: Observe,
    /// The software that a user installs so that the API server serves the kind.
    pub provider: &'static str,
    /// The health of an observed object; fails if the object cannot be decoded.
    pub health: fn(serde_json::Value) -> serde_json::Result<Health>,
}

impl ChildKind {
    /// The kind of child that `K` is.
    pub fn of<K: Manifest>() -> Self {
        Self {
            resource: resource_of::<K>(),
            placement: Placement::Namespaced,
            managed_by: ManagedBy::Operator,
            observe: K::OBSERVE,
            provider: K::PROVIDER,
            health: |object| Ok(Health::of(&serde_json::from_value::<K>(object)?)),
        }
    }

    /// The kind of child that a custom resource of the operator is. Some of them are never children.
    pub fn of_owner<O: Owner>() -> Self {
        Self {
            resource: ApiResource::erase::<O>(&()),
            placement: <O::Scope as Scoped>::PLACEMENT,
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
    AtTimes,
    Some,
}

impl Children {
    /// No kinds.
    pub fn none() -> Self {
        Self::default()
    }

    /// These and `K`.
    #[must_use]
    pub fn and<K: Manifest>(mut self) -> Self {
        self.add(ChildKind::of::<K>());
        self
    }

    /// These and `K`, whose objects another controller creates and the operator only waits for.
    #[must_use]
    pub fn awaiting<K: Manifest>(mut self) -> Self {
        self.add(ChildKind { managed_by: ManagedBy::OtherControllers, ..ChildKind::of::<K>() });
        self
    }

    /// These and `K`, a kind of cluster-wide objects that the operator only reads. It watches their metadata, and an operator
    /// that is limited to namespaces does not.
    #[must_use]
    pub fn reading<K: Resource<DynamicType = (), Scope = ClusterResourceScope>>(mut self) -> Self {
        self.add(ChildKind {
            resource: ApiResource::erase::<K>(&()),
            placement: Placement::ClusterWide,
            managed_by: ManagedBy::OtherControllers,
            observe: Observe::Metadata,
            provider: "Kubernetes",
            health: |_| Ok(Health::READY),
        });
        self
    }

    /// These and `K`, whose objects other programs manage and the operator adds items to. The operator records the items in the
    /// owner.
    #[must_use]
    pub fn amending<K: Manifest>(mut self) -> Self {
        self.add(ChildKind { managed_by: ManagedBy::Amended, ..ChildKind::of::<K>() });
        self
    }

    /// These, and objects in systems outside the cluster: the operator records them in the owner.
    #[must_use]
    pub fn and_external(self) -> Self {
        Self { outside: Outside::Some, ..self }
    }

    /// These, and at times objects in systems outside the cluster, such as while something there is to change.
    #[must_use]
    pub fn and_external_at_times(self) -> Self {
        Self { outside: self.outside.max(Outside::AtTimes), ..self }
    }

    /// Whether there are objects in systems outside the cluster among them, if only at times.
    pub fn has_external(&self) -> bool {
        self.outside != Outside::None
    }

    /// Whether what their owner describes lives outside the cluster.
    pub fn live_outside(&self) -> bool {
        self.outside == Outside::Some
    }

    /// Adds all of another component's kinds.
    pub fn extend(&mut self, other: Self) {
        self.outside = self.outside.max(other.outside);
        other.kinds.into_values().for_each(|kind| self.add(kind));
    }

    /// If one component creates objects of the kind and another only awaits or amends them, the operator manages the kind.
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
