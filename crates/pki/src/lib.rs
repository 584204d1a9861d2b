//! Keys and certificates: what the operator issues itself, what the sandbox's cert-manager does, and what users bring.
//!
//! Knows nothing of Kubernetes and reads no clock. Only a new [`Key`](generate) is random; everything else is a
//! function of its arguments.

mod authority;
mod bundle;
mod key;
mod request;

pub use authority::{Authority, Issued};
pub use bundle::{Bundle, BundleError};
pub use key::{Algorithm, Encoding, KeySpec, generate, is_default, key_pair};
pub use request::{Defect, Purpose, Request};

/// Why a certificate could not be made. Never contains a key.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// A key cannot be made, read or written.
    #[error("private key: {0}")]
    Key(&'static str),
    /// A certificate cannot be made.
    #[error("certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// Something is not PEM.
    #[error("PEM: {0}")]
    Pem(#[from] pem::PemError),
    /// What should sign cannot.
    #[error("{0}")]
    Authority(&'static str),
    /// A date that cannot be.
    #[error("certificate: valid beyond the end of time")]
    Time,
}
