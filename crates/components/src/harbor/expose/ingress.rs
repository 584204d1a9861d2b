//! The Ingresses of a Harbor.

use super::{
    super::{certificates, part::Part, validated::Validated},
    core_paths,
};
use crate::{
    exposure::{Exposed, ingress_path},
    pods::Scheme,
};
use api::v1beta1::expose::IngressSpec;
use k8s_openapi::api::networking::v1::{HTTPIngressPath, Ingress};

/// The Ingress of Core and the portal, if the user requests one.
pub(in super::super) fn core(harbor: &Validated<'_>) -> Option<Ingress> {
    let requested = harbor.installation.expose.core.component.ingress.as_ref()?;
    let to_core = core_paths(harbor).map(|prefix| path(harbor, prefix, Part::Core));
    let to_portal = harbor.installation.portal.as_ref().map(|_| path(harbor, "/", Part::Portal));
    let certificate = certificates::public_secret(harbor).map(String::from);
    let name = harbor.name.to_string();
    let paths = to_core.chain(to_portal).collect();
    Some(ingress(harbor, name, requested, certificate, paths))
}

/// The Ingress of Notary, if the user requests both.
pub(in super::super) fn notary(harbor: &Validated<'_>) -> Option<Ingress> {
    let installation = harbor.installation;
    installation.notary.as_ref()?;
    let exposed = installation.expose.notary.as_ref()?;
    let requested = exposed.ingress.as_ref()?;
    let certificate = exposed.tls.as_ref().and_then(|tls| tls.certificate_ref.clone()).map(String::from);
    let name = harbor.child(Part::NotaryServer.name());
    let paths = vec![path(harbor, "/", Part::NotaryServer)];
    Some(ingress(harbor, name, requested, certificate, paths))
}

fn ingress(
    harbor: &Validated<'_>,
    name: String,
    requested: &IngressSpec,
    certificate: Option<String>,
    paths: Vec<HTTPIngressPath>,
) -> Ingress {
    let metadata = harbor.metadata(name);
    let public = if certificate.is_some() { Scheme::Https } else { Scheme::Http };
    Exposed { metadata, requested, certificate, behind: harbor.scheme(), public, paths }.into()
}

fn path(harbor: &Validated<'_>, prefix: &str, behind: Part) -> HTTPIngressPath {
    ingress_path(prefix, harbor.child(behind.name()), harbor.scheme().port())
}
