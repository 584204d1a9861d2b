//! Services behind an ingress controller.

use crate::pods::{Instance, Scheme};
use api::names::INGRESS_CONTROLLER_ANNOTATION;
use api::v1beta1::{expose::IngressController, network::Network};
use k8s_openapi::api::core::v1::{Service, ServicePort};
use std::collections::BTreeMap;

/// Annotations of a Service behind an ingress controller. `scheme` is also the name of its port.
pub(crate) fn service_annotations(instance: &Instance<'_>, scheme: Scheme) -> BTreeMap<String, String> {
    port_annotations(instance, scheme, scheme.as_str())
}

/// Annotations of a Service behind an ingress controller, whose port is called `port`.
pub(crate) fn port_annotations(
    instance: &Instance<'_>,
    scheme: Scheme,
    port: &str,
) -> BTreeMap<String, String> {
    match (instance.annotation(INGRESS_CONTROLLER_ANNOTATION), scheme) {
        // Contour uses clear text for its upstreams unless the annotation names the port with TLS.
        (Some("contour"), Scheme::Https) => {
            [("projectcontour.io/upstream-protocol.tls".to_owned(), port.to_owned())].into()
        }
        _ => BTreeMap::new(),
    }
}

/// The type of a Service behind an ingress controller, if it is not the default: some controllers need node
/// ports.
pub(crate) fn service_type(controller: IngressController) -> Option<&'static str> {
    match controller {
        IngressController::Gce | IngressController::Alb | IngressController::F5BigIp => Some("NodePort"),
        IngressController::Default | IngressController::Ncp | IngressController::Contour => None,
    }
}

/// The Service in front of an instance's pods, of the type that its ingress controller needs.
pub(crate) fn exposed_service(
    instance: &Instance<'_>,
    ports: impl IntoIterator<Item = ServicePort>,
    annotations: BTreeMap<String, String>,
    network: Option<&Network>,
) -> Service {
    let mut service = instance.service(ports, annotations, network);
    service.spec.get_or_insert_default().type_ = service_type_of(instance).map(Into::into);
    service
}

/// The type of the Service of an instance, by the ingress controller that its object is annotated with.
fn service_type_of(instance: &Instance<'_>) -> Option<&'static str> {
    let named = instance.annotation(INGRESS_CONTROLLER_ANNOTATION)?;
    let controller = IngressController::ALL.into_iter().find(|controller| controller.as_str() == named)?;
    service_type(controller)
}

#[cfg(test)]
mod tests {
    use crate::{cases::Case, core::Core, portal::Portal};
    use api::names::INGRESS_CONTROLLER_ANNOTATION;
    use plan::Component;
    use serde_json::{Value, json};

    fn service<C: Component>(controller: &str) -> Value {
        Case::<C>::golden("minimal").annotated(INGRESS_CONTROLLER_ANNOTATION, controller).child("Service")["spec"]["type"]
            .clone()
    }

    #[test]
    fn controllers_that_come_through_nodes_find_ports_there() {
        for (controller, expected) in [
            ("gce", json!("NodePort")),
            ("alb", json!("NodePort")),
            ("f5-bigip", json!("NodePort")),
            ("default", Value::Null),
            ("ncp", Value::Null),
            ("contour", Value::Null),
        ] {
            assert_eq!(service::<Core>(controller), expected, "{controller}");
            assert_eq!(service::<Portal>(controller), expected, "{controller}");
        }
    }
}
