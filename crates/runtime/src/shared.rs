//! What all that is done in one scope has in common.

use crate::{
    Dice, Health, Metrics, Options, cache::Cache, events::Events, forbidden::Forbidden, progress::Audience,
    router::Router, source::Kinds,
};
use jiff::Timestamp;
use kube::Client;
use plan::{Children, Defaults, DigestKey, HarborClass};
use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// What all controllers of one scope share.
pub(crate) struct Shared {
    pub(crate) client: Client,
    pub(crate) router: Router,
    pub(crate) kinds: Kinds,
    pub(crate) cache: Arc<Cache>,
    pub(crate) predecessors: BTreeSet<String>,
    pub(crate) defaults: Defaults,
    /// How long one pass of planning may take.
    pub(crate) planning: Duration,
    /// Of which class the objects are that are looked after.
    pub(crate) class: Option<HarborClass>,
    pub(crate) dice: Arc<dyn Dice>,
    pub(crate) digest_key: DigestKey,
    pub(crate) clock: fn() -> Timestamp,
    pub(crate) events: Events,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) health: Arc<Health>,
    pub(crate) trace_id: fn(&tracing::Span) -> Option<String>,
    /// Reconciles so far; the number of each is in its lines of the log.
    pub(crate) reconciles: AtomicU64,
    pub(crate) audience: Audience,
    pub(crate) forbidden: Forbidden,
    pub(crate) stop: CancellationToken,
}

impl Shared {
    /// Of a scope in which objects of these kinds matter.
    pub(crate) fn new(
        client: Client,
        router: Router,
        children: &Children,
        options: &Options,
        events: Events,
        cache: Arc<Cache>,
        stop: CancellationToken,
    ) -> Self {
        let kind = |resource: &kube::core::ApiResource| (resource.group.clone(), resource.kind.clone());
        Self {
            client,
            router,
            kinds: children.iter().map(|it| (kind(&it.resource), it.resource.clone())).collect(),
            cache,
            predecessors: options.predecessors.clone(),
            defaults: options.defaults.clone(),
            planning: options.planning,
            class: options.class.clone(),
            dice: Arc::clone(&options.dice),
            digest_key: options.digest_key.clone(),
            clock: options.clock,
            events,
            metrics: Arc::clone(&options.metrics),
            health: Arc::clone(&options.health),
            trace_id: options.trace_id,
            reconciles: AtomicU64::default(),
            audience: Audience(options.observer.clone()),
            forbidden: Forbidden::default(),
            stop,
        }
    }

    /// What is wanted of objects that say nothing, and how long a pass of planning may take.
    pub(crate) fn planned_with(&self) -> (&Defaults, Duration) {
        (&self.defaults, self.planning)
    }
}
