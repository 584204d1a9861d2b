//! What becomes of data when the object it belongs to is deleted.

use api::v1beta1::installation::{DeletionPolicy, InstallationSpec};
use plan::DeletionBehavior;

/// How children that hold data are tied to an installation.
pub(crate) fn tie_of_data(installation: &InstallationSpec) -> DeletionBehavior {
    tie(installation.deletion_policy)
}

/// How children that hold data are tied to their owner under this policy.
pub(crate) fn tie(policy: Option<DeletionPolicy>) -> DeletionBehavior {
    match policy.unwrap_or_default() {
        DeletionPolicy::Retain => DeletionBehavior::Kept,
        DeletionPolicy::Delete => DeletionBehavior::Owned,
    }
}
