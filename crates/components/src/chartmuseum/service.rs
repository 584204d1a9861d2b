//! How ChartMuseum is reached: its Service and, if wanted, who may use it.

use super::inputs::Inputs;
use crate::pods::service_port;
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};
use std::collections::BTreeMap;

/// The Service in front of ChartMuseum's pods.
pub(super) fn service(charts: &Inputs<'_>) -> Service {
    let scheme = charts.scheme();
    let ports = [service_port(scheme.as_str(), scheme.port())];
    charts.instance.service(ports, BTreeMap::new(), charts.spec.network.as_ref())
}

/// Lets everybody in through the port of the Service and nowhere else.
pub(super) fn policy(charts: &Inputs<'_>) -> Option<NetworkPolicy> {
    charts.instance.network_policy([charts.scheme().as_str()])
}
