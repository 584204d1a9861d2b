//! The engine on a real API server if `KUBEBUILDER_ASSETS` is set, else on the in-memory one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod composition;
mod lifecycle;
mod progress;
mod reads;
mod restart;
mod rules;
mod support;
