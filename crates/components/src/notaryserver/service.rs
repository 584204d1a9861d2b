//! The Service of a NotaryServer and, if requested, its NetworkPolicy.

use super::validated::Validated;
use crate::{
    exposure::{exposed_service, port_annotations},
    pods::service_port,
};
use k8s_openapi::api::{core::v1::Service, networking::v1::NetworkPolicy};

/// Name of the port, with and without TLS.
pub(super) const PORT: &str = "api";

/// The port of the container, with and without TLS.
pub(super) const CONTAINER_PORT: i32 = 4443;

/// The Service in front of the pods.
pub(super) fn service(notary: &Validated<'_>) -> Service {
    let scheme = notary.scheme();
    let annotations = port_annotations(&notary.instance, scheme, PORT);
    exposed_service(
        &notary.instance,
        [service_port(PORT, scheme.port())],
        annotations,
        notary.spec.network.as_ref(),
    )
}

/// The NetworkPolicy that allows traffic to the port of the Service only.
pub(super) fn policy(notary: &Validated<'_>) -> Option<NetworkPolicy> {
    notary.instance.network_policy([PORT])
}
