//! A custom resource whose children are a pure function of its spec and of the objects it reads.

use crate::{
    Amended, Announcement, Aspect, Children, Conclusion, Connection, Desired, KindCondition, Outlook,
    PlanError, System, Violation, World,
};
use kube::{
    Resource,
    core::{ClusterResourceScope, NamespaceResourceScope},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::fmt;

/// Builds a graph of desired objects.
pub type Builder<'g> = graph::Builder<'g, Desired>;

/// Where objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// In namespaces.
    Namespaced,
    /// In no namespace. An operator that is limited to namespaces does not reconcile them.
    ClusterWide,
}

/// What the operator does to the owners of a kind, besides reading them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerAccess {
    /// They are custom resources of the operator: it writes their status, and their deletion may wait for their children.
    Written,
    /// They are objects of Kubernetes: the operator sends events about them, and never writes them.
    OnlyRead,
}

/// The scope of a kind, as a type.
pub trait Scoped {
    /// The scope.
    const PLACEMENT: Placement;
}

impl Scoped for NamespaceResourceScope {
    const PLACEMENT: Placement = Placement::Namespaced;
}

impl Scoped for ClusterResourceScope {
    const PLACEMENT: Placement = Placement::ClusterWide;
}

/// An object that can own children: a custom resource, or an object of Kubernetes.
pub trait Owner:
    Resource<DynamicType = (), Scope: Scoped>
    + Clone
    + fmt::Debug
    + Serialize
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

impl<T> Owner for T where
    T: Resource<DynamicType = (), Scope: Scoped>
        + Clone
        + fmt::Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// Answers how to reach a system outside the cluster for an owner in the namespace of the world.
pub type Connect = fn(&World<'_>, &System) -> Result<Option<Connection>, PlanError>;

/// One kind of owner and the children it wants to exist.
///
/// Implemented by a type without values, because the kind itself belongs to crate `api` or to Kubernetes, which do not know
/// plans.
pub trait Component: Send + Sync + 'static {
    /// The custom resource, or the object of Kubernetes.
    type Owner: Owner;

    /// Lower-case name: suffix of the field manager and of child names, and metric label.
    const NAME: &'static str;

    /// What the operator does to the owner, besides reading it.
    const ACCESS: OwnerAccess = OwnerAccess::Written;

    /// Parts of its state that have a condition of their own. A child names the part that it belongs to.
    const ASPECTS: &'static [Aspect] = &[];

    /// Whether the operator has work to do for an object. It does not reconcile one without work and without children.
    fn has_work(_owner: &Self::Owner) -> bool {
        true
    }

    /// Fields of its status that only this kind has. Null removes a field; one that is missing here is left as it is.
    fn details(_owner: &Self::Owner, _conclusion: &Conclusion<'_>) -> Map<String, Value> {
        Map::new()
    }

    /// Conditions that only this kind has. They do not decide on `Ready`. When an answer about the time of
    /// [`Conclusion::clock`] will be another one, the operator asks again.
    fn conditions(_owner: &Self::Owner, _conclusion: &Conclusion<'_>) -> Vec<KindCondition> {
        Vec::new()
    }

    /// What users should learn from events about a status that differs from [`Conclusion::previous`].
    fn news(_owner: &Self::Owner, _conclusion: &Conclusion<'_>) -> Vec<Announcement> {
        Vec::new()
    }

    /// Items that the old operator added to objects of other programs for this owner, which the operator removes when the owner is
    /// deleted. Those that this operator added, it records.
    fn left_behind(_owner: &Self::Owner) -> Vec<Amended> {
        Vec::new()
    }

    /// Settings that work, but most likely not as the user intends. The message of the `Ready` condition lists them
    /// while the object is ready.
    fn advice(_owner: &Self::Owner) -> Vec<Violation> {
        Vec::new()
    }

    /// The version of an installation as a whole; `None` for an owner that is a part of one, or something else. The metrics name
    /// installations only.
    fn installed_version(_owner: &Self::Owner) -> Option<&str> {
        None
    }

    /// The kinds of children it may have. The operator watches and sweeps these kinds, and RBAC rules name them.
    fn children() -> Children;

    /// How to reach a system outside the cluster in which this owner has, had or reads objects; `None` where the system is
    /// gone for good, so that what the operator created there cannot be deleted any more. Missing objects count as that once
    /// the owner is being deleted: they may be deleted together with it.
    ///
    /// A function of its argument, like [`Component::desired`].
    const CONNECT: Connect = |_, _| Ok(None);

    /// Describes every child, in order.
    ///
    /// Must depend only on its arguments: no network, no clock, no randomness. Fails with [`PlanError::Unread`] when it
    /// reads an object that is not in the snapshot yet. The operator then reads the object and calls it again.
    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError>;

    /// The steps that lead to what the spec asks for, if it takes steps: `plan` shows them, and the status names what the next
    /// one waits for. Also the certificate that clients see, for `status` and the metrics.
    ///
    /// A function of its arguments, like [`Component::desired`], which has succeeded before.
    fn outlook(_owner: &Self::Owner, _world: &World<'_>) -> Result<Outlook, PlanError> {
        Ok(Outlook::default())
    }
}
