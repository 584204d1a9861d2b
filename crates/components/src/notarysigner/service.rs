//! The Service of a NotarySigner and, if requested, its NetworkPolicy.

use super::validated::Validated;
use crate::pods::service_port;
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};
use std::collections::BTreeMap;

/// Name of the port.
pub(super) const PORT: &str = "api";

/// The port of the container and of the Service.
pub(super) const PORT_NUMBER: i32 = 7899;

/// The Service in front of the pods.
pub(super) fn service(notary: &Validated<'_>) -> Service {
    let ports = [service_port(PORT, PORT_NUMBER)];
    notary.instance.service(ports, BTreeMap::new(), notary.spec.network.as_ref())
}

/// The NetworkPolicy that allows traffic to the port of the Service only.
pub(super) fn policy(notary: &Validated<'_>) -> Option<NetworkPolicy> {
    notary.instance.network_policy([PORT])
}
