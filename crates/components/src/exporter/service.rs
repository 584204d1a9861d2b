//! The Service of the exporter and, if requested, its NetworkPolicy.

use super::validated::Validated;
use crate::observability::METRICS_PORT;
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};

/// The Service in front of the exporter's pods.
pub(super) fn service(exporter: &Validated<'_>) -> Service {
    let Validated { instance, spec, metrics, .. } = exporter;
    instance.service([metrics.service_port()], metrics.annotations(), spec.network.as_ref())
}

/// The NetworkPolicy that allows traffic to the port of the Service only.
pub(super) fn policy(exporter: &Validated<'_>) -> Option<NetworkPolicy> {
    exporter.instance.network_policy([METRICS_PORT])
}
