//! What becomes of data when the object it belongs to is deleted.

use api::v1beta1::installation::{DeletionPolicy, InstallationSpec};
use plan::Tie;

/// How children that hold data are tied to an installation.
pub(crate) fn installation_retention(installation: &InstallationSpec) -> Tie {
    retention(installation.deletion_policy)
}

/// How children that hold data are tied to their owner under this policy.
pub(crate) fn retention(policy: Option<DeletionPolicy>) -> Tie {
    match policy.unwrap_or_default() {
        DeletionPolicy::Retain => Tie::Kept,
        DeletionPolicy::Delete => Tie::Owned,
    }
}
