//! The certificate for users.

use super::{Issued, LONGEST_COMMON_NAME, QUARTER, authority, common_name, issued};
use crate::harbor::validated::Validated;
use api::v1beta1::ObjectName;
use k8s_openapi::api::core::v1::Secret;
use plan::{Builder, Issuance, Role};
use std::{collections::BTreeSet, net::IpAddr};

const PUBLIC: &str = "expose-tls";
const PUBLIC_AUTHORITY: &str = "expose-tls-authority";

/// The Secret with the certificate for users, if they are served over TLS.
pub(in crate::harbor) fn public_secret(harbor: &Validated<'_>) -> Option<ObjectName> {
    let tls = harbor.installation.expose.core.component.tls.as_ref()?;
    Some(tls.certificate_ref.clone().unwrap_or_else(|| harbor.child(PUBLIC).into()))
}

/// Adds the certificate for users, if the user requests TLS and names none.
///
/// An authority of its own signs it: users trust the authority, so they do not notice when the certificate is
/// renewed.
pub(in crate::harbor) fn public<'g>(harbor: &Validated<'_>, graph: &mut Builder<'g>) -> Option<Issued<'g>> {
    let tls = harbor.installation.expose.core.component.tls.as_ref()?;
    if tls.certificate_ref.is_some() {
        return None;
    }
    let name = harbor.child(PUBLIC_AUTHORITY);
    // Users also trust it after the host of the Harbor changes.
    let role = Role::Authority { only_for: None };
    let authority = authority(&common_name(harbor, &name), role);
    let authority = graph.add::<Secret>(issued(harbor, &name, authority), ());
    let secret = issued(harbor, &harbor.child(PUBLIC), issuance(harbor, name));
    Some(Issued::Secret(graph.add::<Secret>(secret, authority)))
}

fn issuance(harbor: &Validated<'_>, authority: String) -> Issuance {
    let external = crate::connections::url_host(harbor.external_url());
    let ingress = harbor.installation.expose.core.component.ingress.as_ref();
    // An ingress controller serves its own certificate if this one is not valid for the host of the Ingress.
    let hosts: BTreeSet<&str> = [external].into_iter().chain(ingress.map(|it| it.host.as_str())).collect();
    let parsed = |host: &&str| host.parse::<IpAddr>().ok();
    Issuance {
        subject: if external.len() <= LONGEST_COMMON_NAME { external.into() } else { harbor.child(PUBLIC) },
        dns_names: hosts.iter().filter(|host| parsed(host).is_none()).map(ToString::to_string).collect(),
        ip_addresses: hosts.iter().filter_map(parsed).collect(),
        role: Role::Leaf { authority: Some(authority), also_trusted: None },
        days: QUARTER,
    }
}
