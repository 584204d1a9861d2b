//! How Core is reached: its Service and, if wanted, who may use it.

use super::inputs::Inputs;
use crate::{
    metrics::{self, Metrics},
    network_policy,
    tls::Scheme,
};
use k8s_openapi::{
    api::{
        core::v1::{Service, ServicePort, ServiceSpec},
        networking::v1::NetworkPolicy,
    },
    apimachinery::pkg::util::intstr::IntOrString,
};
use kube::core::ObjectMeta;
use std::collections::BTreeMap;

/// Names the ingress controller that stands in front.
const INGRESS_CONTROLLER_ANNOTATION: &str = "goharbor.io/ingress-controller";

/// The Service in front of Core's pods.
pub(super) fn service(core: &Inputs<'_>) -> Service {
    let scheme = core.scheme();
    let port = ServicePort {
        name: Some(scheme.as_str().into()),
        port: scheme.port(),
        target_port: Some(IntOrString::String(scheme.as_str().into())),
        protocol: Some("TCP".into()),
        ..ServicePort::default()
    };
    let ports = [Some(port), core.metrics.map(Metrics::service_port)];
    Service {
        metadata: ObjectMeta { annotations: annotations(core), ..core.metadata(&*core.name) },
        spec: Some(ServiceSpec {
            selector: Some(core.selector()),
            ports: Some(ports.into_iter().flatten().collect()),
            ..ServiceSpec::default()
        }),
        status: None,
    }
}

fn annotations(core: &Inputs<'_>) -> Option<BTreeMap<String, String>> {
    let mut annotations = core.metrics.map(Metrics::annotations).unwrap_or_default();
    let wished = core.owner.metadata.annotations.as_ref();
    let controller = wished.and_then(|wished| wished.get(INGRESS_CONTROLLER_ANNOTATION));
    if core.scheme() == Scheme::Https && controller.is_some_and(|controller| controller == "contour") {
        // Contour talks clear text to its upstreams unless told which port does not.
        annotations.insert("projectcontour.io/upstream-protocol.tls".into(), "https".into());
    }
    Some(annotations).filter(|annotations| !annotations.is_empty())
}

/// Lets everybody in through the ports of the Service and nowhere else.
pub(super) fn policy(core: &Inputs<'_>) -> NetworkPolicy {
    let ports = [Some(core.scheme().as_str()), core.metrics.map(|_| metrics::PORT)];
    network_policy::ingress(
        core.metadata(format!("{}-ingress", core.name)),
        core.selector(),
        ports.into_iter().flatten(),
    )
}
