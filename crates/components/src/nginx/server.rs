//! What the web servers of Harbor have in common.

use super::Block;
use crate::{
    pods::{Scheme, directory_mount, scratch_volume},
    versions::{Feature, HarborVersion},
};
use api::v1beta1::network::{IpFamily, Network};
use k8s_openapi::api::core::v1::{SecurityContext, Volume, VolumeMount};

/// Name of the configuration file, and key of the ConfigMap that holds it.
pub(crate) const CONFIG_FILE: &str = "nginx.conf";

/// Where nginx reads its configuration.
pub(crate) const CONFIG_PATH: &str = "/etc/nginx/nginx.conf";

/// The directory of everything that nginx writes.
const SCRATCH: &str = "/tmp";

/// A whole configuration file.
pub(crate) fn config_file(connections: i32, http: Block) -> Block {
    let events = Block::default().with("worker_connections", [connections.to_string()]);
    Block::default()
        .with("worker_processes", ["auto"])
        .with("pid", [format!("{SCRATCH}/nginx.pid")])
        .with_block("events", NO_ARGUMENTS, events)
        .with_block("http", NO_ARGUMENTS, temporary_files().and(http))
}

/// For directives without arguments.
pub(crate) const NO_ARGUMENTS: [&str; 0] = [];

fn temporary_files() -> Block {
    let path = |name: &str| [format!("{SCRATCH}/{name}")];
    Block::default()
        .with("client_body_temp_path", path("client_body_temp"))
        .with("proxy_temp_path", path("proxy_temp"))
        .with("fastcgi_temp_path", path("fastcgi_temp"))
        .with("uwsgi_temp_path", path("uwsgi_temp"))
        .with("scgi_temp_path", path("scgi_temp"))
}

/// The IP families that a server listens on: those listed, otherwise both. nginx does not start on a node that
/// lacks one of them.
pub(crate) fn ip_families(network: Option<&Network>) -> Vec<IpFamily> {
    const BOTH: [IpFamily; 2] = [IpFamily::IPv4, IpFamily::IPv6];
    let listed = |family: &IpFamily| network.is_some_and(|network| network.listens_on(*family));
    let families: Vec<IpFamily> = BOTH.into_iter().filter(listed).collect();
    if families.is_empty() { BOTH.to_vec() } else { families }
}

/// The `listen` directives of a server.
pub(crate) fn listeners(families: &[IpFamily], scheme: Scheme) -> Block {
    let port = scheme.container_port();
    let address = |family: &IpFamily| match family {
        IpFamily::IPv4 => port.to_string(),
        IpFamily::IPv6 => format!("[::]:{port}"),
    };
    families.iter().fold(Block::default(), |block, family| match scheme {
        Scheme::Http => block.with("listen", [address(family)]),
        Scheme::Https => block.with("listen", [address(family), "ssl".to_owned()]),
    })
}

/// The ciphers for TLS 1.2, as in Harbor's own installer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ciphers {
    /// For old and new clients.
    #[default]
    Compatible,
    /// Only forward secrecy and 256 bits.
    Strong,
}

impl Ciphers {
    /// The ciphers that a spec requests.
    pub fn of(strong: Option<bool>) -> Self {
        if strong == Some(true) { Self::Strong } else { Self::Compatible }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Compatible => "!aNULL:kECDH+AESGCM:ECDH+AESGCM:RSA+AESGCM:kECDH+AES:ECDH+AES:RSA+AES",
            Self::Strong => "ECDHE+AESGCM:DHE+AESGCM:ECDHE+RSA+SHA256:DHE+RSA+SHA256:!AES128",
        }
    }
}

/// Serves with `tls.crt` and `tls.key` of a directory, as Harbor's own installer does.
pub(crate) fn tls_directives(directory: &str, ciphers: Ciphers, version: &HarborVersion) -> Block {
    let newest = version.has(Feature::Tls13).then_some("TLSv1.3");
    Block::default()
        .with("ssl_certificate", [format!("{directory}/tls.crt")])
        .with("ssl_certificate_key", [format!("{directory}/tls.key")])
        .with("ssl_protocols", ["TLSv1.2"].into_iter().chain(newest))
        .with("ssl_ciphers", [ciphers.as_str()])
        .with("ssl_prefer_server_ciphers", ["on"])
        .with("ssl_session_cache", ["shared:SSL:10m"])
}

const SCRATCH_VOLUME: &str = "tmp";

/// The volume that nginx writes to.
pub(crate) fn temporary_volume() -> Volume {
    scratch_volume(SCRATCH_VOLUME)
}

/// The mount of that volume.
pub(crate) fn temporary_mount() -> VolumeMount {
    VolumeMount { read_only: None, ..directory_mount(SCRATCH_VOLUME, SCRATCH) }
}

/// nginx installs no certificate authorities when it starts, so only its temporary volume must be writable.
pub(crate) fn security_context() -> SecurityContext {
    SecurityContext { read_only_root_filesystem: Some(true), ..SecurityContext::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listening(families_listed: Option<&[&str]>) -> String {
        let network = families_listed.map(|listed| Network {
            ip_families: listed.iter().map(ToString::to_string).collect(),
            ..Network::default()
        });
        listeners(&ip_families(network.as_ref()), Scheme::Http).to_string()
    }

    #[test]
    fn a_server_listens_on_the_families_listed_and_on_both_where_none_is() {
        let both = "listen 8080;\nlisten [::]:8080;\n";
        assert_eq!(listening(None), both);
        assert_eq!(listening(Some(&["IPv6", "IPv4"])), both);
        assert_eq!(listening(Some(&["IPv4"])), "listen 8080;\n");
        assert_eq!(listening(Some(&["IPv6"])), "listen [::]:8080;\n");
    }

    #[test]
    fn an_empty_list_of_families_leaves_no_server_deaf() {
        assert_eq!(listening(Some(&[])), listening(None));
    }

    #[test]
    fn tls_1_3_is_spoken_where_harbor_does() {
        let protocols = |version: &str| {
            let text = tls_directives("/cert", Ciphers::Compatible, &HarborVersion::parse(version).unwrap())
                .to_string();
            text.lines().find(|line| line.starts_with("ssl_protocols")).unwrap().to_owned()
        };
        assert_eq!(protocols("2.8.6"), "ssl_protocols TLSv1.2;");
        assert_eq!(protocols("2.9.0"), "ssl_protocols TLSv1.2 TLSv1.3;");
    }
}
