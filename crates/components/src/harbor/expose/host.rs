//! Whether users can reach Harbor under its external URL.

use crate::connections::url_host;
use api::v1beta1::installation::InstallationSpec;
use plan::Violation;

/// Advice if neither Ingress nor route has the host of the external URL, to which Core redirects browsers and
/// clients. It is not refused: a proxy in front may change the host of requests.
pub(crate) fn advice(installation: &InstallationSpec) -> Option<Violation> {
    let expose = &installation.expose.core;
    // A Service accepts every host.
    if expose.service.is_some() {
        return None;
    }
    let external = url_host(&installation.external_url);
    let ingress = expose.component.ingress.as_ref().map(|ingress| ingress.host.as_str());
    let route = expose.route.iter().flat_map(|route| &route.hostnames).map(String::as_str);
    // A route without host names uses the one of the external URL.
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

/// Whether a host of an Ingress or a route matches this one, possibly by a wildcard.
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
