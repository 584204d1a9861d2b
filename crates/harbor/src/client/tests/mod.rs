//! The client against servers in memory, in virtual time, and on loopback.

mod circuit;
mod headers;
mod limits;
mod network;
mod pages;
mod retries;
pub(crate) mod standin;
mod waiting;
