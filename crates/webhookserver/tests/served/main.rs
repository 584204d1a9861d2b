//! The webhooks on an API server, in memory or real: pods, objects of both versions, certificates, drift, and an operator
//! that is down.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "a test fails by panicking")]

mod conversion;
mod migration;
mod rewriting;
mod world;
