//! The page over HTTP.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod http;
mod pods;
mod support;
