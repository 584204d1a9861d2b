//! The configuration of the web server in front of Harbor sends each request to whom it is for.
//!
//! What it renders is written down beside its own tests, and taken from there.

use crate::pod::localized;
use http::StatusCode;
use programs::{Client, Identity, Nginx, Port, Site};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

const PLAIN: &str = include_str!("../../src/front/tests/http.conf");
const TLS: &str = include_str!("../../src/front/tests/https.conf");

#[test]
fn each_request_goes_to_whom_it_is_for() {
    let backends = Backends::start();
    let (site, plain) = (Site::new().unwrap(), Port::free().unwrap());
    let configuration = backends.before(PLAIN, &site).replace("8080", &plain.number().to_string());
    Nginx::check(&site, &configuration).unwrap();
    let front = Nginx::start(site, vec![plain], &configuration).unwrap();

    for address in [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()] {
        assert_routes(&Client::http((address, front.ports().next().unwrap())), "http");
    }
}

#[test]
fn each_request_goes_over_tls_to_whom_it_is_for() {
    let backends = Backends::start();
    let identity = Identity::loopback().unwrap();
    let (site, plain, tls) = (Site::new().unwrap(), Port::free().unwrap(), Port::free().unwrap());
    site.write("etc/nginx/cert/tls.crt", &identity.certificate).unwrap();
    site.write("etc/nginx/cert/tls.key", &identity.key).unwrap();
    site.write("etc/nginx/authority/ca.crt", &backends.identity.authority).unwrap();
    let configuration = backends
        .before(TLS, &site)
        .replace("8080", &plain.number().to_string())
        .replace("8443", &tls.number().to_string());
    let front = Nginx::start(site, vec![plain, tls], &configuration).unwrap();

    let ports: Vec<u16> = front.ports().collect();
    let address: SocketAddr = (Ipv4Addr::LOCALHOST, ports[1]).into();
    assert_routes(&Client::https(address, &identity.authority, "localhost"), "https");

    let moved = Client::http((Ipv4Addr::LOCALHOST, ports[0])).get("/v2/?a=b").unwrap();
    assert_eq!(moved.status(), StatusCode::PERMANENT_REDIRECT);
    assert_eq!(moved.headers()["location"], "https://127.0.0.1/v2/?a=b");
}

fn assert_routes(client: &Client, scheme: &str) {
    let answered = |path: &str| {
        let answer = client.get(path).unwrap();
        (answer.status(), String::from_utf8_lossy(answer.body()).into_owned())
    };
    for (path, whom) in [
        ("/", "portal"),
        ("/harbor/projects", "portal"),
        ("/api/v2.0/projects?page=1", "core"),
        ("/c/login", "core"),
        ("/service/token?service=harbor-registry", "core"),
        ("/v2/library/busybox/blobs/uploads/", "core"),
    ] {
        assert_eq!(answered(path), (StatusCode::OK, format!("{whom} {path} {scheme}")));
    }
    for path in ["/v1/_ping", "/service/notifications/jobs/adminjob/1"] {
        assert_eq!(answered(path).0, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(answered("/-/healthy").0, StatusCode::NO_CONTENT);
}

/// Stands in for Core and Portal: says who was asked for what, and how the front was.
struct Backends {
    identity: Identity,
    nginx: Nginx,
}

impl Backends {
    fn start() -> Self {
        let identity = Identity::loopback().unwrap();
        let site = Site::new().unwrap();
        site.write("tls.crt", &identity.certificate).unwrap();
        site.write("tls.key", &identity.key).unwrap();
        let ports: Vec<Port> = (0..4).map(|_| Port::free().unwrap()).collect();
        let server = |who: &str, plain: &Port, tls: &Port| {
            let (plain, tls) = (plain.number(), tls.number());
            format!(
                "server {{ listen {plain}; listen [::]:{plain}; listen {tls} ssl; listen [::]:{tls} ssl;\n\
                 ssl_certificate tls.crt; ssl_certificate_key tls.key;\n\
                 return 200 \"{who} $request_uri $http_x_forwarded_proto\"; }}\n"
            )
        };
        let servers = server("core", &ports[0], &ports[1]) + &server("portal", &ports[2], &ports[3]);
        let configuration = format!(
            "pid nginx.pid; events {{}}\nhttp {{ access_log off; client_body_temp_path a; proxy_temp_path b;\n\
             fastcgi_temp_path c; uwsgi_temp_path d; scgi_temp_path e;\n{servers}}}\n"
        );
        Self { identity, nginx: Nginx::start(site, ports, &configuration).unwrap() }
    }

    /// A front's configuration, with its folders at a site and with these behind it.
    fn before(&self, configuration: &str, site: &Site) -> String {
        site.write("tmp/empty", "").unwrap();
        let ports: Vec<u16> = self.nginx.ports().collect();
        let places = [
            ("http://h-harbor-core/", "http", ports[0]),
            ("https://h-harbor-core/", "https", ports[1]),
            ("http://h-harbor-portal/", "http", ports[2]),
            ("https://h-harbor-portal/", "https", ports[3]),
        ];
        places.iter().fold(localized(configuration, site), |text, (service, scheme, port)| {
            text.replace(service, &format!("{scheme}://localhost:{port}/"))
        })
    }
}
