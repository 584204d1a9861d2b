//! Plans the children of an owner.

use crate::{
    Component, Connection, Defaults, DeletionBehavior, Desired, Mutation, ObjectKey, Outlook, Owner,
    PlanError, Policy, References, Snapshot, System, World,
    defaults::NOTHING,
    mutation,
    place::{self, Places, misnamed},
};
use api::v1beta1::name::ObjectName;
use graph::Graph;
use jiff::Timestamp;
use std::collections::BTreeSet;

/// The children that should exist, in order, and the objects that the plan depends on.
#[derive(Debug)]
pub struct Plan {
    /// The children.
    pub graph: Graph<Desired>,
    /// What the owner goes on to.
    pub outlook: Outlook,
    /// The objects that the component read, whether they exist or not.
    pub reads: BTreeSet<ObjectKey>,
    /// Those of them whose status it read.
    pub statuses: BTreeSet<ObjectKey>,
    /// When the plan will be another one although nothing else changes.
    pub until: Option<Timestamp>,
}

/// How to reach a system, and what that was decided on.
#[derive(Debug)]
pub struct Connected {
    /// See [`Component::CONNECT`].
    pub connection: Option<Connection>,
    /// What was asked for, found or not.
    pub reads: BTreeSet<ObjectKey>,
    /// Those of them whose status was asked for.
    pub statuses: BTreeSet<ObjectKey>,
}

/// How far planning got.
#[derive(Debug)]
pub enum Planned<T = Plan> {
    /// To the end.
    Done(T),
    /// To a read of something not in the snapshot: look these up, add them, plan again.
    Needs(Needed),
    /// The owner cannot be planned.
    Failed {
        /// Why.
        error: PlanError,
        /// The objects that the component read before it failed. A change of one of them is a reason to plan again.
        reads: BTreeSet<ObjectKey>,
        /// Those of them whose status it read.
        statuses: BTreeSet<ObjectKey>,
        /// When planning may succeed although nothing else changes.
        until: Option<Timestamp>,
    },
}

/// What has to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needed {
    /// The objects.
    pub keys: BTreeSet<ObjectKey>,
    /// Those of them, and of what was read before, whose status matters.
    pub statuses: BTreeSet<ObjectKey>,
}

/// Plans until no pass needs more reads. `read` answers all reads of a pass; `snapshot` has what is known before.
///
/// # Errors
/// Why planning failed; [`PlanError::Unread`] when a pass asks only for what it was given, which would never end.
pub fn until_planned<T>(
    mut snapshot: Snapshot,
    pass: impl Fn(&Snapshot) -> Planned<T>,
    mut read: impl FnMut(Needed) -> Snapshot,
) -> Result<T, PlanError> {
    loop {
        match pass(&snapshot) {
            Planned::Done(done) => return Ok(done),
            Planned::Failed { error, .. } => return Err(error),
            Planned::Needs(needed) if needed.keys.iter().all(|key| snapshot.contains_key(key)) => {
                return Err(PlanError::Unread(needed.keys));
            }
            Planned::Needs(needed) => snapshot.extend(read(needed)),
        }
    }
}

/// The same as [`plan_with`], without defaults of an administrator.
pub fn plan<C: Component>(owner: &C::Owner, snapshot: &Snapshot) -> Planned {
    plan_with::<C>(owner, snapshot, &NOTHING)
}

/// The same as [`plan_at`], for owners whose children do not depend on the time.
pub fn plan_with<C: Component>(owner: &C::Owner, snapshot: &Snapshot, defaults: &Defaults) -> Planned {
    plan_at::<C>(owner, snapshot, defaults, Timestamp::UNIX_EPOCH)
}

/// Asks `C` for the children of `owner` and applies the standard mutations to each.
///
/// Pure, and cheap enough to call again after every batch of reads. Two passes are typical.
pub fn plan_at<C: Component>(
    owner: &C::Owner,
    snapshot: &Snapshot,
    defaults: &Defaults,
    now: Timestamp,
) -> Planned {
    let (key, places) = (key_of(owner), |text: &str| place::of(owner, text));
    let world = World::new(key.home(), snapshot).with_defaults(defaults).with_places(&places).at(now);
    let graph = Graph::build(|graph| C::desired(owner, &world, graph)).and_then(|mut graph| {
        let (standard, kept) = (mutation::standard::<C>(owner), mutation::kept::<C>(owner));
        graph.payloads_mut().try_for_each(|desired: &mut Desired| {
            let held = desired.held.as_mut().and_then(|held| held.object.as_mut());
            if matches!(desired.policy, Policy::Amend { .. }) {
                return Ok(());
            }
            let mut objects = std::iter::once(&mut desired.object).chain(held);
            objects.try_for_each(|object| match desired.deletion {
                DeletionBehavior::Owned => standard.mutate(&mut **object),
                DeletionBehavior::Kept => kept.mutate(&mut **object),
            })
        })?;
        check_names(&graph, &places)?;
        Ok((graph, C::outlook(owner, &world)?))
    });
    Planned::of(graph, world, |(graph, outlook), (reads, statuses), until| Plan {
        graph,
        outlook,
        reads,
        statuses,
        until,
    })
}

/// Asks `C` how to reach a system outside the cluster for `owner`. Pure, like [`plan_with`].
pub fn connect_with<C: Component>(
    owner: &C::Owner,
    snapshot: &Snapshot,
    defaults: &Defaults,
    system: &System,
) -> Planned<Connected> {
    let (key, places) = (key_of(owner), |text: &str| place::of(owner, text));
    let world = World::new(key.home(), snapshot).with_defaults(defaults).with_places(&places);
    let connection = (C::CONNECT)(&world, system);
    Planned::of(connection, world, |connection, (reads, statuses), _| Connected {
        connection,
        reads,
        statuses,
    })
}

fn key_of<O: Owner>(owner: &O) -> ObjectKey {
    let (namespace, name) = (owner.meta().namespace.as_deref(), owner.meta().name.as_deref());
    ObjectKey::of::<O>(namespace.unwrap_or_default(), name.unwrap_or_default())
}

impl<T> Planned<T> {
    fn of<A>(
        answer: Result<A, PlanError>,
        world: World<'_>,
        done: impl FnOnce(A, (BTreeSet<ObjectKey>, BTreeSet<ObjectKey>), Option<Timestamp>) -> T,
    ) -> Self {
        let (until, statuses) = (world.clock().until(), world.statuses());
        match answer {
            Ok(answer) => Self::Done(done(answer, (world.into_reads(), statuses), until)),
            Err(PlanError::Unread(keys)) => Self::Needs(Needed { keys, statuses }),
            Err(error) => {
                Self::Failed { error: error.without_repetition(), reads: world.into_reads(), statuses, until }
            }
        }
    }
}

/// Refuses a plan in which something has a name that no object can have: a child, or what its pods use. Requests for it
/// would go elsewhere. What lives outside the cluster may have any name that its system accepts.
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
    let is_misnamed = |key: &&ObjectKey| match key.system() {
        Some(_) => key.name.is_empty(),
        None => !ObjectName::is_valid(&key.name),
    };
    let misnamed = keys.iter().filter(is_misnamed).map(|key| misnamed(key, places));
    misnamed.reduce(PlanError::and).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey::new("", "Secret", "ns", name)
    }

    /// Needs one object after the other, and returns how many of them exist.
    fn pass(snapshot: &Snapshot) -> Planned<usize> {
        match ["a", "b"].map(key).into_iter().find(|key| !snapshot.contains_key(key)) {
            Some(key) => Planned::Needs(Needed { keys: [key].into(), statuses: BTreeSet::new() }),
            None => Planned::Done(snapshot.values().flatten().count()),
        }
    }

    #[test]
    fn each_object_that_is_not_known_is_read_once() {
        let mut reads = Vec::new();
        let known = Snapshot::from([(key("a"), Some(crate::served()))]);
        let planned = until_planned(known, pass, |needed| {
            reads.extend(needed.keys.iter().cloned());
            needed.keys.into_iter().map(|key| (key, None)).collect()
        });
        assert_eq!((planned, reads), (Ok(1), vec![key("b")]));
    }

    #[test]
    fn planning_that_asks_for_what_it_was_given_ends() {
        let asks_again = |_: &Snapshot| -> Planned<()> {
            Planned::Needs(Needed { keys: [key("a")].into(), statuses: BTreeSet::new() })
        };
        let read = |needed: Needed| needed.keys.into_iter().map(|key| (key, None)).collect();
        let planned = until_planned(Snapshot::new(), asks_again, read);
        assert_eq!(planned, Err(PlanError::Unread([key("a")].into())));
    }
}
