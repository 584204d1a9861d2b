//! The Service that users connect to.

use super::Front;
use crate::pods::{Scheme, service_port};
use api::v1beta1::expose::ExposeServiceSpec;
use k8s_openapi::api::core::v1::{Service, ServicePort, ServiceSpec};
use kube::core::ObjectMeta;
use std::collections::BTreeMap;

/// The Service, with the name that the user requests.
pub(super) fn service(front: &Front<'_>) -> Service {
    let ExposeServiceSpec {
        type_,
        name,
        http_port: _,
        https_port: _,
        http_node_port: _,
        https_node_port: _,
        cluster_ip,
        load_balancer_ip,
        load_balancer_source_ranges,
        annotations,
        labels,
    } = front.request.service;
    let ports = front.schemes().map(|scheme| port(front, scheme));
    let plain = front.instance.service(ports, annotations.clone(), front.request.network);
    Service {
        metadata: ObjectMeta {
            name: name.as_ref().map(ToString::to_string).or(plain.metadata.name),
            labels: Some(labels.clone()).filter(|labels: &BTreeMap<_, _>| !labels.is_empty()),
            ..plain.metadata
        },
        spec: Some(ServiceSpec {
            type_: Some(type_.as_str().into()),
            cluster_ip: cluster_ip.clone(),
            load_balancer_ip: load_balancer_ip.clone(),
            load_balancer_source_ranges: Some(load_balancer_source_ranges.clone())
                .filter(|ranges| !ranges.is_empty()),
            ..plain.spec.unwrap_or_default()
        }),
        status: None,
    }
}

fn port(front: &Front<'_>, scheme: Scheme) -> ServicePort {
    let ExposeServiceSpec { http_node_port, https_node_port, .. } = front.request.service;
    let (http, https) = front.request.ports();
    let (port, node_port) = match scheme {
        Scheme::Http => (http, http_node_port),
        Scheme::Https => (https, https_node_port),
    };
    ServicePort { node_port: *node_port, ..service_port(scheme.as_str(), port) }
}
