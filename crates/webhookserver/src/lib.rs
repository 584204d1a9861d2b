//! Serves the webhooks of crate `webhook` over TLS: one that rewrites the images of pods, and one that converts objects
//! between v1alpha3 and v1beta1.
//!
//! Every replica of the operator serves. Each reads the same certificate, from a Secret, and the same rules, by watches, so
//! that the answer to a review needs no request to the API server. Only the leader writes: it issues the certificate,
//! renews it before it expires, keeps the MutatingWebhookConfiguration and the definitions that name the webhooks, and
//! migrates objects that are stored as v1alpha3.
//!
//! - `settings` and `permissions`: which webhooks are served, and what that needs;
//! - `certificate` and `issuer`: what the Secret must hold, as a pure function, and the leader's loop that makes it so;
//! - `trust`, `configuration` and `definition`: what registers webhooks, as pure functions;
//! - `registrar`: the leader's loop that keeps one of these objects;
//! - `migration`: the leader's loop that has objects stored as v1beta1;
//! - `rules` and `rules_map`: the watches that feed the rules, and what they decode of ConfigMaps;
//! - `endpoint`: HTTP, with a limit for the body of each webhook;
//! - `identity` and `listener`: TLS, with a certificate that can change while the server runs;
//! - `announcer`: events about wrong rules.

mod announcer;
mod certificate;
mod configuration;
mod definition;
mod endpoint;
mod failed;
mod identity;
mod issuer;
mod listener;
mod migration;
mod permissions;
mod registrar;
mod rules;
mod rules_map;
mod serve;
mod settings;
mod trust;
mod watched;

pub use endpoint::endpoints;
pub use permissions::{to_convert, to_rewrite};
pub use serve::WebhookServer;
pub use settings::{Certificate, Conversion, FailurePolicy, Reach, Rewriting, Settings};
