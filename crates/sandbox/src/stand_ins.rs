//! Starting the stand-ins.

use crate::{
    behaviour::Behaviour,
    kind::{BUILT_IN, DEFINED, Kind},
    runner::{self, RunError},
    world::World,
};
use kube::Client;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// Operators of others that can be left out, because a real one is there or is to be missed.
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
/// They act on all namespaces and only on what they see, so they can be stopped and started at any time. The kinds of
/// third-party operators are followed once their definitions are installed.
pub struct StandIns {
    client: Client,
    behaviour: Behaviour,
    left_out: Vec<Operator>,
    namespace: Option<String>,
}

impl StandIns {
    /// All of them, as fast as they can.
    pub fn new(client: Client) -> Self {
        Self { client, behaviour: Behaviour::default(), left_out: Vec::new(), namespace: None }
    }

    /// How long each thing takes to come up.
    #[must_use]
    pub fn delay(mut self, delay: Duration) -> Self {
        self.behaviour.delay = delay;
        self
    }

    /// How they behave unless an object says otherwise.
    #[must_use]
    pub fn behaviour(mut self, behaviour: Behaviour) -> Self {
        self.behaviour = behaviour;
        self
    }

    /// All but this one.
    #[must_use]
    pub fn without(mut self, operator: Operator) -> Self {
        self.left_out.push(operator);
        self
    }

    /// Only in this namespace, and on nothing outside of namespaces, so that several can share a cluster.
    #[must_use]
    pub fn within(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Acts until `stop`; what the API server refuses is tried again.
    pub async fn run(self, stop: CancellationToken) -> Result<(), RunError> {
        let present =
            |kind: &Kind| Operator::of(*kind).is_none_or(|operator| !self.left_out.contains(&operator));
        let reached = |kind: &Kind| kind.namespaced() || self.namespace.is_none();
        let kinds = DEFINED.into_iter().filter(present).filter(reached).collect();
        let built_in = built_in(&self.client).await;
        let (wake, woken) = unbounded_channel();
        let world = Arc::new(World::new(self.client, self.namespace, built_in, self.behaviour, wake));
        runner::run(world, kinds, woken, stop).await
    }
}

/// The built-in kinds of this server; Kubernetes before 1.21, for one, has no such endpoint slices.
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
            // A server that does not answer yet is watched until it does.
            _ => true,
        }
    };
    BUILT_IN.into_iter().filter(is_served).collect()
}
