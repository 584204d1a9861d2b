//! The kinds whose children can be rendered.

use crate::known::Known;
use components::Visitor;
use kube::core::ApiResource;
use plan::{Component, Defaults, ObjectKey, Plan, PlanError, Planned, Snapshot};
use serde_json::Value;

/// A table of kinds, so that everything that walks it can be tested with kinds of its own.
#[derive(Debug, Default)]
pub struct Kinds(Vec<Kind>);

/// A kind that has children.
#[derive(Debug)]
pub struct Kind {
    /// How the API server knows it.
    pub resource: ApiResource,
    plan: fn(Value, &Known, &Defaults) -> Result<Plan, Unplanned>,
}

/// Why there is no plan.
#[derive(Debug)]
pub enum Unplanned {
    /// The object is not of its kind.
    Undecodable {
        /// The field that does not fit, as far as the decoder can tell.
        field: String,
        /// Why it does not, in the decoder's words.
        problem: String,
    },
    /// The object asks for something that cannot be.
    Failed(PlanError),
}

impl Kinds {
    /// Every kind the operator runs.
    pub fn all() -> Self {
        let mut kinds = Self::default();
        components::for_each(&mut kinds);
        kinds
    }

    /// The kind of an object, whatever its version.
    pub fn of(&self, key: &ObjectKey) -> Option<&Kind> {
        self.0.iter().find(|kind| kind.resource.group == key.group && kind.resource.kind == key.kind)
    }

    /// The names of all kinds, for messages.
    pub fn names(&self) -> String {
        self.0.iter().map(|kind| kind.resource.kind.as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl Visitor for Kinds {
    fn visit<C: Component>(&mut self) {
        self.0.push(Kind { resource: ApiResource::erase::<C::Owner>(&()), plan: plan::<C> });
    }
}

impl Kind {
    /// Plans an object of this kind, answering its reads from what is known.
    pub fn plan(&self, object: Value, known: &Known, defaults: &Defaults) -> Result<Plan, Unplanned> {
        (self.plan)(object, known, defaults)
    }
}

fn plan<C: Component>(object: Value, known: &Known, defaults: &Defaults) -> Result<Plan, Unplanned> {
    let owner: C::Owner = serde_path_to_error::deserialize(object).map_err(|error| {
        Unplanned::Undecodable { field: error.path().to_string(), problem: error.inner().to_string() }
    })?;
    let mut snapshot = Snapshot::new();
    loop {
        match plan::plan_with::<C>(&owner, &snapshot, defaults) {
            Planned::Done(plan) => return Ok(plan),
            Planned::Failed { error, .. } => return Err(Unplanned::Failed(error)),
            // Asked for again although answered: a component that would never stop asking.
            Planned::Needs(keys) if keys.iter().all(|key| snapshot.contains_key(key)) => {
                return Err(Unplanned::Failed(PlanError::Unread(keys)));
            }
            Planned::Needs(keys) => {
                snapshot.extend(keys.into_iter().map(|key| {
                    let object = known.read(&key);
                    (key, object)
                }));
            }
        }
    }
}
