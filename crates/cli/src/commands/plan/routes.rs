//! How `plan` reaches Harbors. It may run where the Services of a cluster have no names and no addresses.

use harbor::Harbor;
use harbordriver::{Internet, Network, Unconnected};
use harborstate::{Access, Trust};
use http::{Uri, uri::Scheme};
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
};

/// The end of the names that the operator has for Services.
const SERVICE: &str = ".svc";

/// Where a Harbor is reached instead of the host that the operator uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    host: String,
    url: String,
}

/// Parses `HOST=URL`.
pub fn route(text: &str) -> Result<Route, String> {
    let (host, url) = text.split_once('=').ok_or("write it as HOST=URL")?;
    let is_host = host.parse::<http::uri::Authority>().is_ok_and(|authority| authority.port().is_none());
    if !is_host {
        return Err(format!("{host:?} is not a host; write its name without scheme and port"));
    }
    url.parse::<harbor::Address>().map_err(|error| format!("the URL: {error}"))?;
    Ok(Route { host: host.to_owned(), url: url.to_owned() })
}

/// The network with these routes. Remembers the Services that it was asked for without one.
#[derive(Clone, Default)]
pub struct Routes {
    routes: Arc<[Route]>,
    services: Arc<Mutex<BTreeSet<Service>>>,
}

impl Routes {
    pub fn new(routes: Vec<Route>) -> Self {
        Self { routes: routes.into(), ..Self::default() }
    }

    /// What to do if a Harbor cannot be reached: for each Service, how to forward a port to it.
    pub fn advice(&self) -> Vec<String> {
        self.services.lock().unwrap_or_else(PoisonError::into_inner).iter().map(Service::advice).collect()
    }

    fn redirected(&self, access: &Access) -> Access {
        let Ok(uri) = access.url.parse::<Uri>() else { return access.clone() };
        let host = uri.host().unwrap_or_default();
        let Some(route) = self.routes.iter().find(|route| route.host == host) else {
            let service = Service::of(&uri);
            self.services.lock().unwrap_or_else(PoisonError::into_inner).extend(service);
            return access.clone();
        };
        // The certificate is still that of the host.
        let trust = match &access.trust {
            Trust::Authorities(authorities) => {
                Trust::Service { authorities: authorities.clone(), name: host.to_owned() }
            }
            trust => trust.clone(),
        };
        Access { url: route.url.clone(), trust, ..access.clone() }
    }
}

impl Network for Routes {
    fn connect(&self, access: &Access) -> Result<Harbor, Unconnected> {
        Internet.connect(&self.redirected(access))
    }
}

/// The Service of a Core.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Service {
    namespace: String,
    name: String,
    has_tls: bool,
}

impl Service {
    /// The Service that a URL names, as `http://NAME.NAMESPACE.svc`.
    fn of(uri: &Uri) -> Option<Self> {
        let (name, namespace) = uri.host()?.strip_suffix(SERVICE)?.split_once('.')?;
        let has_tls = uri.scheme() == Some(&Scheme::HTTPS);
        Some(Self { namespace: namespace.to_owned(), name: name.to_owned(), has_tls })
    }

    fn advice(&self) -> String {
        let Self { namespace, name, has_tls } = self;
        let (scheme, local, port) = if *has_tls { ("https", 8443, 443) } else { ("http", 8080, 80) };
        format!(
            "plan asks Harbor itself, and {name}.{namespace}{SERVICE} has an address in the cluster only; elsewhere, run \
             `kubectl -n {namespace} port-forward service/{name} {local}:{port}`, and give \
             --harbor-url {name}.{namespace}{SERVICE}={scheme}://127.0.0.1:{local}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(url: &str, trust: Trust) -> Access {
        Access { url: url.into(), trust, username: "admin".into(), password: "Harbor12345".into() }
    }

    #[test]
    fn a_route_is_a_host_and_the_url_of_a_harbor() {
        let expected = Route { host: "core.ns.svc".into(), url: "http://127.0.0.1:8080/a".into() };
        assert_eq!(route("core.ns.svc=http://127.0.0.1:8080/a"), Ok(expected));
        for (wrong, problem) in [
            ("core.ns.svc", "write it as HOST=URL"),
            ("http://core=http://a", "\"http://core\" is not a host; write its name without scheme and port"),
            ("core:80=http://a", "\"core:80\" is not a host; write its name without scheme and port"),
            ("=http://a", "\"\" is not a host; write its name without scheme and port"),
            ("core=127.0.0.1:8080", "the URL: must begin with http:// or https://"),
        ] {
            assert_eq!(route(wrong), Err(problem.to_owned()));
        }
    }

    #[test]
    fn a_harbor_is_reached_by_its_route_with_the_certificate_of_its_host() {
        let routes = Routes::new(vec![route("harbor.example.com=https://127.0.0.1:8443").unwrap()]);
        let redirected = routes
            .redirected(&access("https://harbor.example.com:9443/harbor", Trust::Authorities("PEM".into())));
        let trust = Trust::Service { authorities: "PEM".into(), name: "harbor.example.com".into() };
        assert_eq!(redirected, access("https://127.0.0.1:8443", trust));
        for trust in [Trust::Public, Trust::Unverified] {
            let other = access("https://other.example.com", trust);
            assert_eq!(routes.redirected(&other), other);
        }
        assert_eq!(routes.advice(), Vec::<String>::new(), "these hosts have addresses everywhere");
    }

    #[test]
    fn for_a_service_without_a_route_the_advice_forwards_a_port() {
        let routes = Routes::new(Vec::new());
        for url in ["http://acme-harbor-core.registry.svc", "https://acme-harbor-core.tls.svc"] {
            routes.redirected(&access(url, Trust::Public));
        }
        assert_eq!(
            routes.advice(),
            [
                "plan asks Harbor itself, and acme-harbor-core.registry.svc has an address in the cluster only; elsewhere, \
                 run `kubectl -n registry port-forward service/acme-harbor-core 8080:80`, and give --harbor-url \
                 acme-harbor-core.registry.svc=http://127.0.0.1:8080",
                "plan asks Harbor itself, and acme-harbor-core.tls.svc has an address in the cluster only; elsewhere, run \
                 `kubectl -n tls port-forward service/acme-harbor-core 8443:443`, and give --harbor-url \
                 acme-harbor-core.tls.svc=https://127.0.0.1:8443",
            ]
        );
    }
}
