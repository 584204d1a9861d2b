//! Options of the operator.

use crate::{Entropy, ExternalDriver, Health, Metrics, SystemEntropy};
use election::Election;
use jiff::Timestamp;
use plan::{Defaults, DigestKey, HarborClass};
use progress::Observer;
use std::{collections::BTreeSet, sync::Arc, time::Duration};

/// Which part of the cluster the operator reconciles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The whole cluster.
    Cluster,
    /// One namespace, with permissions only there.
    Namespace(String),
}

/// Options of the operator.
#[derive(Clone)]
pub struct Options {
    /// The scopes to reconcile, which must not overlap. The whole cluster by default.
    pub scopes: Vec<Scope>,
    /// The class of the objects to reconcile. Objects without a class by default.
    pub class: Option<HarborClass>,
    /// The defaults of the administrator. None by default.
    pub defaults: Defaults,
    /// How long one reconcile may take before the operator aborts it and retries. One minute by default.
    pub deadline: Duration,
    /// How long one pass of planning may take before the operator stops planning the object. Ten seconds by default:
    /// the largest object that the definitions allow takes a fraction of a second.
    pub planning: Duration,
    /// How many objects of one kind are reconciled concurrently. 4 by default: more is not faster, and makes the
    /// order less predictable.
    pub concurrency: u16,
    /// Field managers of the old operator, whose fields the operator takes over. None by default.
    pub predecessors: BTreeSet<String>,
    /// The source of randomness. That of the operating system by default.
    pub entropy: Arc<dyn Entropy>,
    /// The key for digests of the values that pods use. A placeholder by default, which does not protect them:
    /// outside of tests, use that of [`crate::ensure_digest_key`].
    pub digest_key: DigestKey,
    /// The clock. That of the system by default.
    pub clock: fn() -> Timestamp,
    /// The lease for the leader election. None by default: then the operator must be the only one.
    pub election: Option<Election>,
    /// The metrics. Not shared by default.
    pub metrics: Arc<Metrics>,
    /// The health of the process. Not shared by default.
    pub health: Arc<Health>,
    /// Returns the id of the trace that a span belongs to, if tracing is enabled. None by default.
    pub trace_id: fn(&tracing::Span) -> Option<String>,
    /// Drivers of systems outside the cluster, one for each kind of system. None by default.
    pub external_drivers: Vec<Arc<dyn ExternalDriver>>,
    /// How often collections of systems outside the cluster are listed, within 20 %. Every five minutes by default.
    pub external_interval: Duration,
    /// Receives the progress of reconciles. None by default.
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
