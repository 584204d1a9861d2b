//! The programs Harbor is made of or talks to, on loopback, for tests: a configuration that they accept is right.
//!
//! ```no_run
//! # fn test() -> Result<(), programs::Failure> {
//! use programs::{Redis, redis};
//!
//! let server = Redis::start(&redis::Setup { password: Some("p@ss"), ..redis::Setup::default() })?;
//! let connection = redis::Connection { password: Some("p@ss"), ..server.connection() };
//! assert_eq!(connection.ask(&["PING"])?, "PONG");
//! # Ok(()) }
//! ```
//!
//! What it guarantees:
//! - The programs are those of `hack/programs`, from Debian's packages; one that is missing fails the test and says how
//!   to get it.
//! - A program listens on a port that is its own from before it starts, in a folder of its own, and is ready when
//!   `start` returns.
//! - It ends when it is dropped, and when the test's process ends, also by a signal. Nothing of it is left behind.
//! - What a program wrote is part of the error when it does not start, and printed when the test fails.
//!
//! A browser is not a program of Harbor's: `hack/browser` provides it.
//!
//! Servers need `sh`, and PostgreSQL, which will not run as root, util-linux's `setpriv`, which every Linux has.

mod browser;
mod client;
mod error;
mod identity;
mod keeper;
mod nginx;
mod openssl;
mod postgres;
mod program;
mod promtool;
pub mod redis;
mod registry;
mod site;

pub use browser::Browser;
pub use client::Client;
pub use error::{Failure, Log};
pub use identity::Identity;
pub use nginx::Nginx;
pub use openssl::openssl;
pub use postgres::{Postgres, psql};
pub use program::Program;
pub use promtool::{check_metrics, promtool};
pub use redis::Redis;
pub use registry::Registry;
pub use site::{Port, Site};
