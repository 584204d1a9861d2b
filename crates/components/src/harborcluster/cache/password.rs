//! The password of Redis.

use crate::{
    connections::REDIS_PASSWORD,
    harborcluster::{CACHE, cluster::Cluster},
};
use k8s_openapi::api::core::v1::Secret;
use plan::{ChildName, Desired, Recipe};

/// The key that operators of Redis read; Harbor reads another.
pub(super) const KEY: &str = "password";

/// The Secret with the password, under both keys. The operator creates it once: a Redis that was restored or
/// adopted keeps its password.
///
/// It is deleted with its HarborCluster even if data is kept, since the data of Redis does not depend on it.
pub(super) fn secret(cluster: &Cluster<'_>, name: &ChildName) -> Desired {
    let secret = Secret { metadata: cluster.metadata(&**name), ..Secret::default() };
    let recipes = [
        (REDIS_PASSWORD.to_owned(), Recipe::Alphanumeric { length: 32 }),
        (KEY.to_owned(), Recipe::SameAs { key: REDIS_PASSWORD.to_owned() }),
    ];
    Desired::generated(secret, recipes).of(CACHE)
}
