//! The namespaces of owners.

use super::{Cluster, Interest};
use crate::ReconcileError;
use k8s_openapi::api::core::v1::Namespace;
use plan::ObjectKey;

impl Cluster {
    /// Whether the namespace of an owner is being deleted. The owner is reconciled again when that changes. Without a watch of
    /// Namespaces, such as with permissions in some namespaces only, it is unknown, and the answer is no.
    pub(crate) async fn is_namespace_ending(&self, owner: &ObjectKey) -> Result<bool, ReconcileError> {
        let namespace = ObjectKey::of::<Namespace>("", &owner.namespace);
        if !self.router.index.has_listed(&namespace) {
            return Ok(false);
        }
        let found = self.fetch(owner, &[namespace].into(), Interest::Spec).await?;
        Ok(found.values().flatten().any(|it| it.metadata.deletion_timestamp.is_some()))
    }
}
