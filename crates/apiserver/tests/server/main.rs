//! The server as its clients see it, in process.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod access;
mod controllers;
mod conversion;
mod ephemeral_containers;
mod faults;
mod hostile;
mod lifecycle;
mod persistence;
mod requests;
mod service_accounts;
mod webhooks;
