//! The password of a database that runs in this cluster, in the form that the Harbor reads.

use crate::harborcluster::{DATABASE, cluster::Cluster};
use k8s_openapi::{ByteString, api::core::v1::Secret};
use plan::{ChildName, Desired, PlanError};
use std::collections::BTreeMap;

/// Key of the Secret that the Harbor reads.
const PASSWORD: &str = "postgres-password";

/// Key of the Secret of the database's operator.
pub(super) const SOURCE: &str = "password";

/// The name of the Secret that the Harbor reads.
pub(super) fn name(cluster: &Cluster<'_>) -> Result<ChildName, PlanError> {
    cluster.child("database-password")
}

/// The password in a Secret that belongs to an operator.
pub(super) fn of(source: Secret) -> Option<ByteString> {
    source.data?.remove(SOURCE).filter(|password| !password.0.is_empty())
}

/// The Secret that the Harbor reads: a copy that follows its source. If the source does not exist, the earlier
/// copy stays in use.
pub(super) fn copy(
    cluster: &Cluster<'_>,
    name: &ChildName,
    source: Option<ByteString>,
    why: impl FnOnce() -> String,
) -> Desired {
    let secret = |password| Secret {
        metadata: cluster.metadata(&**name),
        data: Some(BTreeMap::from([(PASSWORD.to_owned(), password)])),
        ..Secret::default()
    };
    let desired = match source {
        Some(password) => Desired::from(secret(password)),
        None => Desired::awaited(secret(ByteString::default()), why()),
    };
    desired.of(DATABASE)
}
