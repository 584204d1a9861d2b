//! The PostgreSQL of a HarborCluster.

use super::cluster::Cluster;
use api::v1beta1::postgres::HarborDatabaseSpec;
use plan::{Builder, Children, Deps, PlanError, World};

/// The PostgreSQL, and where the Harbor finds it.
pub(super) struct Database {
    settings: HarborDatabaseSpec,
}

/// The kinds of its children.
pub(super) fn children(children: Children) -> Children {
    children
}

impl Database {
    /// Judges what the HarborCluster says of it.
    pub fn of(cluster: &Cluster<'_>, _world: &World<'_>) -> Result<Self, PlanError> {
        match &cluster.spec.database.spec.postgresql {
            Some(external) => Ok(Self { settings: external.clone() }),
            None => Err(PlanError::invalid("spec.database.kind", "is not available yet", "use another kind")),
        }
    }

    /// Where the Harbor finds it.
    pub fn settings(&self) -> &HarborDatabaseSpec {
        &self.settings
    }

    /// Adds its children; the Harbor comes after them.
    pub fn add<'g>(self, _graph: &mut Builder<'g>) -> impl Deps<'g> + use<'g> {}
}
