//! The proxy for requests that leave the cluster.

use crate::{environment::Environment, url};
use api::v1beta1::proxy::ProxySpec;

/// Tells Harbor which proxy to use, and that the `siblings` are to be reached without it: Harbor's own health checks
/// and pulls go through the proxy otherwise.
pub(crate) fn environment<'a>(
    spec: Option<&'a ProxySpec>,
    siblings: impl IntoIterator<Item = &'a str>,
) -> Environment {
    let none = Environment::default();
    let Some(spec) = spec else { return none };
    if spec.http_proxy.is_none() && spec.https_proxy.is_none() {
        return none;
    }
    let mut direct: Vec<&str> = Vec::new();
    for host in spec.no_proxy.iter().map(String::as_str).chain(siblings) {
        if !direct.contains(&host) {
            direct.push(host);
        }
    }
    none.with_some("HTTP_PROXY", spec.http_proxy.as_ref())
        .with_some("HTTPS_PROXY", spec.https_proxy.as_ref())
        .with("NO_PROXY", direct.join(","))
}

/// The host a URL points at, without port.
pub(crate) fn host(url: &str) -> &str {
    url::host(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_proxy_there_is_nothing_to_make_an_exception_from() {
        assert_eq!(environment(Some(&ProxySpec::default()), ["h-core"]), Environment::default());
    }
}
