//! Webhooks of the API server: pure functions from the body of a request to the body of its answer.
//!
//! The crate reads neither a cluster nor a clock. Crate `webhookserver` serves the functions over TLS and feeds the
//! rules that they read.

pub mod admission;
pub mod conversion;
mod review;

pub use review::NotAReview;
