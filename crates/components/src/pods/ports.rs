//! Ports of containers and of the Services in front of them.

use super::scheme::Scheme;
use k8s_openapi::{
    api::core::v1::{ContainerPort, HTTPGetAction, Probe, ServicePort, TCPSocketAction},
    apimachinery::pkg::util::intstr::IntOrString,
};

/// A port that a container listens on.
pub(crate) fn container_port(name: &str, port: i32) -> ContainerPort {
    ContainerPort {
        name: Some(name.into()),
        container_port: port,
        protocol: Some("TCP".into()),
        ..ContainerPort::default()
    }
}

/// A port of a Service that leads to the container's port of the same name.
pub(crate) fn service_port(name: &str, port: i32) -> ServicePort {
    ServicePort {
        name: Some(name.into()),
        port,
        target_port: Some(IntOrString::String(name.into())),
        protocol: Some("TCP".into()),
        ..ServicePort::default()
    }
}

/// Requests a path every ten seconds, with a timeout of ten seconds.
pub(crate) fn http_probe(path: &str, port: &str, scheme: Scheme) -> Probe {
    Probe {
        http_get: Some(HTTPGetAction {
            path: Some(path.into()),
            port: IntOrString::String(port.into()),
            scheme: Some(scheme.of_probe().into()),
            ..HTTPGetAction::default()
        }),
        period_seconds: Some(10),
        timeout_seconds: Some(10),
        ..Probe::default()
    }
}

/// Opens a connection every ten seconds, with a timeout of ten seconds: for servers whose answer depends on
/// other services, or that require a client certificate.
pub(crate) fn tcp_probe(port: &str) -> Probe {
    Probe {
        tcp_socket: Some(TCPSocketAction { port: IntOrString::String(port.into()), host: None }),
        period_seconds: Some(10),
        timeout_seconds: Some(10),
        ..Probe::default()
    }
}
