//! cert-manager: issuers, and certificates that can be verified.

pub(crate) mod authority;
pub(crate) mod certificate;
mod certificate_spec;
pub(crate) mod issuer;

use thiserror::Error;

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
