//! cert-manager: issuers, and certificates that can be verified.

pub(crate) mod authority;
pub(crate) mod certificate;
mod certificate_spec;
pub(crate) mod issuer;

use pki::KeySpec;
use thiserror::Error;

/// Generates the private key of a certificate, as PEM.
pub type KeySource = fn(KeySpec) -> Result<String, pki::IssueError>;

/// Why a certificate could not be issued.
#[derive(Debug, Error)]
pub(crate) enum IssueError {
    #[error(transparent)]
    Made(#[from] pki::IssueError),
    #[error("certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    #[error("{0}")]
    Spec(String),
}
