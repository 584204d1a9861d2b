//! Whether users find Harbor under the name it gives itself.

use crate::connections::url_host;
use api::v1beta1::installation::InstallationSpec;
use plan::Violation;

/// Tells where no way in is for the host of the external URL. Core sends browsers and clients there, whatever host they
/// came by. Not refused: a proxy in front may change the host of requests, and names may differ inside and outside.
pub(crate) fn advice(installation: &InstallationSpec) -> Option<Violation> {
    let expose = &installation.expose.core;
    // A Service answers to every name.
    if expose.service.is_some() {
        return None;
    }
    let external = url_host(&installation.external_url);
    let ingress = expose.component.ingress.as_ref().map(|ingress| ingress.host.as_str());
    let route = expose.route.iter().flat_map(|route| &route.hostnames).map(String::as_str);
    // A route without names takes that of the external URL.
    let unnamed = expose.route.as_ref().filter(|route| route.hostnames.is_empty()).map(|_| external);
    let hosts: Vec<&str> = ingress.into_iter().chain(route).chain(unnamed).collect();
    if hosts.is_empty() || hosts.iter().any(|host| covers(host, external)) {
        return None;
    }
    Some(Violation {
        subject: "spec.externalURL".into(),
        problem: format!("its host is {external}, but Harbor is exposed under {}", hosts.join(", ")),
        remedy: "use one name for both, unless a proxy in front changes the host of requests".into(),
    })
}

/// Whether a host of an Ingress or a route is this one, or a wildcard for it.
fn covers(host: &str, external: &str) -> bool {
    let external = external.to_ascii_lowercase();
    match host.to_ascii_lowercase().strip_prefix("*.") {
        Some(domain) => external.split_once('.').is_some_and(|(_, rest)| rest == domain),
        None => host.eq_ignore_ascii_case(&external),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wildcard_covers_one_label() {
        for (host, covered) in [
            ("harbor.example.com", true),
            ("Harbor.Example.COM", true),
            ("*.example.com", true),
            ("*.com", false),
            ("example.com", false),
            ("", false),
        ] {
            assert_eq!(covers(host, "harbor.example.com"), covered, "{host}");
        }
    }
}
