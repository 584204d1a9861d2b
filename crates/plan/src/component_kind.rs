//! A [`Component`] without its type, so that one list and one engine serve every kind.

use crate::{
    Amended, Announcement, Aspect, ChildKind, Children, Component, Conclusion, Connected, Defaults,
    KindCondition, OwnerAccess, Placement, Planned, Snapshot, System, Violation, connect_with, plan_at,
};
use api::names::FIELD_MANAGER_PREFIX;
use jiff::Timestamp;
use kube::core::ApiResource;
use serde_json::{Map, Value};
use std::{fmt, sync::Arc};

/// A kind of owner and the children it wants to exist, without its type.
#[derive(Clone)]
pub struct ComponentKind {
    /// The owner itself: its API resource, and how to read the health of an object.
    pub kind: ChildKind,
    /// Lower-case name: suffix of the field manager and of child names.
    pub name: &'static str,
    /// The kinds of children it may have.
    pub children: Children,
    /// What the operator does to its objects, besides reading them.
    pub access: OwnerAccess,
    /// Parts of its state that have a condition of their own.
    pub aspects: &'static [Aspect],
    decode: fn(Value) -> Result<Arc<dyn ComponentObject>, Undecodable>,
}

/// A decoded object of some [`ComponentKind`].
pub trait ComponentObject: Send + Sync {
    /// See [`plan_at`].
    fn plan_at(&self, snapshot: &Snapshot, defaults: &Defaults, now: Timestamp) -> Planned;
    /// See [`crate::plan_with`].
    fn plan(&self, snapshot: &Snapshot, defaults: &Defaults) -> Planned {
        self.plan_at(snapshot, defaults, Timestamp::UNIX_EPOCH)
    }
    /// See [`connect_with`].
    fn connection(&self, snapshot: &Snapshot, defaults: &Defaults, system: &System) -> Planned<Connected>;
    /// See [`Component::has_work`].
    fn has_work(&self) -> bool;
    /// See [`Component::details`].
    fn details(&self, conclusion: &Conclusion<'_>) -> Map<String, Value>;
    /// See [`Component::conditions`].
    fn conditions(&self, conclusion: &Conclusion<'_>) -> Vec<KindCondition>;
    /// See [`Component::news`].
    fn news(&self, conclusion: &Conclusion<'_>) -> Vec<Announcement>;
    /// See [`Component::left_behind`].
    fn left_behind(&self) -> Vec<Amended>;
    /// See [`Component::advice`].
    fn advice(&self) -> Vec<Violation>;
    /// See [`Component::installed_version`].
    fn installed_version(&self) -> Option<&str>;
}

/// Why a stored object cannot be decoded as its kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct Undecodable {
    /// The field that does not have the right type, as far as the decoder can tell.
    pub field: String,
    /// The message of the decoder.
    pub problem: String,
}

impl ComponentKind {
    /// Erases the type of a component.
    pub fn of<C: Component>() -> Self {
        Self {
            kind: ChildKind::of_owner::<C::Owner>(),
            name: C::NAME,
            children: C::children(),
            access: C::ACCESS,
            aspects: C::ASPECTS,
            decode: |object| match serde_path_to_error::deserialize(object) {
                Ok(owner) => Ok(Arc::new(Erased::<C>(owner))),
                Err(error) => {
                    Err(Undecodable { field: error.path().to_string(), problem: error.inner().to_string() })
                }
            },
        }
    }

    /// The API resource of the owner.
    pub fn resource(&self) -> &ApiResource {
        &self.kind.resource
    }

    /// Where its objects live.
    pub const fn placement(&self) -> Placement {
        self.kind.placement
    }

    /// The field manager under which the operator writes the children and the status.
    pub fn field_manager(&self) -> String {
        format!("{FIELD_MANAGER_PREFIX}{}", self.name)
    }

    /// Whether this is the kind with this group and name.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.kind.resource.group == group && self.kind.resource.kind == kind
    }

    /// Decodes a stored object once, for all methods of [`ComponentObject`].
    ///
    /// # Errors
    /// When the object does not have the fields of its kind.
    pub fn decode(&self, object: Value) -> Result<Arc<dyn ComponentObject>, Undecodable> {
        (self.decode)(object)
    }
}

impl fmt::Debug for ComponentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComponentKind").field("name", &self.name).finish_non_exhaustive()
    }
}

struct Erased<C: Component>(C::Owner);

impl<C: Component> ComponentObject for Erased<C> {
    fn plan_at(&self, snapshot: &Snapshot, defaults: &Defaults, now: Timestamp) -> Planned {
        plan_at::<C>(&self.0, snapshot, defaults, now)
    }

    fn connection(&self, snapshot: &Snapshot, defaults: &Defaults, system: &System) -> Planned<Connected> {
        connect_with::<C>(&self.0, snapshot, defaults, system)
    }

    fn has_work(&self) -> bool {
        C::has_work(&self.0)
    }

    fn details(&self, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        C::details(&self.0, conclusion)
    }

    fn conditions(&self, conclusion: &Conclusion<'_>) -> Vec<KindCondition> {
        C::conditions(&self.0, conclusion)
    }

    fn news(&self, conclusion: &Conclusion<'_>) -> Vec<Announcement> {
        C::news(&self.0, conclusion)
    }

    fn left_behind(&self) -> Vec<Amended> {
        C::left_behind(&self.0)
    }

    fn advice(&self) -> Vec<Violation> {
        C::advice(&self.0)
    }

    fn installed_version(&self) -> Option<&str> {
        C::installed_version(&self.0)
    }
}
