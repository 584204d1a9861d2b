//! The proxy on the way to the API server, as client-go chooses it: `proxy-url` of the kubeconfig, or `HTTPS_PROXY` unless
//! `NO_PROXY` names the host.

use http::Uri;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use kube::{Config, Error};
use std::{env, net::IpAddr};

/// The proxy settings of the environment.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    proxies: Vec<String>,
    no_proxy: String,
}

impl Environment {
    /// The settings of this process. The upper-case name comes first, as for client-go.
    pub fn of_process() -> Self {
        let values = |names: [&'static str; 2]| names.into_iter().filter_map(|name| env::var(name).ok());
        let is_set = |value: &String| !value.is_empty();
        Self {
            proxies: values(["HTTPS_PROXY", "https_proxy"]).filter(is_set).collect(),
            no_proxy: values(["NO_PROXY", "no_proxy"]).find(is_set).unwrap_or_default(),
        }
    }

    /// The entries of `NO_PROXY`. The matcher knows no `*` before a domain.
    fn entries(&self) -> Vec<&str> {
        let entries = self.no_proxy.split(',').map(str::trim);
        entries
            .map(|entry| entry.strip_prefix('*').filter(|rest| rest.starts_with('.')).unwrap_or(entry))
            .collect()
    }

    /// Whether kube took a proxy from here. The configuration does not tell.
    fn has(&self, proxy: &Uri) -> bool {
        self.proxies.iter().any(|value| value.parse::<Uri>().is_ok_and(|uri| uri == *proxy))
    }
}

/// The proxy to connect through; `None` for a direct connection.
///
/// # Errors
/// When it is not an HTTP proxy.
pub fn proxy(config: &Config, environment: &Environment) -> Result<Option<Intercept>, Error> {
    let (Some(proxy), server) = (&config.proxy_url, &config.cluster_url) else { return Ok(None) };
    let is_from_environment = environment.has(proxy);
    if is_from_environment && (is_loopback(server) || server.scheme_str() != Some("https")) {
        return Ok(None);
    }
    let no_proxy = if is_from_environment { environment.entries() } else { Vec::new() };
    if no_proxy.contains(&"*") {
        return Ok(None);
    }
    let unsupported = || Error::ProxyProtocolUnsupported { proxy_url: Box::new(proxy.clone()) };
    // The matcher ignores a proxy of a scheme that it does not know, which must not become a direct connection.
    let of =
        |no_proxy: &str| Matcher::builder().all(proxy.to_string()).no(no_proxy).build().intercept(server);
    match of("") {
        Some(known) if known.uri().scheme_str() == Some("http") => Ok(of(&no_proxy.join(","))),
        _ => Err(unsupported()),
    }
}

/// Whether a server is on this machine, where a proxy of the environment does not reach it.
fn is_loopback(server: &Uri) -> bool {
    let host = server.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "http://proxy.example.com:3128";

    fn config(server: &str, proxy: &str) -> Config {
        let mut config = Config::new(server.parse().unwrap());
        config.proxy_url = Some(proxy.parse().unwrap());
        config
    }

    /// The proxy for a server, if the environment names this one.
    fn through(server: &str, no_proxy: &str) -> Option<String> {
        let environment = Environment { proxies: vec![PROXY.into()], no_proxy: no_proxy.into() };
        proxy(&config(server, PROXY), &environment).unwrap().map(|proxy| proxy.uri().to_string())
    }

    #[test]
    fn a_proxy_of_the_environment_is_for_hosts_that_no_proxy_does_not_name() {
        let used = Some(format!("{PROXY}/"));
        for (server, no_proxy, expected) in [
            ("https://api.example.org:6443", "", &used),
            ("https://api.example.org:6443", "example.net, 10.0.0.0/8", &used),
            ("https://api.example.org:6443", "api.example.org", &None),
            ("https://api.example.org:6443", "a.net,.example.org,", &None),
            ("https://api.example.org:6443", "example.org", &None),
            ("https://api.example.org:6443", "*.example.org", &None),
            ("https://api.example.org:6443", "*", &None),
            ("https://10.1.2.3:6443", "*", &None),
            ("https://notexample.org:6443", "example.org", &used),
            ("https://10.1.2.3:6443", "10.0.0.0/8", &None),
            ("https://11.1.2.3:6443", "10.0.0.0/8", &used),
            ("https://[2001:db8::7]:6443", "2001:db8::/32", &None),
        ] {
            assert_eq!(&through(server, no_proxy), expected, "{server} with NO_PROXY={no_proxy}");
        }
    }

    #[test]
    fn a_proxy_of_the_environment_is_not_for_this_machine_nor_for_plain_http() {
        for server in [
            "https://127.0.0.1:6443",
            "https://localhost:6443",
            "https://[::1]:6443",
            "http://api.example.org:8080",
        ] {
            assert_eq!(through(server, ""), None, "{server}");
        }
    }

    #[test]
    fn a_proxy_of_the_kubeconfig_is_for_every_host_and_has_its_password() {
        let config = config("https://127.0.0.1:6443", "http://jane:secret@proxy.example.com:3128");
        let environment = Environment { proxies: vec![PROXY.into()], no_proxy: "*".into() };
        let proxy = proxy(&config, &environment).unwrap().unwrap();
        assert_eq!(proxy.uri().to_string(), format!("{PROXY}/"));
        assert_eq!(proxy.basic_auth().unwrap(), "Basic amFuZTpzZWNyZXQ=");
    }

    #[test]
    fn a_proxy_that_does_not_speak_http_is_refused() {
        for url in ["socks5://proxy.example.com:1080", "https://proxy.example.com", "ftp://proxy.example.com"]
        {
            let refused = proxy(&config("https://api.example.org", url), &Environment::default());
            assert!(matches!(refused, Err(Error::ProxyProtocolUnsupported { .. })), "{url}");
        }
    }
}
