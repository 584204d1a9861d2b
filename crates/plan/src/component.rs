//! A custom resource whose children are a pure function of its spec and of what it reads.

use crate::{Aspect, Children, Connection, Desired, PlanError, System, Verdict, Violation, World};
use api::v1beta1::ComponentStatus;
use kube::{Resource, core::NamespaceResourceScope};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::fmt;

/// A graph of desired objects in the making.
pub type Builder<'g> = graph::Builder<'g, Desired>;

/// What a custom resource must be able to do to own children.
pub trait Owner:
    Resource<DynamicType = (), Scope = NamespaceResourceScope>
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
    T: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + fmt::Debug
        + Serialize
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// One kind of custom resource and what it wants to exist.
///
/// Implemented by a type without values: the resource itself belongs to the `api` crate, which knows nothing of plans.
pub trait Component: Send + Sync + 'static {
    /// The custom resource.
    type Owner: Owner;

    /// Lower-case name: suffix of the field manager and of child names, metric label.
    const NAME: &'static str;

    /// Parts of its state that have a condition of their own; its children say which of them they belong to.
    const ASPECTS: &'static [Aspect] = &[];

    /// What its status tells besides what every status does. `verdict` is what a look came to, `status` what is told of
    /// it anyway.
    fn details(_owner: &Self::Owner, _verdict: &Verdict, _status: &ComponentStatus) -> Map<String, Value> {
        Map::new()
    }

    /// What may work, but most likely not as meant. While the object is ready, the message of that condition says so.
    fn advice(_owner: &Self::Owner) -> Vec<Violation> {
        Vec::new()
    }

    /// The kinds of children it may have; what is watched, swept and asked for in RBAC.
    fn children() -> Children;

    /// How to reach a system outside the cluster in which this owner has, had or reads objects; `None` where the system is
    /// gone for good, so that what the operator created there cannot be deleted any more. Missing objects count as that once
    /// the owner is being deleted: they may be deleted together with it.
    ///
    /// A function of its arguments, like [`Component::desired`].
    fn connection(
        _owner: &Self::Owner,
        _world: &World<'_>,
        _system: &System,
    ) -> Result<Option<Connection>, PlanError> {
        Ok(None)
    }

    /// Describes every child, in order.
    ///
    /// Must be a function of its arguments: no network, no clock, no dice. Fails with [`PlanError::Unread`] when it
    /// asks the world for something not looked up yet, and is then called again.
    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError>;
}
