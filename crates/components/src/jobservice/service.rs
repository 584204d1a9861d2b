//! The Service of JobService and, if requested, its NetworkPolicy.

use super::validated::Validated;
use crate::{
    observability::{METRICS_PORT, Metrics},
    pods::service_port,
};
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};

/// The Service in front of JobService's pods.
pub(super) fn service(jobservice: &Validated<'_>) -> Service {
    let scheme = jobservice.scheme();
    let ports =
        [Some(service_port(scheme.as_str(), scheme.port())), jobservice.metrics.map(Metrics::service_port)];
    let annotations = jobservice.metrics.map(Metrics::annotations).unwrap_or_default();
    jobservice.instance.service(ports.into_iter().flatten(), annotations, jobservice.spec.network.as_ref())
}

/// The NetworkPolicy that allows traffic to the ports of the Service only.
pub(super) fn policy(jobservice: &Validated<'_>) -> Option<NetworkPolicy> {
    let ports = [Some(jobservice.scheme().as_str()), jobservice.metrics.map(|_| METRICS_PORT)];
    jobservice.instance.network_policy(ports.into_iter().flatten())
}
