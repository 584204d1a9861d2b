//! Objects that live in a system outside the cluster, such as a project of a Harbor.
//!
//! They are nodes of the same graph as objects of the cluster. A component says what they should be, in the terms of the
//! system's API; how to reach the system is asked for separately, so that no description of an object holds a credential.

mod error;
mod object;
mod record;
mod system;

pub use error::SystemError;
pub use object::{
    Announcement, Comparable, Contents, External, IfAbsent, IfExists, Sharing, Whole, comparable,
};
pub use record::{Claim, Origin, Record, Signer, UnreadableRecord};
pub use system::{Connection, System};

pub(crate) use object::ExternalObject;

use crate::Digest;
use kube::core::{DynamicObject, ObjectMeta};
use serde_json::Value;
use std::sync::Arc;

/// What a [`crate::Snapshot`] holds for an object outside the cluster. Its version changes with its content.
pub fn outside(value: Value) -> Result<Arc<DynamicObject>, serde_json::Error> {
    // Not the digest alone: versions that are numbers are taken to grow with time.
    let version = format!("={}", Digest::of(&value)?);
    let metadata = ObjectMeta { resource_version: Some(version), ..ObjectMeta::default() };
    Ok(Arc::new(DynamicObject { types: None, metadata, data: value }))
}
