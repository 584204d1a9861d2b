//! The Redis of a HarborCluster.

use super::cluster::Cluster;
use api::v1beta1::redis::RedisSpec;
use plan::{Builder, Children, Deps, PlanError, World};

/// The Redis, and where the Harbor finds it.
pub(super) struct Cache {
    settings: RedisSpec,
}

/// The kinds of its children.
pub(super) fn children(children: Children) -> Children {
    children
}

impl Cache {
    /// Judges what the HarborCluster says of it.
    pub fn of(cluster: &Cluster<'_>, _world: &World<'_>) -> Result<Self, PlanError> {
        match &cluster.spec.cache.spec.redis {
            Some(external) => Ok(Self { settings: external.clone() }),
            None => Err(PlanError::invalid("spec.cache.kind", "is not available yet", "use another kind")),
        }
    }

    /// Where the Harbor finds it.
    pub fn settings(&self) -> &RedisSpec {
        &self.settings
    }

    /// Adds its children; the Harbor comes after them.
    pub fn add<'g>(self, _graph: &mut Builder<'g>) -> impl Deps<'g> + use<'g> {}
}
