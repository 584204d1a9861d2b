//! `goharbor.io/v1beta1`: every kind, and the types they share.
//!
//! The JSON shape is a contract with objects stored by the operator's Go predecessor. Names that are misspelt in JSON
//! are spelt right in Rust.

#[macro_use]
mod defaults;

pub mod certificates;
pub mod component;
pub mod core;
pub mod duration;
pub mod image;
pub mod metrics;
pub mod name;
pub mod network;
pub mod postgres;
pub mod proxy;
pub mod redis;
pub mod registry_access;
pub mod status;
pub mod tls;
pub mod trace;

pub use self::core::{Core, CoreSpec};
pub use self::duration::GoDuration;
pub use self::name::ObjectName;
pub use self::status::{ComponentStatus, Condition, OperatorStatus};
