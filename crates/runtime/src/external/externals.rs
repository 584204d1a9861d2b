//! The objects outside the cluster of one owner.

use super::{Reader, Recorder, Systems, lock};
use crate::{
    ReconcileError,
    apply::Read,
    cluster::{Cluster, Interest},
    error::Verb,
};
use futures::future::BoxFuture;
use kube::core::DynamicObject;
use plan::{
    Action, Applied, Connection, Desired, Digest, External, Gate, IfExists, Known, ObjectKey, ObjectVersion,
    Observed, Resolver, System, SystemError,
};
use std::{collections::BTreeMap, sync::Mutex};

/// Asks the component of an owner how to reach a system.
pub(crate) type Connect<'a> =
    Box<dyn Fn(System) -> BoxFuture<'a, Result<Access, ReconcileError>> + Send + Sync + 'a>;

/// How to reach a system.
pub(crate) struct Access {
    /// `None` where the system is gone; the error is one of the owner.
    pub(crate) connection: Result<Option<Connection>, ReconcileError>,
    /// What that was decided on.
    pub(crate) reads: BTreeMap<ObjectKey, Read>,
}

/// The objects outside the cluster of one owner.
pub(crate) struct Externals<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) owner: &'a ObjectKey,
    pub(super) systems: &'a Systems,
    pub(super) recorder: Recorder<'a>,
    connect: Connect<'a>,
    connections: Mutex<BTreeMap<System, Connection>>,
    /// What was read.
    reads: Mutex<BTreeMap<ObjectKey, Read>>,
}

impl<'a> Externals<'a> {
    pub(crate) fn new(
        cluster: &'a Cluster,
        owner: &'a ObjectKey,
        systems: &'a Systems,
        recorder: Recorder<'a>,
        connect: Connect<'a>,
    ) -> Self {
        let (connections, reads) = (Mutex::default(), Mutex::default());
        Self { cluster, owner, systems, recorder, connect, connections, reads }
    }

    /// What was read, for connections too: a change of it is a reason to reconcile the owner.
    pub(crate) fn reads(&self) -> BTreeMap<ObjectKey, Read> {
        lock(&self.reads).clone()
    }

    /// Remembers that an object was read in this state; `None` where it does not exist or could not be read.
    pub(super) fn note(&self, key: &ObjectKey, object: Option<&DynamicObject>) {
        let state = object.map(|object| ObjectVersion::of(&object.metadata));
        lock(&self.reads).insert(key.clone(), Read { state, interest: Interest::Spec });
    }

    /// How to reach the system of an object.
    pub(super) async fn connection(&self, verb: Verb, key: &ObjectKey) -> Result<Connection, ReconcileError> {
        let Some(system) = key.system() else {
            return Err(ReconcileError::Bug(format!("{key} does not live outside the cluster")));
        };
        if let Some(connection) = lock(&self.connections).get(system) {
            return Ok(connection.clone());
        }
        let Access { connection, reads } = (self.connect)(system.clone()).await?;
        lock(&self.reads).extend(reads);
        let gone = || self.systems.failed(verb, key, SystemError::Gone);
        let connection = connection?.ok_or_else(gone)?;
        if let Some(identity) = connection.identity()
            && !self.recorder.binds(system, identity)
        {
            // What the operator created is gone with the system that it was in.
            let replaced = || ReconcileError::Replaced { system: self.systems.describe(system) };
            return Err(if verb == Verb::Delete { gone() } else { replaced() });
        }
        lock(&self.connections).insert(system.clone(), connection.clone());
        Ok(connection)
    }

    /// The dependency that the creation of an object waits for, if the operator neither created nor may adopt one: then there
    /// is nothing to repair, and the system need not be asked.
    pub(super) fn is_kept_away<N: Copy>(
        &self,
        key: &ObjectKey,
        external: &External,
        gate: Gate<N>,
    ) -> Option<N> {
        let may_exist = self.recorder.claim(key).is_some() || external.if_exists == IfExists::Adopt;
        gate.keeps_away().filter(|_| !may_exist)
    }

    /// Another owner that has an object of which this owner wants a part. This owner is woken when that changes.
    pub(crate) fn holder(&self, whole: &ObjectKey) -> Option<ObjectKey> {
        let scopes = self.systems.scopes();
        scopes.iter().find_map(|cluster| cluster.claims.holder(whole, self.owner))
    }

    /// What to do about an object that was last listed like this.
    pub(super) fn resolve<N: Copy>(
        &self,
        resolver: &Resolver<'_>,
        desired: &Desired,
        (gate, digest): (Gate<N>, Option<Digest>),
        object: Option<&DynamicObject>,
    ) -> Action<N> {
        let claim = self.recorder.claim(&desired.object.key());
        let kept = claim.map(|claim| Applied::External { written: claim.written });
        let observed = object.map_or(Observed::Absent, Observed::Stored);
        resolver.resolve(desired, observed, gate, Known { applied: kept.as_ref(), digest })
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { cluster: self.cluster, owner: self.owner }
    }
}
