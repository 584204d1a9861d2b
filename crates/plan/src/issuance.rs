//! Certificates the operator issues itself.

use serde::Serialize;
use std::net::IpAddr;

/// A certificate the operator issues itself and keeps valid, in a Secret of type `kubernetes.io/tls` with `tls.crt`,
/// `tls.key` (RSA, PKCS#1) and `ca.crt`.
///
/// Its key is made up once and stays: a renewal brings a new certificate for the same key, so that an authority's old
/// and new certificates vouch for the same leaves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Issuance {
    /// The common name.
    pub subject: String,
    /// The host names it is valid for.
    pub dns_names: Vec<String>,
    /// The addresses it is valid for: clients do not look for an address among the names.
    pub ip_addresses: Vec<IpAddr>,
    /// What it is good for, and who signs it.
    pub role: Role,
    /// For how many days it is valid; it is renewed when two thirds of them have passed.
    pub days: u32,
}

/// What a certificate is good for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Role {
    /// Signs leaves, and itself.
    ///
    /// One that was issued before it was limited stays as it is until it is renewed: pods trust the certificate they
    /// have.
    Authority {
        /// The only host names that leaves may be for; any name and any address unless set.
        only_for: Option<Vec<String>>,
    },
    /// Proves who somebody is; signed by the authority in that Secret, or by itself.
    ///
    /// The graph must bring the authority about first, unless a user did.
    Leaf {
        /// The Secret with the authority's certificate and key.
        authority: Option<String>,
    },
}
