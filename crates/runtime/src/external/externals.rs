//! The objects outside the cluster of one owner.

use super::{Age, Reader, Recorder, Systems, lock};
use crate::{
    ReconcileError,
    apply::Read,
    cluster::{Cluster, Interest},
    error::Verb,
};
use futures::future::BoxFuture;
use kube::core::DynamicObject;
use plan::{
    Action, Applied, Connection, Desired, Digest, External, Gate, Known, ObjectKey, ObjectVersion, Observed,
    OtherOwners, Resolver, System, SystemError,
};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

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

/// An object as its system last listed it; `None` if it does not exist.
pub(super) struct Listed {
    pub(super) connection: Connection,
    pub(super) object: Option<Arc<DynamicObject>>,
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

    /// Another owner that has an object of which this owner wants a part. This owner is woken when that changes.
    pub(crate) fn holder(&self, whole: &ObjectKey) -> Option<ObjectKey> {
        let scopes = self.systems.scopes();
        scopes.iter().find_map(|cluster| cluster.claims.holder(whole, self.owner))
    }

    /// What to do about an object, and how it was last listed, if that matters. `absence` is how recent the answer must be that
    /// an object does not exist which the operator did not create before: another program may have created it meanwhile.
    pub(super) async fn decide<N: Copy + PartialEq>(
        &self,
        resolver: &Resolver<'_>,
        wanted: (&Desired, &External),
        given: (Gate<N>, Option<Digest>),
        absence: Age,
    ) -> Result<(Action<N>, Option<Listed>), ReconcileError> {
        let resolve = |observed| self.resolve(resolver, wanted, given, observed);
        let action = resolve(Observed::Named);
        if action != Action::Read {
            return Ok((action, None));
        }
        match (self.observe(&wanted.1.key(), absence).await, given.0.keeps_away()) {
            // The system may be what the object starts after.
            (Err(_), Some(by)) => Ok((Action::Blocked { by }, None)),
            (Err(error), None) => Err(error),
            (Ok(listed), _) => {
                let observed = listed.object.as_deref().map_or(Observed::Absent, Observed::Stored);
                Ok((resolve(observed), Some(listed)))
            }
        }
    }

    /// The action of the resolver, with what is recorded of the object.
    pub(super) fn resolve<N: Copy>(
        &self,
        resolver: &Resolver<'_>,
        (desired, external): (&Desired, &External),
        (gate, digest): (Gate<N>, Option<Digest>),
        observed: Observed<'_>,
    ) -> Action<N> {
        let (key, scopes) = (external.key(), self.systems.scopes());
        let claim = self.recorder.claim(&key);
        let applied = claim.map(|claim| Applied::External { written: claim.written });
        let whole = external.part_of.as_ref().and_then(|whole| self.holder(&whole.object));
        let seniors = scopes.iter().flat_map(|it| it.claims.seniors(&key, &self.recorder.claimant));
        let seniors: Vec<_> = seniors.collect();
        let others = OtherOwners { whole: whole.as_ref(), seniors: &seniors };
        resolver.resolve(desired, observed, gate, Known { applied: applied.as_ref(), digest, others })
    }

    async fn observe(&self, key: &ObjectKey, absence: Age) -> Result<Listed, ReconcileError> {
        // The owner is woken when a list that fails works again.
        self.note(key, None);
        let connection = self.connection(Verb::Read, key).await?;
        let mut object = self.systems.read(self.reader(), &connection, key, Age::AsListed).await?;
        if object.is_none() && absence == Age::Fresh && self.recorder.claim(key).is_none() {
            object = self.systems.read(self.reader(), &connection, key, Age::Fresh).await?;
        }
        self.note(key, object.as_deref());
        Ok(Listed { connection, object })
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { cluster: self.cluster, owner: self.owner }
    }
}
