//! Clear text or TLS, and the ports that follow from it.

use api::v1beta1::tls::ComponentsTlsSpec;

/// How a component is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    /// In clear text.
    Http,
    /// Over TLS.
    Https,
}

impl Scheme {
    /// TLS if the spec has a `tls` block.
    pub const fn of(tls: Option<&ComponentsTlsSpec>) -> Self {
        match tls {
            Some(_) => Self::Https,
            None => Self::Http,
        }
    }

    /// The scheme in URLs and in the names of ports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The scheme in probes.
    pub const fn of_probe(self) -> &'static str {
        match self {
            Self::Http => "HTTP",
            Self::Https => "HTTPS",
        }
    }

    /// The port of the Service.
    pub const fn port(self) -> i32 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// The port of the container, which is unprivileged.
    pub const fn container_port(self) -> i32 {
        match self {
            Self::Http => 8080,
            Self::Https => 8443,
        }
    }
}
