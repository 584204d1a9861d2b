//! An owner that is reconciled.

use crate::{ReconcileError, cluster::Cluster};
use api::names::PAUSE_ANNOTATION;
use kube::{
    ResourceExt as _,
    core::{DynamicObject, ObjectMeta},
};
use plan::{ComponentKind, ComponentObject, ObjectKey};
use std::sync::Arc;

/// An owner that is reconciled.
pub(crate) struct Owner {
    pub(crate) key: ObjectKey,
    /// The stored object, without managed fields.
    pub(crate) stored: DynamicObject,
    /// The decoded object, or why it cannot be decoded.
    pub(crate) decoded: Result<Arc<dyn ComponentObject>, plan::Undecodable>,
}

impl Owner {
    /// The owner as its watch last delivered it; `None` if it no longer exists.
    pub(crate) fn read(cluster: &Cluster, component: &ComponentKind, key: &ObjectKey) -> Option<Self> {
        let stored = cluster.owners.get(key)?;
        let decoded = match serde_json::to_value(&stored) {
            Ok(object) => component.decode(object),
            Err(error) => Err(plan::Undecodable { field: String::new(), problem: error.to_string() }),
        };
        Some(Self { key: key.clone(), stored, decoded })
    }

    pub(crate) fn meta(&self) -> &ObjectMeta {
        &self.stored.metadata
    }

    pub(crate) fn uid(&self) -> &str {
        self.stored.metadata.uid.as_deref().unwrap_or_default()
    }

    /// The decoded object.
    ///
    /// # Errors
    /// When it cannot be decoded.
    pub(crate) fn object(&self) -> Result<&Arc<dyn ComponentObject>, ReconcileError> {
        self.decoded.as_ref().map_err(|error| ReconcileError::Undecodable(error.to_string()))
    }

    /// Whether there is nothing to do for the owner and nothing of it to remove.
    pub(crate) fn is_idle(&self, cluster: &Cluster) -> bool {
        let has_work = self.decoded.as_ref().map_or(true, |object| object.has_work());
        !has_work && cluster.router.index.owned_by(self.uid()).is_empty()
    }

    /// Whether the user has paused the reconciliation.
    pub(crate) fn is_paused(&self) -> bool {
        self.stored.annotations().get(PAUSE_ANNOTATION).is_some_and(|value| value == "true")
    }
}
