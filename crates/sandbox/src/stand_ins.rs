//! Starts the stand-ins.

use crate::{
    behaviour::Behaviour,
    cert_manager::KeySource,
    kind::{BUILT_IN, DEFINED, Kind},
    runner::{self, RunError},
    world::World,
};
use jiff::Timestamp;
use kube::Client;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// Third-party operators whose stand-ins can be left out, because a real one exists or should be missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The Gateway API's controller.
    Gateway,
    /// cert-manager.
    CertManager,
    /// Zalando's operator and CloudNativePG.
    Postgres,
    /// Spotahome's operator and OT-Container-Kit's.
    Redis,
    /// MinIO's operator.
    Minio,
}

impl Operator {
    fn of(kind: Kind) -> Option<Self> {
        match kind {
            Kind::HttpRoute => Some(Self::Gateway),
            Kind::Issuer | Kind::ClusterIssuer | Kind::Certificate => Some(Self::CertManager),
            Kind::Postgresql | Kind::PostgresCluster => Some(Self::Postgres),
            Kind::RedisFailover | Kind::Redis | Kind::RedisReplication | Kind::RedisSentinel => {
                Some(Self::Redis)
            }
            Kind::Tenant => Some(Self::Minio),
            _ => None,
        }
    }
}

/// Stand-ins for a cluster's controllers, kubelets and third-party operators.
///
/// They act on all namespaces and depend only on the state of the cluster, so they can be stopped and started at any
/// time. They watch the kinds of third-party operators once their definitions are installed.
pub struct StandIns {
    client: Client,
    behaviour: Behaviour,
    left_out: Vec<Operator>,
    namespace: Option<String>,
    keys: KeySource,
    clock: fn() -> Timestamp,
}

impl StandIns {
    /// All stand-ins, without delay.
    pub fn new(client: Client) -> Self {
        let (behaviour, left_out) = (Behaviour::default(), Vec::new());
        Self { client, behaviour, left_out, namespace: None, keys: pki::generate, clock: Timestamp::now }
    }

    /// Sets how long each object takes to become ready.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.behaviour.delay = delay;
        self
    }

    /// Sets the behaviour of objects without annotations.
    #[must_use]
    pub fn behaviour(mut self, behaviour: Behaviour) -> Self {
        self.behaviour = behaviour;
        self
    }

    /// Leaves this operator out.
    #[must_use]
    pub fn without(mut self, operator: Operator) -> Self {
        self.left_out.push(operator);
        self
    }

    /// Acts only in this namespace and on no cluster-scoped objects, so that several can share a cluster.
    #[must_use]
    pub fn within(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Gets the keys of certificates from this function, for tests that need certificates, but not new keys.
    #[must_use]
    pub fn keys(mut self, keys: KeySource) -> Self {
        self.keys = keys;
        self
    }

    /// Gets the times in statuses, events and certificates from this function instead of the clock of the system.
    #[must_use]
    pub fn clock(mut self, clock: fn() -> Timestamp) -> Self {
        self.clock = clock;
        self
    }

    /// Runs until `stop`. Retries requests that the API server refuses.
    pub async fn run(self, stop: CancellationToken) -> Result<(), RunError> {
        let present =
            |kind: &Kind| Operator::of(*kind).is_none_or(|operator| !self.left_out.contains(&operator));
        let reached = |kind: &Kind| kind.namespaced() || self.namespace.is_none();
        let kinds = DEFINED.iter().copied().filter(present).filter(reached).collect();
        let built_in = built_in(&self.client).await;
        let (wake, woken) = unbounded_channel();
        let Self { client, namespace, behaviour, keys, clock, .. } = self;
        let world = World::new(client, namespace, built_in, behaviour, clock, keys, wake);
        let world = Arc::new(world);
        runner::run(world, kinds, woken, stop).await
    }
}

/// The built-in kinds that this server has. Kubernetes before 1.21, for example, does not have these EndpointSlices.
async fn built_in(client: &Client) -> Vec<Kind> {
    let versions: BTreeSet<String> = BUILT_IN.iter().map(|kind| kind.resource().api_version).collect();
    let mut served = HashMap::new();
    for version in versions {
        let resources = if version.contains('/') {
            client.list_api_group_resources(&version).await
        } else {
            client.list_core_api_resources(&version).await
        };
        served.insert(version, resources);
    }
    let is_served = |kind: &Kind| {
        let resource = kind.resource();
        match served.get(&resource.api_version) {
            Some(Ok(list)) => list.resources.iter().any(|each| each.name == resource.plural),
            Some(Err(kube::Error::Api(status))) => !status.is_not_found(),
            // The watch retries until the server answers.
            _ => true,
        }
    };
    BUILT_IN.iter().copied().filter(is_served).collect()
}
