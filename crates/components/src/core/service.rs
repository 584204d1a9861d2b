//! The Service of Core and, if requested, its NetworkPolicy.

use super::validated::Validated;
use crate::{
    exposure::{exposed_service, service_annotations},
    observability::{METRICS_PORT, Metrics},
    pods::service_port,
};
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};

/// The Service in front of Core's pods.
pub(super) fn service(core: &Validated<'_>) -> Service {
    let scheme = core.scheme();
    let ports = [Some(service_port(scheme.as_str(), scheme.port())), core.metrics.map(Metrics::service_port)];
    let mut annotations = core.metrics.map(Metrics::annotations).unwrap_or_default();
    annotations.extend(service_annotations(&core.instance, scheme));
    annotations.extend(core.spec.service.service_annotations.clone());
    exposed_service(&core.instance, ports.into_iter().flatten(), annotations, core.spec.network.as_ref())
}

/// The NetworkPolicy that allows traffic to the ports of the Service only.
pub(super) fn policy(core: &Validated<'_>) -> Option<NetworkPolicy> {
    let ports = [Some(core.scheme().as_str()), core.metrics.map(|_| METRICS_PORT)];
    core.instance.network_policy(ports.into_iter().flatten())
}
