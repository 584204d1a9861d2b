//! The webhooks on an API server, in memory or real: pods, objects of both versions, certificates, drift, and an operator
//! that is down.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test fails by panicking")]

mod cert_manager;
mod conversion;
mod failure;
mod migration;
mod rewriting;
mod updates;
mod world;
