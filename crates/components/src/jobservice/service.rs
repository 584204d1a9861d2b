//! How JobService is reached: its Service and, if wanted, who may use it.

use super::inputs::Inputs;
use crate::{
    observability::{METRICS_PORT, Metrics},
    pods::service_port,
};
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};

/// The Service in front of JobService's pods.
pub(super) fn service(jobservice: &Inputs<'_>) -> Service {
    let scheme = jobservice.scheme();
    let ports =
        [Some(service_port(scheme.as_str(), scheme.port())), jobservice.metrics.map(Metrics::service_port)];
    let annotations = jobservice.metrics.map(Metrics::annotations).unwrap_or_default();
    jobservice.instance.service(ports.into_iter().flatten(), annotations, jobservice.spec.network.as_ref())
}

/// Lets everybody in through the ports of the Service and nowhere else.
pub(super) fn policy(jobservice: &Inputs<'_>) -> Option<NetworkPolicy> {
    let ports = [Some(jobservice.scheme().as_str()), jobservice.metrics.map(|_| METRICS_PORT)];
    jobservice.instance.network_policy(ports.into_iter().flatten())
}
