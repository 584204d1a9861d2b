//! What becomes of data when the object it belongs to is deleted.

use api::v1beta1::installation::{DeletionPolicy, InstallationSpec};
use plan::Tie;

/// How children that hold data are tied to an installation.
pub(crate) fn tie_of_data(installation: &InstallationSpec) -> Tie {
    match installation.deletion_policy.unwrap_or_default() {
        DeletionPolicy::Retain => Tie::Kept,
        DeletionPolicy::Delete => Tie::Owned,
    }
}
