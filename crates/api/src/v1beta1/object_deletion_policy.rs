//! Whether an object of Harbor is deleted with the Kubernetes object for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether the operator deletes an object in Harbor when the Kubernetes object for it is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ObjectDeletionPolicy {
    /// The operator deletes it.
    Delete,
    /// It stays in Harbor.
    Orphan,
    /// It stays in Harbor: another word for Orphan.
    Retain,
}

impl ObjectDeletionPolicy {
    /// Whether the object is deleted in Harbor.
    pub const fn deletes(self) -> bool {
        matches!(self, Self::Delete)
    }
}
