//! Certificates that the operator issues itself.

use serde::Serialize;
use std::net::IpAddr;

/// A certificate that the operator issues and renews, in a Secret of type `kubernetes.io/tls` with `tls.crt`, `tls.key`
/// (RSA, PKCS#1) and `ca.crt`.
///
/// The operator generates the key once. A renewal creates a new certificate for the same key, so that leaf certificates
/// can be verified with the old and with the new certificate of their authority.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Issuance {
    /// The common name.
    pub subject: String,
    /// The host names that the certificate is valid for.
    pub dns_names: Vec<String>,
    /// The IP addresses that the certificate is valid for: clients do not compare addresses with host names.
    pub ip_addresses: Vec<IpAddr>,
    /// Whether it is an authority or a leaf, and which authority signs it.
    pub role: Role,
    /// For how many days it is valid. The operator renews it after two thirds of this time.
    pub days: u32,
}

/// The use of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Role {
    /// A self-signed authority, which signs leaf certificates.
    ///
    /// The limit on host names applies from the next renewal on: pods trust the certificate that they have.
    Authority {
        /// The only host names that leaf certificates may have. Unset, any name and any address is allowed.
        only_for: Option<Vec<String>>,
    },
    /// Proves the identity of a server or a client. Signed by the authority in that Secret, or self-signed.
    ///
    /// In the graph the leaf must depend on the authority, unless a user created the authority.
    Leaf {
        /// The Secret with the authority's certificate and key.
        authority: Option<String>,
        /// The Secret with another authority, whose certificate is in `ca.crt`, too, so that programs trust both while one
        /// replaces the other.
        also_trusted: Option<String>,
    },
}
