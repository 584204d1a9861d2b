//! The database of a Harbor, on a real PostgreSQL.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod connection;
mod encryption;
mod schema;
mod server;
