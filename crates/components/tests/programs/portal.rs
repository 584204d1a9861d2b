//! Portal's configuration makes nginx serve its pages.

use crate::{
    cases::{Case, files, golden_directory},
    pod::localized,
};
use components::portal::Portal;
use http::StatusCode;
use programs::{Client, Identity, Nginx, Port, Site};
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

const PAGE: &str = "<title>Harbor</title>";

#[test]
fn nginx_accepts_every_configuration() {
    let identity = Identity::loopback().unwrap();
    for directory in files(&golden_directory::<Portal>()) {
        let case = Case::<Portal>::load(&directory);
        let (site, configuration) = prepared(case, &identity, &Port::free().unwrap());
        Nginx::check(&site, &configuration).unwrap();
    }
}

#[test]
fn pages_are_served_on_both_families() {
    let case =
        Case::<Portal>::golden("minimal").set("/spec/network", json!({ "ipFamilies": ["IPv4", "IPv6"] }));
    let (nginx, _) = served(case);
    for address in [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()] {
        assert_serves_pages(&Client::http((address, port(&nginx))));
    }
}

#[test]
fn pages_are_served_over_tls() {
    let (nginx, identity) = served(Case::golden("tls"));
    let address = (Ipv4Addr::LOCALHOST, port(&nginx));
    assert_serves_pages(&Client::https(address, &identity.authority, "localhost"));
}

fn served(case: Case<Portal>) -> (Nginx, Identity) {
    let (identity, port) = (Identity::loopback().unwrap(), Port::free().unwrap());
    let (site, configuration) = prepared(case, &identity, &port);
    (Nginx::start(site, vec![port], &configuration).unwrap(), identity)
}

fn port(nginx: &Nginx) -> u16 {
    nginx.ports().next().unwrap()
}

fn assert_serves_pages(client: &Client) {
    let answered = |path: &str| {
        let answer = client.get(path).unwrap();
        let header = |name: &str| answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let body = String::from_utf8(answer.body().to_vec()).unwrap();
        (answer.status(), body, header("content-type"), header("cache-control"))
    };
    let some = |text: &str| Some(text.to_owned());
    let never = some("no-store, no-cache, must-revalidate");
    // The application routes itself: a path that is not a file is a page of it.
    for path in ["/", "/harbor/projects/1"] {
        assert_eq!(answered(path), (StatusCode::OK, PAGE.into(), some("text/html"), never.clone()), "{path}");
    }
    let script = (StatusCode::OK, "let it;".to_owned(), some("application/javascript"), None);
    assert_eq!(answered("/main.js"), script);
    let browser = (StatusCode::OK, "swagger".to_owned(), some("text/html"), None);
    assert_eq!(answered("/devcenter-api-2.0"), browser);
}

/// A site with everything the image and the pod would have, and the configuration for it.
fn prepared(case: Case<Portal>, identity: &Identity, port: &Port) -> (Site, String) {
    let pod = case.proven_by(identity).pod();
    let site = pod.site("portal");
    for (path, content) in [
        ("usr/share/nginx/html/index.html", PAGE),
        ("usr/share/nginx/html/main.js", "let it;"),
        ("usr/share/nginx/html/swagger-ui-index.html", "swagger"),
        ("tmp/empty", ""),
    ] {
        site.write(path, content).unwrap();
    }
    let configuration = pod.file("portal", "/etc/nginx/nginx.conf");
    let configuration = localized(&configuration.replace("/etc/nginx/mime.types", "mime.types"), &site);
    // Where nothing is said, each build of nginx has a place of its own, which only its image has.
    let configuration = configuration.replace("http {", "http { access_log off;");
    let number = port.number().to_string();
    (site, configuration.replace("8080", &number).replace("8443", &number))
}
