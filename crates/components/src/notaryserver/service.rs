//! How a NotaryServer is reached: its Service and, if wanted, who may use it.

use super::inputs::Inputs;
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
pub(super) fn service(notary: &Inputs<'_>) -> Service {
    let scheme = notary.scheme();
    let annotations = port_annotations(&notary.instance, scheme, PORT);
    exposed_service(
        &notary.instance,
        [service_port(PORT, scheme.port())],
        annotations,
        notary.spec.network.as_ref(),
    )
}

/// Lets everybody in through the port of the Service and nowhere else.
pub(super) fn policy(notary: &Inputs<'_>) -> Option<NetworkPolicy> {
    notary.instance.network_policy([PORT])
}
