//! How Trivy is reached: its Service and, if wanted, who may use it.

use super::inputs::Inputs;
use crate::pods::service_port;
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};
use std::collections::BTreeMap;

/// The Service in front of Trivy's pods.
pub(super) fn service(trivy: &Inputs<'_>) -> Service {
    let scheme = trivy.scheme();
    let ports = [service_port(scheme.as_str(), scheme.port())];
    trivy.instance.service(ports, BTreeMap::new(), trivy.spec.network.as_ref())
}

/// Lets everybody in through the port of the Service and nowhere else.
pub(super) fn policy(trivy: &Inputs<'_>) -> Option<NetworkPolicy> {
    trivy.instance.network_policy([trivy.scheme().as_str()])
}
