//! Components without their types, for whoever only looks at what they want.

use crate::{Failure, learned::Learned, planning, reconcile::key_of, source::Source};
use api::names::FIELD_MANAGER_PREFIX;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{Resource as _, core::ApiResource};
use plan::{ChildKind, Children, Component, Defaults, ObjectKey, Plan};
use serde_json::Value;
use std::time::Duration;

/// The components there are.
#[derive(Default)]
pub struct Components(Vec<Entry>);

/// One component.
pub(crate) struct Entry {
    /// Its kind, as if it were somebody's child.
    pub(crate) kind: ChildKind,
    /// The field manager of its controller.
    pub(crate) manager: String,
    children: Children,
    pub(crate) plan: PlanFn,
}

/// Plans an object; see [`planning::plan`].
type PlanFn = for<'a> fn(
    Value,
    (&'a Defaults, Duration),
    &'a Source<'a>,
    &'a mut Learned,
) -> BoxFuture<'a, Result<Result<Plan, Failure>, Failure>>;

impl Components {
    /// Adds a component.
    pub fn register<C: Component>(&mut self) {
        self.0.push(Entry {
            kind: ChildKind::of_owner::<C::Owner>(),
            manager: format!("{FIELD_MANAGER_PREFIX}{}", C::NAME),
            children: C::children(),
            plan: |owner, with, source, learned| {
                Box::pin(async move {
                    let owner: C::Owner = match serde_json::from_value(owner) {
                        Ok(owner) => owner,
                        Err(error) => return Ok(Err(Failure::Undecodable(error.to_string()))),
                    };
                    planning::plan::<C>(&key_of::<C>(owner.meta()), &owner, with, source, learned).await
                })
            },
        });
    }

    /// The component of an object.
    pub(crate) fn of(&self, key: &ObjectKey) -> Option<&Entry> {
        self.0
            .iter()
            .find(|entry| entry.kind.resource.group == key.group && entry.kind.resource.kind == key.kind)
    }

    /// The kinds that have a component.
    pub(crate) fn owners(&self) -> impl Iterator<Item = &ChildKind> {
        self.0.iter().map(|entry| &entry.kind)
    }

    /// Whether a kind has a component.
    pub(crate) fn is_owner(&self, resource: &ApiResource) -> bool {
        self.owners().any(|kind| kind.resource == *resource)
    }

    /// The kinds that are created or read.
    pub(crate) fn children(&self) -> Children {
        let mut children = Children::none().and::<Secret>().and::<ConfigMap>();
        self.0.iter().for_each(|entry| children.extend(entry.children.clone()));
        children
    }
}
