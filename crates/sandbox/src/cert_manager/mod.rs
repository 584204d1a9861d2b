//! cert-manager: issuers, and certificates that verify.

pub(crate) mod authority;
pub(crate) mod certificate;
mod certificate_spec;
pub(crate) mod issuer;
mod key;

use thiserror::Error;

/// Why a certificate could not be made.
#[derive(Debug, Error)]
pub(crate) enum IssueError {
    #[error("private key: {0}")]
    Key(&'static str),
    #[error("certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    #[error("PEM: {0}")]
    Pem(#[from] pem::PemError),
    #[error("{0}")]
    Spec(String),
}
