//! The driver on a Harbor in memory.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod accounts;
mod faults;
mod in_projects;
mod projects;
mod request_id;
mod support;
mod system;
mod verification;
