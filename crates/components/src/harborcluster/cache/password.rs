//! What Harbor and the servers of its Redis know each other by.

use crate::{
    connections::REDIS_PASSWORD,
    harborcluster::{CACHE, cluster::Cluster},
};
use k8s_openapi::api::core::v1::Secret;
use plan::{ChildName, Desired, Recipe};

/// The key under which operators of Redis look for the password; Harbor has another for it.
pub(super) const KEY: &str = "password";

/// The Secret with the password, under both keys. Created once: a Redis restored, or taken over, keeps its own.
///
/// It goes with its HarborCluster even where data stays, since volumes of Redis do not hold it.
pub(super) fn secret(cluster: &Cluster<'_>, name: &ChildName) -> Desired {
    let secret = Secret { metadata: cluster.metadata(&**name), ..Secret::default() };
    let recipes = [
        (REDIS_PASSWORD.to_owned(), Recipe::Alphanumeric { length: 32 }),
        (KEY.to_owned(), Recipe::SameAs { key: REDIS_PASSWORD.to_owned() }),
    ];
    Desired::generated(secret, recipes).of(CACHE)
}
