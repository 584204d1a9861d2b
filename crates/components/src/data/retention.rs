//! Whether data is kept when its owner is deleted.

use api::v1beta1::installation::{DeletionPolicy, InstallationSpec};
use plan::DeletionBehavior;

/// Whether children with data are deleted with an installation.
pub(crate) fn installation_retention(installation: &InstallationSpec) -> DeletionBehavior {
    retention(installation.deletion_policy)
}

/// Whether children with data are deleted with their owner under this policy.
pub(crate) fn retention(policy: Option<DeletionPolicy>) -> DeletionBehavior {
    match policy.unwrap_or_default() {
        DeletionPolicy::Retain => DeletionBehavior::Kept,
        DeletionPolicy::Delete => DeletionBehavior::Owned,
    }
}
