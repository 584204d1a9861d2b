//! The certificate that users see.

use super::{LONGEST_COMMON_NAME, Made, QUARTER, authority, common_name, issued};
use crate::harbor::inputs::Inputs;
use api::v1beta1::ObjectName;
use k8s_openapi::api::core::v1::Secret;
use plan::{Builder, Issuance, Role};
use std::{collections::BTreeSet, net::IpAddr};

const PUBLIC: &str = "expose-tls";
const PUBLIC_AUTHORITY: &str = "expose-tls-authority";

/// The Secret Harbor is served to users with, where it is served over TLS.
pub(in crate::harbor) fn public_secret(harbor: &Inputs<'_>) -> Option<ObjectName> {
    let tls = harbor.installation.expose.core.component.tls.as_ref()?;
    Some(tls.certificate_ref.clone().unwrap_or_else(|| harbor.child(PUBLIC).into()))
}

/// Adds the certificate users see, where they asked for TLS and named none.
///
/// An authority of its own signs it: users trust that one, and a renewal of the certificate changes nothing for them.
pub(in crate::harbor) fn public<'g>(harbor: &Inputs<'_>, graph: &mut Builder<'g>) -> Option<Made<'g>> {
    let tls = harbor.installation.expose.core.component.tls.as_ref()?;
    if tls.certificate_ref.is_some() {
        return None;
    }
    let name = harbor.child(PUBLIC_AUTHORITY);
    // Users trust it under whatever host the Harbor gets later.
    let role = Role::Authority { only_for: None };
    let authority = authority(harbor, graph, &name, &common_name(harbor, &name), role);
    let secret = issued(harbor, &harbor.child(PUBLIC), issuance(harbor, name));
    Some(Made::Secret(graph.add::<Secret>(secret, authority)))
}

fn issuance(harbor: &Inputs<'_>, authority: String) -> Issuance {
    let external = crate::connections::url_host(harbor.external_url());
    let ingress = harbor.installation.expose.core.component.ingress.as_ref();
    // An ingress controller shows a certificate of its own where this one is not for the host of the Ingress.
    let hosts: BTreeSet<&str> = [external].into_iter().chain(ingress.map(|it| it.host.as_str())).collect();
    let parsed = |host: &&str| host.parse::<IpAddr>().ok();
    Issuance {
        subject: if external.len() <= LONGEST_COMMON_NAME { external.into() } else { harbor.child(PUBLIC) },
        dns_names: hosts.iter().filter(|host| parsed(host).is_none()).map(ToString::to_string).collect(),
        ip_addresses: hosts.iter().filter_map(parsed).collect(),
        role: Role::Leaf { authority: Some(authority) },
        days: QUARTER,
    }
}
