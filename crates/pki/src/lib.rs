//! Keys and certificates: those that the operator issues, those of the sandbox's cert-manager, and those of users.
//!
//! Does not know Kubernetes and reads no clock. Only [`generate`] uses randomness; everything else is a function of its
//! arguments.

mod authority;
mod bundle;
mod key;
mod request;

pub use authority::{Authority, Issued, expires};
pub use bundle::{Bundle, BundleError};
pub use key::{Algorithm, Encoding, KeySpec, generate, is_default, key_pair};
pub use request::{Defect, Purpose, Request};

/// Why a certificate could not be issued. Never contains a key.
#[derive(Debug, thiserror::Error)]
pub enum IssueError {
    /// A key cannot be generated, parsed or encoded.
    #[error("private key: {0}")]
    Key(&'static str),
    /// A certificate cannot be created.
    #[error("certificate: {0}")]
    Certificate(#[from] rcgen::Error),
    /// A text is not valid PEM.
    #[error("PEM: {0}")]
    Pem(#[from] pem::PemError),
    /// The authority cannot sign.
    #[error("{0}")]
    Authority(&'static str),
    /// A time is out of range.
    #[error("certificate: valid beyond the end of time")]
    Time,
}
