//! The Ingresses of a Harbor.

use super::{
    super::{certificates, inputs::Inputs, part::Part},
    core_paths,
};
use crate::{
    exposure::{Exposed, ingress_path},
    pods::Scheme,
};
use api::v1beta1::expose::IngressSpec;
use k8s_openapi::api::networking::v1::{HTTPIngressPath, Ingress};

/// The Ingress of Core and the portal, where the user wants one.
pub(in super::super) fn core(harbor: &Inputs<'_>) -> Option<Ingress> {
    let wished = harbor.installation.expose.core.component.ingress.as_ref()?;
    let to_core = core_paths(harbor).map(|prefix| path(harbor, prefix, Part::Core));
    let to_portal = harbor.installation.portal.as_ref().map(|_| path(harbor, "/", Part::Portal));
    let certificate = certificates::public_secret(harbor).map(String::from);
    let name = harbor.name.to_string();
    let paths = to_core.chain(to_portal).collect();
    Some(ingress(harbor, name, wished, certificate, paths))
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
    Some(ingress(harbor, name, wished, certificate, paths))
}

fn ingress(
    harbor: &Inputs<'_>,
    name: String,
    wished: &IngressSpec,
    certificate: Option<String>,
    paths: Vec<HTTPIngressPath>,
) -> Ingress {
    let metadata = harbor.metadata(name);
    let public = if certificate.is_some() { Scheme::Https } else { Scheme::Http };
    Exposed { metadata, wished, certificate, behind: harbor.scheme(), public, paths }.into()
}

fn path(harbor: &Inputs<'_>, prefix: &str, behind: Part) -> HTTPIngressPath {
    ingress_path(prefix, harbor.child(behind.name()), harbor.scheme().port())
}
