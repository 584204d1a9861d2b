//! The real programs that Harbor consists of or connects to, on loopback, for tests of their configuration.
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
//! Guarantees:
//! - The programs are those of `hack/programs`, from Debian's packages. If one is missing, the test fails with a
//!   message that states how to get it.
//! - A program listens on a port that is reserved before it starts, has its own folder, and is ready when `start`
//!   returns.
//! - It ends when it is dropped, and when the test's process ends, also by a signal. It leaves no processes and no
//!   files behind.
//! - The output of a program is part of the error when it does not start, and is printed when the test fails.
//!
//! The browser is not a program of Harbor: `hack/browser` provides it.
//!
//! Servers need `sh`. PostgreSQL does not run as root, so it needs `setpriv` of util-linux, which every Linux has.

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
