//! The Service of Portal and, if requested, its NetworkPolicy.

use super::validated::Validated;
use crate::{
    exposure::{exposed_service, service_annotations},
    pods::service_port,
};
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};

/// The Service in front of Portal's pods.
pub(super) fn service(portal: &Validated<'_>) -> Service {
    let scheme = portal.scheme();
    let mut annotations = service_annotations(&portal.instance, scheme);
    annotations.extend(portal.spec.service.service_annotations.clone());
    let port = service_port(scheme.as_str(), scheme.port());
    exposed_service(&portal.instance, [port], annotations, portal.spec.network.as_ref())
}

/// The NetworkPolicies that allow traffic to the port of the Service only, and no egress.
pub(super) fn policies(portal: &Validated<'_>) -> impl Iterator<Item = NetworkPolicy> {
    let ingress = portal.instance.network_policy([portal.scheme().as_str()]);
    ingress.into_iter().chain(portal.instance.no_egress())
}
