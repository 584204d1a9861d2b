//! Plans the children of an owner.

use crate::{
    Component, Defaults, DeletionBehavior, Desired, Mutation, ObjectKey, PlanError, References, Snapshot,
    World,
    defaults::NOTHING,
    mutation,
    place::{self, Places, misnamed},
};
use api::v1beta1::name::ObjectName;
use graph::Graph;
use kube::Resource;
use std::collections::BTreeSet;

/// The children that should exist, in order, and the objects that the plan depends on.
#[derive(Debug)]
pub struct Plan {
    /// The children.
    pub graph: Graph<Desired>,
    /// The objects that the component read, whether they exist or not.
    pub reads: BTreeSet<ObjectKey>,
}

/// The result of planning.
#[derive(Debug)]
pub enum Planned {
    /// The plan is complete.
    Done(Plan),
    /// The component read objects that are not in the snapshot. The caller adds these objects and plans again.
    Needs(BTreeSet<ObjectKey>),
    /// The owner cannot be planned.
    Failed {
        /// Why.
        error: PlanError,
        /// The objects that the component read before it failed. A change of one of them is a reason to plan again.
        reads: BTreeSet<ObjectKey>,
    },
}

/// The same as [`plan_with`], without defaults of an administrator.
pub fn plan<C: Component>(owner: &C::Owner, snapshot: &Snapshot) -> Planned {
    plan_with::<C>(owner, snapshot, &NOTHING)
}

/// Asks `C` for the children of `owner` and applies the standard mutations to each.
///
/// Pure, and cheap enough to call again after every batch of reads. Two passes are typical.
pub fn plan_with<C: Component>(owner: &C::Owner, snapshot: &Snapshot, defaults: &Defaults) -> Planned {
    let namespace = owner.meta().namespace.clone().unwrap_or_default();
    let places = |text: &str| place::of(owner, text);
    let world = World::new(&namespace, snapshot).with_defaults(defaults).with_places(&places);
    let graph = Graph::build(|graph| C::desired(owner, &world, graph)).and_then(|mut graph| {
        let (standard, kept) = (mutation::standard::<C>(owner), mutation::kept::<C>(owner));
        graph.payloads_mut().try_for_each(|desired: &mut Desired| {
            let held = desired.held.as_mut().and_then(|held| held.object.as_mut());
            let mut objects = std::iter::once(&mut desired.object).chain(held);
            objects.try_for_each(|object| match desired.deletion {
                DeletionBehavior::Owned => standard.mutate(&mut **object),
                DeletionBehavior::Kept => kept.mutate(&mut **object),
            })
        })?;
        check_names(&graph, &places)?;
        Ok(graph)
    });
    match graph {
        Ok(graph) => Planned::Done(Plan { graph, reads: world.into_reads() }),
        Err(PlanError::Unread(keys)) => Planned::Needs(keys),
        Err(error) => Planned::Failed { error: error.without_repetition(), reads: world.into_reads() },
    }
}

/// Refuses a plan in which a child, or an object that its pods use, has an invalid name: requests for it could go to
/// another object.
fn check_names(graph: &Graph<Desired>, places: Places<'_>) -> Result<(), PlanError> {
    let mut keys = BTreeSet::new();
    for (_, desired, _) in graph.iter() {
        let held = desired.held.as_ref().and_then(|held| held.object.as_ref());
        for object in std::iter::once(&desired.object).chain(held) {
            let key = object.key();
            if let Some(pods) = object.pod_template() {
                keys.extend(References::of(&key.namespace, pods).keys().cloned());
            }
            keys.insert(key);
        }
    }
    let misnamed =
        keys.iter().filter(|key| !ObjectName::is_valid(&key.name)).map(|key| misnamed(key, places));
    misnamed.reduce(PlanError::and).map_or(Ok(()), Err)
}
