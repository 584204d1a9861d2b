//! How a NotarySigner is reached: its Service and, if wanted, who may use it.

use super::inputs::Inputs;
use crate::pods::service_port;
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};
use std::collections::BTreeMap;

/// Name of the port.
pub(super) const PORT: &str = "api";

/// The port of the container and of the Service.
pub(super) const PORT_NUMBER: i32 = 7899;

/// The Service in front of the pods.
pub(super) fn service(notary: &Inputs<'_>) -> Service {
    let ports = [service_port(PORT, PORT_NUMBER)];
    notary.instance.service(ports, BTreeMap::new(), notary.spec.network.as_ref())
}

/// Lets everybody in through the port of the Service and nowhere else.
pub(super) fn policy(notary: &Inputs<'_>) -> Option<NetworkPolicy> {
    notary.instance.network_policy([PORT])
}
