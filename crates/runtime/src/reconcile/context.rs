//! The context that all reconciles in one scope share.

use super::{Owner, planning::connector};
use crate::{
    Options, ReconcileError,
    cluster::Cluster,
    external::{Bookkeeping, Externals, Recorder, Systems},
    report::{Events, ProgressSink},
};
use jiff::Timestamp;
use plan::{ComponentKind, Defaults, DigestKey};
use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

/// The context that all reconciles in one scope share.
pub(crate) struct Context {
    pub(crate) cluster: Arc<Cluster>,
    /// Systems outside the cluster.
    pub(crate) systems: Arc<Systems>,
    pub(crate) defaults: Defaults,
    /// How long one pass of planning may take.
    pub(crate) planning: Duration,
    pub(crate) digest_key: DigestKey,
    pub(crate) clock: fn() -> Timestamp,
    pub(crate) events: Events,
    pub(crate) progress: ProgressSink,
    pub(crate) trace_id: fn(&tracing::Span) -> Option<String>,
    /// The number of reconciles so far. Log lines of a reconcile have its number.
    pub(crate) reconciles: AtomicU64,
}

impl Context {
    /// Of a scope of the cluster.
    pub(crate) fn new(
        cluster: Arc<Cluster>,
        systems: Arc<Systems>,
        options: &Options,
        events: Events,
    ) -> Self {
        systems.add_scope(&cluster);
        Self {
            cluster,
            systems,
            defaults: options.defaults.clone(),
            planning: options.planning,
            digest_key: options.digest_key.clone(),
            clock: options.clock,
            events,
            progress: ProgressSink(options.observer.clone()),
            trace_id: options.trace_id,
            reconciles: AtomicU64::default(),
        }
    }
    /// The objects outside the cluster of an owner.
    ///
    /// # Errors
    /// When the owner cannot be decoded, or the record of what it has there cannot be read.
    pub(crate) fn externals<'a>(
        &'a self,
        component: &'a ComponentKind,
        owner: &'a Owner,
        bookkeeping: Bookkeeping<'a>,
    ) -> Result<Externals<'a>, ReconcileError> {
        let connect = connector(self, &owner.key, owner.object()?);
        let (resource, meta) = (component.resource(), (&owner.key, owner.meta()));
        let recorder = Recorder::new(&self.cluster, resource, meta, bookkeeping).readable()?;
        Ok(Externals::new(&self.cluster, &owner.key, &self.systems, recorder, connect))
    }
}
