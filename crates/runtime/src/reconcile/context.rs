//! The context that all reconciles in one scope share.

use crate::{
    Options,
    cluster::Cluster,
    external::Systems,
    report::{Events, ProgressSink},
};
use jiff::Timestamp;
use plan::{Defaults, DigestKey};
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
}
