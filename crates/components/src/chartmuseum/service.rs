//! The Service of ChartMuseum and, if requested, its NetworkPolicy.

use super::validated::Validated;
use crate::pods::service_port;
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};
use std::collections::BTreeMap;

/// The Service in front of ChartMuseum's pods.
pub(super) fn service(charts: &Validated<'_>) -> Service {
    let scheme = charts.scheme();
    let ports = [service_port(scheme.as_str(), scheme.port())];
    charts.instance.service(ports, BTreeMap::new(), charts.spec.network.as_ref())
}

/// The NetworkPolicy that allows traffic to the port of the Service only.
pub(super) fn policy(charts: &Validated<'_>) -> Option<NetworkPolicy> {
    charts.instance.network_policy([charts.scheme().as_str()])
}
