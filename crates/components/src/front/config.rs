//! `nginx.conf` of the front, with the routes to Core and the portal.

use super::{
    Front,
    deployment::{AUTHORITY, CERTIFICATE_DIRECTORY},
};
use crate::{
    nginx::{Block, CONFIG_FILE, NO_ARGUMENTS, config_file, ip_families, listeners, tls_directives},
    pods::Scheme,
    versions::Feature,
};
use k8s_openapi::api::core::v1::ConfigMap;

/// The path of probes. nginx answers it itself, so that probes do not depend on the portal.
pub(super) const HEALTH: &str = "/-/healthy";

/// The maximum number of connections of a worker. Each request takes two.
const CONNECTIONS: i32 = 3096;

/// The ConfigMap with nginx's configuration file.
pub(super) fn config_map(front: &Front<'_>) -> ConfigMap {
    let http = log().and(forwarded_scheme()).with_block("server", NO_ARGUMENTS, users(front));
    let http = match front.scheme() {
        Scheme::Http => http,
        Scheme::Https => http.with_block("server", NO_ARGUMENTS, redirect(front)),
    };
    front.instance.config_map(CONFIG_FILE, config_file(CONNECTIONS, http).to_string())
}

fn log() -> Block {
    const FORMAT: &str = "$remote_addr - \"$request\" $status $body_bytes_sent \"$http_referer\" \
                          \"$http_user_agent\" $request_time $upstream_response_time $pipe";
    Block::default().with("log_format", ["timed", FORMAT]).with("access_log", ["/dev/stdout", "timed"])
}

/// The scheme that users see: a proxy in front of nginx that terminates TLS reports it, otherwise nginx's own.
fn forwarded_scheme() -> Block {
    let values = Block::default().with("default", ["$http_x_forwarded_proto"]).with("\"\"", ["$scheme"]);
    Block::default().with_block("map", ["$http_x_forwarded_proto", "$x_forwarded_proto"], values)
}

fn users(front: &Front<'_>) -> Block {
    let secured = match front.scheme() {
        Scheme::Http => Block::default(),
        Scheme::Https => secured(front),
    };
    let verified = match front.inner_scheme() {
        Scheme::Http => Block::default(),
        Scheme::Https => verified(),
    };
    server_listeners(front, front.scheme())
        .and(secured)
        .with("add_header", ["X-Frame-Options", "DENY"])
        .with("add_header", ["Content-Security-Policy", "frame-ancestors 'none'"])
        .and(unbuffered())
        .and(verified)
        .and(routes(front))
}

fn server_listeners(front: &Front<'_>, scheme: Scheme) -> Block {
    listeners(&ip_families(front.request.network), scheme).with("server_tokens", ["off"])
}

fn secured(front: &Front<'_>) -> Block {
    tls_directives(CERTIFICATE_DIRECTORY, front.request.ciphers, &front.instance.version)
        .with("add_header", ["Strict-Transport-Security", "max-age=31536000; includeSubDomains; preload"])
        // Otherwise browsers would send Core's session cookie over clear text, too.
        .with("proxy_cookie_path", ["/", "/; Secure"])
}

/// Layers are large, so nginx neither limits nor buffers requests.
fn unbuffered() -> Block {
    const HEADERS: [(&str, &str); 4] = [
        ("Host", "$http_host"),
        ("X-Real-IP", "$remote_addr"),
        ("X-Forwarded-For", "$proxy_add_x_forwarded_for"),
        ("X-Forwarded-Proto", "$x_forwarded_proto"),
    ];
    let block = Block::default()
        .with("client_max_body_size", ["0"])
        .with("proxy_http_version", ["1.1"])
        .with("proxy_buffering", ["off"])
        .with("proxy_request_buffering", ["off"]);
    HEADERS.into_iter().fold(block, |block, (name, value)| block.with("proxy_set_header", [name, value]))
}

fn verified() -> Block {
    Block::default()
        .with("proxy_ssl_trusted_certificate", [AUTHORITY])
        .with("proxy_ssl_verify", ["on"])
        .with("proxy_ssl_verify_depth", ["2"])
}

/// Routes to Core what the portal does not serve. nginx passes the normalised path on, so that another spelling
/// of a refused path is refused, too.
fn routes(front: &Front<'_>) -> Block {
    let inner = front.inner_scheme().as_str();
    let to = |service: &str, path: &str| {
        Block::default().with("proxy_pass", [format!("{inner}://{service}{path}")])
    };
    let (core, portal) = (front.request.core, front.request.portal);
    let charts = front.instance.version.has(Feature::ChartMuseum).then_some("/chartrepo/");
    let pages = Block::default().with_block("location", ["/"], to(portal, "/"));
    let pushes = to(core, "/v2/").with("proxy_send_timeout", ["900"]).with("proxy_read_timeout", ["900"]);
    let refused = || Block::default().with("return", ["404"]);
    let health = Block::default().with("access_log", ["off"]).with("return", ["204"]);
    ["/api/", "/c/", "/service/"]
        .into_iter()
        .chain(charts)
        .fold(pages, |block, path| block.with_block("location", [path], to(core, path)))
        .with_block("location", ["/v2/"], pushes)
        .with_block("location", ["/v1/"], refused())
        // For other components only, which do not connect through the front.
        .with_block("location", ["/service/notifications"], refused())
        .with_block("location", ["=", HEALTH], health)
}

/// Redirects to the port of the external URL, which nginx need not listen on.
fn redirect(front: &Front<'_>) -> Block {
    let external = &front.request.external;
    let port = external.port.filter(|_| external.scheme == Scheme::Https);
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let target = format!("https://$host{port}$request_uri");
    server_listeners(front, Scheme::Http).with("return", ["308", target.as_str()])
}
