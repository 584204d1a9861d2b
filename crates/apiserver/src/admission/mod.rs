//! Admission webhooks: which of them review a write, what they are sent, and what their answers change.
//!
//! Configurations are the stored objects of the real kinds. The calls go over HTTPS ([`RemoteWebhooks`]), or to a handler
//! in this process. CEL match conditions of webhooks are not evaluated.

mod attributes;
mod dispatch;
mod hook;
mod remote;
mod review;
mod selector;
#[cfg(test)]
mod tests;

pub(crate) use attributes::{Attributes, Equivalent, Operation};
pub(crate) use dispatch::{mutate, validate};
pub(crate) use hook::ClientConfig;
pub use hook::Target;
pub use remote::RemoteWebhooks;
pub(crate) use selector::selector_matches;

use futures::future::{BoxFuture, ready};
use serde_json::Value;
use tower::BoxError;

/// Answers the calls that webhook configurations ask for.
pub trait Webhooks: Send + Sync {
    /// The AdmissionReview with which the webhook at `target` answers `review`. The PEM in `ca_bundle` is of the
    /// authorities that the configuration trusts; it may be empty.
    fn call<'a>(
        &'a self,
        target: &'a Target,
        ca_bundle: &'a [u8],
        review: Value,
    ) -> BoxFuture<'a, Result<Value, BoxError>>;
}

/// A function that answers at once, such as a webhook in the same process.
impl<F> Webhooks for F
where
    F: Fn(&Target, Value) -> Result<Value, BoxError> + Send + Sync,
{
    fn call<'a>(
        &'a self,
        target: &'a Target,
        _: &'a [u8],
        review: Value,
    ) -> BoxFuture<'a, Result<Value, BoxError>> {
        Box::pin(ready(self(target, review)))
    }
}
