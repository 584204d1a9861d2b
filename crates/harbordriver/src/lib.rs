//! Manages the objects inside a Harbor: projects, robots, settings and the rest, in the form of crate
//! `harborstate`.
//!
//! [`HarborDriver`] serves all Harbors. It keeps one client per Harbor, so that the limits of crate `harbor`
//! hold for all objects of that Harbor together.
//!
//! What it guarantees:
//! - Names identify objects. Numbers are looked up before every write, so a restore from a backup changes
//!   nothing.
//! - A creation sends its POST once. If it is unknown whether it took effect, the error is
//!   [`plan::SystemError::Unreachable`].
//! - An update sends what differs, and reads the object once more.
//! - No error and no value contains a secret.
//! - The repositories of a project are deleted only where the owner says so ([`plan::Contents`]). Otherwise a
//!   project that has any is not empty, and stays.

mod client;
mod collections;
mod driver;
mod failure;
mod index;
mod manage;
mod network;
mod values;

pub use driver::HarborDriver;
pub use network::{Internet, Network, Unconnected, over};
