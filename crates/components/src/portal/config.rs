//! `nginx.conf` of Portal: static files, and the page of the application for all other paths.

use super::{deployment::TLS_DIRECTORY, validated::Validated};
use crate::{
    nginx::{Block, CONFIG_FILE, Ciphers, NO_ARGUMENTS, config_file, listeners, tls_directives},
    versions::Feature,
};
use k8s_openapi::api::core::v1::ConfigMap;

/// The ConfigMap with nginx's configuration file.
pub(super) fn config_map(portal: &Validated<'_>) -> ConfigMap {
    let http = Block::default().with_block("server", NO_ARGUMENTS, pages(portal));
    portal.instance.config_map(CONFIG_FILE, config_file(portal.connections, http).to_string())
}

fn pages(portal: &Validated<'_>) -> Block {
    let version = &portal.instance.version;
    let ciphers = Ciphers::of(portal.spec.strong_ciphers);
    let certificate = portal.tls.map(|_| tls_directives(TLS_DIRECTORY, ciphers, version));
    listeners(&portal.families, portal.scheme())
        .and(certificate.unwrap_or_default())
        .with("server_name", ["localhost"])
        .with("root", ["/usr/share/nginx/html"])
        .with("index", ["index.html", "index.htm"])
        .with("include", ["/etc/nginx/mime.types"])
        .and(compression())
        .and(if version.has(Feature::ApiBrowser) { api_browser() } else { Block::default() })
        .with_block("location", ["/"], or_else("/index.html"))
        .with_block("location", ["=", "/index.html"], never_cached())
}

fn compression() -> Block {
    const TYPES: [&str; 9] = [
        "text/plain",
        "text/css",
        "application/json",
        "application/javascript",
        "application/x-javascript",
        "text/xml",
        "application/xml",
        "application/xml+rss",
        "text/javascript",
    ];
    Block::default()
        .with("gzip", ["on"])
        .with("gzip_min_length", ["1000"])
        .with("gzip_proxied", ["expired", "no-cache", "no-store", "private", "auth"])
        .with("gzip_types", TYPES)
}

fn api_browser() -> Block {
    Block::default().with_block("location", ["/devcenter-api-2.0"], or_else("/swagger-ui-index.html"))
}

fn or_else(page: &str) -> Block {
    Block::default().with("try_files", ["$uri", "$uri/", page])
}

/// The page refers to the files of its version. A browser with a cached page would request files that no longer
/// exist.
fn never_cached() -> Block {
    Block::default().with("add_header", ["Cache-Control", "no-store, no-cache, must-revalidate"])
}
