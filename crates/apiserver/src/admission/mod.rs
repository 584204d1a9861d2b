//! Admission webhooks: which of them review a write, what they are sent, and what their answers change.
//!
//! Configurations are the stored objects of the real kinds; the calls go to a handler in this process. CEL match
//! conditions of webhooks are not evaluated.

mod attributes;
mod dispatch;
mod hook;
mod review;
mod selector;
#[cfg(test)]
mod tests;

pub(crate) use attributes::{Attributes, Equivalent, Operation};
pub(crate) use dispatch::{mutate, validate};
pub(crate) use hook::ClientConfig;
pub use hook::Target;
pub(crate) use selector::selector_matches;

use futures::future::BoxFuture;
use serde_json::Value;
use tower::BoxError;

/// Answers the calls that webhook configurations ask for.
pub trait Webhooks: Send + Sync {
    /// The AdmissionReview with which the webhook at `target` answers `review`.
    fn call<'a>(&'a self, target: &'a Target, review: Value) -> BoxFuture<'a, Result<Value, BoxError>>;
}
