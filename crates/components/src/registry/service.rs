//! The Service of the registry and, if requested, its NetworkPolicy.

use super::validated::Validated;
use crate::{
    observability::{METRICS_PORT, Metrics},
    pods::service_port,
};
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};

/// Name of the port for pushes and pulls.
pub(super) const API: &str = "api";

/// The Service in front of the registry's pods.
pub(super) fn service(registry: &Validated<'_>) -> Service {
    let metrics = scraped(registry);
    let ports = [Some(service_port(API, registry.scheme().port())), metrics.map(Metrics::service_port)];
    let annotations = metrics.map(Metrics::annotations).unwrap_or_default();
    registry.instance.service(ports.into_iter().flatten(), annotations, registry.spec.network.as_ref())
}

/// The NetworkPolicy that allows traffic to the ports of both Services only.
pub(super) fn policy(registry: &Validated<'_>) -> Option<NetworkPolicy> {
    let ports =
        [Some(API), Some(registry.controller.scheme().as_str()), scraped(registry).map(|_| METRICS_PORT)];
    registry.instance.network_policy(ports.into_iter().flatten())
}

/// The metrics, if the debug server serves them.
fn scraped<'a>(registry: &Validated<'a>) -> Option<Metrics<'a>> {
    let debug = registry.spec.http.as_ref()?.debug.as_ref()?;
    registry.metrics.filter(|_| debug.prometheus.as_ref().is_some_and(|prometheus| prometheus.enabled))
}
