//! How the operator works.

use crate::{Election, Entropy, ExternalDriver, Health, Metrics, Observer, SystemEntropy};
use jiff::Timestamp;
use plan::{Defaults, DigestKey, HarborClass};
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// Which part of the cluster is looked after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of it.
    Cluster,
    /// One namespace, with permissions in that one only.
    Namespace(String),
}

/// How the operator works.
#[derive(Clone)]
pub struct Options {
    /// What is looked after; scopes must not overlap. The whole cluster by default.
    pub scopes: Vec<Scope>,
    /// Of which class the objects are that are looked after. Those without a class by default.
    pub class: Option<HarborClass>,
    /// What is wanted of objects that say nothing. Nothing by default.
    pub defaults: Defaults,
    /// How long one reconcile may take before it is given up and tried again. One minute by default.
    pub deadline: Duration,
    /// How long one pass of planning may take before the object is given up as too expensive. Ten seconds by default: the
    /// largest object that the definitions allow takes a fraction of a second.
    pub planning: Duration,
    /// How many objects of one kind are reconciled at once. 4 by default: more would not be faster, only in less of an order.
    pub concurrency: u16,
    /// Field managers whose fields we take over. None by default.
    pub predecessors: BTreeSet<String>,
    /// Randomness. The operating system's by default.
    pub entropy: Arc<dyn Entropy>,
    /// What makes the digests of what pods use. A placeholder by default, with which passwords can be guessed: an
    /// operator that is more than a test is given that of [`crate::make_digest_key`].
    pub digest_key: DigestKey,
    /// The time. The system's by default.
    pub clock: fn() -> Timestamp,
    /// The lease for which this operator competes with others like it. None by default: then it has no rivals.
    pub election: Option<Election>,
    /// Where everything is counted. Nobody else's by default.
    pub metrics: Arc<Metrics>,
    /// Where the operator says how it is. Nobody else's by default.
    pub health: Arc<Health>,
    /// The id of the trace a span belongs to, where traces are made. None by default.
    pub trace_id: fn(&tracing::Span) -> Option<String>,
    /// What talks to systems outside the cluster, one for each kind of system. None by default.
    pub external_drivers: Vec<Arc<dyn ExternalDriver>>,
    /// How often collections of systems outside the cluster are listed, within 20 %. Every five minutes by default.
    pub external_interval: Duration,
    /// Who is told what happens while it does. Nobody by default.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scopes: vec![Scope::Cluster],
            class: None,
            defaults: Defaults::default(),
            deadline: Duration::from_mins(1),
            planning: Duration::from_secs(10),
            concurrency: 4,
            predecessors: BTreeSet::new(),
            entropy: Arc::new(SystemEntropy),
            digest_key: DigestKey::PLACEHOLDER,
            clock: Timestamp::now,
            election: None,
            metrics: Arc::default(),
            health: Arc::default(),
            trace_id: |_| None,
            external_drivers: Vec::new(),
            external_interval: Duration::from_mins(5),
            observer: None,
        }
    }
}
