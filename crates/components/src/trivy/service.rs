//! The Service of Trivy and, if requested, its NetworkPolicy.

use super::validated::Validated;
use crate::pods::service_port;
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};
use std::collections::BTreeMap;

/// The Service in front of Trivy's pods.
pub(super) fn service(trivy: &Validated<'_>) -> Service {
    let scheme = trivy.scheme();
    let ports = [service_port(scheme.as_str(), scheme.port())];
    trivy.instance.service(ports, BTreeMap::new(), trivy.spec.network.as_ref())
}

/// The NetworkPolicy that allows traffic to the port of the Service only.
pub(super) fn policy(trivy: &Validated<'_>) -> Option<NetworkPolicy> {
    trivy.instance.network_policy([trivy.scheme().as_str()])
}
