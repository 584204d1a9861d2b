//! The web server in front of a Harbor routes each request to its component.

use crate::{
    cases::{Case, base64},
    pod::{Pod, localized},
};
use components::harbor::Harbor;
use http::StatusCode;
use programs::{Client, Identity, Nginx, Port, Site};
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[test]
fn each_request_goes_to_whom_it_is_for() {
    let identity = Identity::loopback().unwrap();
    let (backends, plain) = (Backends::start(&identity), Port::free().unwrap());
    let (site, configuration) = backends.front("harbor-2.13", &identity);
    let configuration = configuration.replace("8080", &plain.number().to_string());
    Nginx::check(&site, &configuration).unwrap();
    let front = Nginx::start(site, vec![plain], &configuration).unwrap();

    for address in [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()] {
        assert_routes(&Client::http((address, front.ports().next().unwrap())), "http");
    }
}

#[test]
fn each_request_goes_over_tls_to_whom_it_is_for() {
    let identity = Identity::loopback().unwrap();
    let (backends, plain, tls) = (Backends::start(&identity), Port::free().unwrap(), Port::free().unwrap());
    let (site, configuration) = backends.front("without-cert-manager", &identity);
    let configuration =
        configuration.replace("8080", &plain.number().to_string()).replace("8443", &tls.number().to_string());
    let front = Nginx::start(site, vec![plain, tls], &configuration).unwrap();

    let ports: Vec<u16> = front.ports().collect();
    let address = (Ipv4Addr::LOCALHOST, ports[1]);
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

/// Stands in for Core and Portal: answers with its name, the path, and the headers of the front.
struct Backends(Nginx);

impl Backends {
    fn start(identity: &Identity) -> Self {
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
        Self(Nginx::start(site, ports, &configuration).unwrap())
    }

    /// A site with all that the front of a Harbor has, and its configuration, with these behind it.
    fn front(&self, case: &str, identity: &Identity) -> (Site, String) {
        let mut objects = Case::<Harbor>::golden(case).children();
        for secret in objects.iter_mut().filter(|object| object["type"] == "kubernetes.io/tls") {
            secret["data"] = json!({
                "tls.crt": base64(identity.certificate.as_bytes()),
                "tls.key": base64(identity.key.as_bytes()),
                "ca.crt": base64(identity.authority.as_bytes()),
            });
        }
        let pod = Pod::of(&objects);
        let site = pod.site("nginx");
        site.write("tmp/empty", "").unwrap();
        let configuration = localized(&pod.file("nginx", "/etc/nginx/nginx.conf"), &site);
        let ports: Vec<u16> = self.0.ports().collect();
        let places = [
            ("http://acme-harbor-core/", "http", ports[0]),
            ("https://acme-harbor-core/", "https", ports[1]),
            ("http://acme-harbor-portal/", "http", ports[2]),
            ("https://acme-harbor-portal/", "https", ports[3]),
        ];
        let configuration = places.iter().fold(configuration, |text, (service, scheme, port)| {
            text.replace(service, &format!("{scheme}://localhost:{port}/"))
        });
        (site, configuration)
    }
}
