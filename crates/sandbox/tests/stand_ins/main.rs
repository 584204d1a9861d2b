//! The stand-ins on a real API server.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod certificates;
mod lifecycle;
mod network;
mod third_party;
mod workloads;
mod world;
