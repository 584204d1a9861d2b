//! The operator on a real API server.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod adoption;
mod core;
mod definitions;
mod load;
mod process;
mod rules;
mod world;
