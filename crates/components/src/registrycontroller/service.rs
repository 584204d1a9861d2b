//! The Service of the registry controller.

use super::Validated;
use crate::pods::{Instance, service_port};
use k8s_openapi::api::core::v1::Service;
use kube::core::ObjectMeta;
use std::collections::BTreeMap;

/// The Service, in front of the pods of the registry.
pub(crate) fn service(controller: &Validated<'_>, registry: &Instance<'_>) -> Service {
    let scheme = controller.scheme();
    let port = service_port(scheme.as_str(), scheme.port());
    let network = controller.spec.network.as_ref();
    let Service { metadata, spec, status } = registry.service([port], BTreeMap::new(), network);
    let name = Some(controller.instance.name.to_string());
    Service { metadata: ObjectMeta { name, ..metadata }, spec, status }
}
