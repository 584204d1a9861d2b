//! The server as a client that a test is sees it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod caller;
mod hostile;
mod knobs;
mod traps;
