//! The proxy for requests that leave the cluster.

use crate::pods::Environment;
use api::v1beta1::proxy::ProxySpec;

/// The proxy settings of Harbor. It reaches the `siblings` without the proxy; otherwise its own health checks
/// and pulls would go through the proxy.
pub(crate) fn proxy_environment<'a>(
    spec: Option<&'a ProxySpec>,
    siblings: impl IntoIterator<Item = &'a str>,
) -> Environment {
    let none = Environment::default();
    let Some(ProxySpec { http_proxy, https_proxy, no_proxy }) = spec else { return none };
    if http_proxy.is_none() && https_proxy.is_none() {
        return none;
    }
    let mut direct: Vec<&str> = Vec::new();
    for host in no_proxy.iter().map(String::as_str).chain(siblings) {
        if !direct.contains(&host) {
            direct.push(host);
        }
    }
    none.with_some("HTTP_PROXY", http_proxy.as_ref())
        .with_some("HTTPS_PROXY", https_proxy.as_ref())
        .with("NO_PROXY", direct.join(","))
}

/// The proxy settings, with a host added to `noProxy`.
pub(crate) fn proxy_except(mut proxy: ProxySpec, host: Option<&str>) -> ProxySpec {
    let listed = |host: &&str| proxy.no_proxy.iter().any(|direct| direct == host);
    if let Some(host) = host.filter(|host| !listed(host)) {
        proxy.no_proxy.push(host.to_owned());
    }
    proxy
}

/// The host of an endpoint if it is a Service of this cluster, that is, a name that cannot be resolved outside
/// of it. The endpoint is a URL or a host with or without a port. `namespace` is that of the pods.
///
/// All other hosts may be outside the cluster, where only the proxy reaches them. For those inside, users set
/// `noProxy`.
pub(crate) fn cluster_service_host<'a>(endpoint: &'a str, namespace: &str) -> Option<&'a str> {
    let host = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    let host = host.split(['/', ':']).next().unwrap_or_default().trim_end_matches('.');
    let labels: Vec<&str> = host.split('.').collect();
    let inside = match labels[..] {
        // A leading bracket begins an IPv6 address.
        [name] => !name.is_empty() && !name.starts_with('['),
        [_, second] => second == namespace,
        [_, _, third, ..] => third == "svc",
        [] => false,
    };
    inside.then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_distinguished_from_names_that_may_be_outside() {
        for (endpoint, host) in [
            ("http://minio:9000", Some("minio")),
            ("minio", Some("minio")),
            ("http://minio.registry:9000/", Some("minio.registry")),
            ("minio.store.svc:9000", Some("minio.store.svc")),
            ("https://minio.store.svc.cluster.local.", Some("minio.store.svc.cluster.local")),
            ("https://minio.store.svc.corp.example", Some("minio.store.svc.corp.example")),
            ("https://s3.eu-central-1.amazonaws.com", None),
            ("https://minio.io", None),
            ("http://minio.store:9000", None),
            ("http://10.0.0.7:9000", None),
            ("http://[fd00::7]:9000", None),
            ("", None),
        ] {
            assert_eq!(cluster_service_host(endpoint, "registry"), host, "{endpoint}");
        }
    }

    #[test]
    fn without_a_proxy_there_is_nothing_to_make_an_exception_from() {
        assert_eq!(proxy_environment(Some(&ProxySpec::default()), ["h-core"]), Environment::default());
    }
}
