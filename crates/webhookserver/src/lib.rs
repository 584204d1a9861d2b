//! Serves the webhooks of crate `webhook` over TLS.
//!
//! Every replica of the operator serves. Each reads the same certificate, from a Secret, and the same rules, by watches, so
//! that the answer to a review needs no request to the API server. Only the leader writes: it issues the certificate,
//! renews it before it expires, and applies the MutatingWebhookConfiguration.
//!
//! - `settings`: how the webhook is registered;
//! - `certificate`: what the Secret must hold, as a pure function;
//! - `configuration`: the MutatingWebhookConfiguration, as a pure function;
//! - `rules`: the watches that feed the rules;
//! - `identity` and `listener`: TLS, with a certificate that can change while the server runs;
//! - `registrar`: the leader's loop;
//! - `announcer`: events about wrong rules.

mod announcer;
mod certificate;
mod configuration;
mod endpoint;
mod identity;
mod listener;
mod registrar;
mod rules;
mod serve;
mod settings;
mod watched;

pub use serve::WebhookServer;
pub use settings::{Certificate, FailurePolicy, Reach, Settings, rules as permissions};
