//! Ingresses, in the flavours that ingress controllers want.

use super::{
    super::{certificates, inputs::Inputs, part::Part},
    core_paths,
};
use crate::tls::Scheme;
use api::v1beta1::expose::{IngressController, IngressSpec};
use k8s_openapi::api::networking::v1::{
    self as networking, HTTPIngressPath, HTTPIngressRuleValue, Ingress, IngressBackend, IngressRule,
    IngressServiceBackend, IngressTLS, ServiceBackendPort,
};
use kube::core::ObjectMeta;
use std::collections::BTreeMap;

/// The Ingress of Core and the portal, where the user wants one.
pub(in super::super) fn core(harbor: &Inputs<'_>) -> Option<Ingress> {
    let wished = harbor.installation.expose.core.component.ingress.as_ref()?;
    let to_core = core_paths(harbor).map(|prefix| path(harbor, prefix, Part::Core));
    let to_portal = harbor.installation.portal.as_ref().map(|_| path(harbor, "/", Part::Portal));
    let certificate = certificates::public_secret(harbor).map(String::from);
    let name = harbor.name.to_string();
    let paths = to_core.chain(to_portal).collect();
    Some(ingress(harbor, name, wished, wished.controller, certificate, paths))
}

/// The Ingress of Notary, where the user wants Notary and one.
pub(in super::super) fn notary(harbor: &Inputs<'_>) -> Option<Ingress> {
    let installation = harbor.installation;
    installation.notary.as_ref()?;
    let exposed = installation.expose.notary.as_ref()?;
    let wished = exposed.ingress.as_ref()?;
    let certificate = exposed.tls.as_ref().and_then(|tls| tls.certificate_ref.clone()).map(String::from);
    let name = harbor.child(Part::NotaryServer.name());
    let paths = vec![path(harbor, "/", Part::NotaryServer)];
    Some(ingress(harbor, name, wished, wished.controller, certificate, paths))
}

fn ingress(
    harbor: &Inputs<'_>,
    name: String,
    wished: &IngressSpec,
    controller: IngressController,
    certificate: Option<String>,
    paths: Vec<HTTPIngressPath>,
) -> Ingress {
    let mut annotations = annotations(harbor.scheme(), controller);
    annotations.extend(wished.annotations.clone());
    let tls = certificate
        .map(|secret| vec![IngressTLS { hosts: Some(vec![wished.host.clone()]), secret_name: Some(secret) }]);
    Ingress {
        metadata: ObjectMeta {
            annotations: Some(annotations),
            labels: Some(wished.labels.clone()).filter(|labels| !labels.is_empty()),
            ..harbor.metadata(name)
        },
        spec: Some(networking::IngressSpec {
            ingress_class_name: wished.ingress_class_name.clone(),
            rules: Some(vec![IngressRule {
                host: Some(wished.host.clone()),
                http: Some(HTTPIngressRuleValue { paths }),
            }]),
            tls,
            default_backend: None,
        }),
        status: None,
    }
}

fn path(harbor: &Inputs<'_>, prefix: &str, behind: Part) -> HTTPIngressPath {
    let port = ServiceBackendPort { number: Some(harbor.scheme().port()), name: None };
    HTTPIngressPath {
        path: Some(prefix.into()),
        path_type: "Prefix".into(),
        backend: IngressBackend {
            service: Some(IngressServiceBackend { name: harbor.child(behind.name()), port: Some(port) }),
            resource: None,
        },
    }
}

/// What controllers must be told: images are large, and components may be served over TLS.
fn annotations(internal: Scheme, controller: IngressController) -> BTreeMap<String, String> {
    let protocol = match internal {
        Scheme::Http => "HTTP",
        Scheme::Https => "HTTPS",
    };
    let mut annotations = vec![
        ("nginx.ingress.kubernetes.io/backend-protocol", protocol),
        ("nginx.ingress.kubernetes.io/proxy-body-size", "0"),
    ];
    match (controller, internal) {
        (IngressController::Default | IngressController::Gce, _)
        | (IngressController::Contour, Scheme::Http) => {}
        (IngressController::Ncp, Scheme::Http) => annotations.push(("ncp/use-regex", "true")),
        (IngressController::Ncp, Scheme::Https) => {
            annotations.extend([("ncp/use-regex", "true"), ("ncp/http-redirect", "true")]);
        }
        (IngressController::Contour, Scheme::Https) => {
            annotations.push(("ingress.kubernetes.io/force-ssl-redirect", "true"));
        }
    }
    annotations.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}
