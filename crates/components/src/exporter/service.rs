//! How the exporter is reached: its Service and, if wanted, who may use it.

use super::inputs::Inputs;
use crate::observability::METRICS_PORT;
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};

/// The Service in front of the exporter's pods.
pub(super) fn service(exporter: &Inputs<'_>) -> Service {
    let Inputs { instance, spec, metrics, .. } = exporter;
    instance.service([metrics.service_port()], metrics.annotations(), spec.network.as_ref())
}

/// Lets everybody in through the port of the Service and nowhere else.
pub(super) fn policy(exporter: &Inputs<'_>) -> Option<NetworkPolicy> {
    exporter.instance.network_policy([METRICS_PORT])
}
