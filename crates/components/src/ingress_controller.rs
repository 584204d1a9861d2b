//! What the ingress controller in front must be told through a Service.

use crate::{instance::Instance, tls::Scheme};
use std::collections::BTreeMap;

/// Names the ingress controller that stands in front.
pub(crate) const ANNOTATION: &str = "goharbor.io/ingress-controller";

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
    match (instance.annotation(ANNOTATION), scheme) {
        // Contour talks clear text to its upstreams unless told which port does not.
        (Some("contour"), Scheme::Https) => {
            [("projectcontour.io/upstream-protocol.tls".to_owned(), port.to_owned())].into()
        }
        _ => BTreeMap::new(),
    }
}
