//! The storage of a HarborCluster.

use super::cluster::Cluster;
use api::v1beta1::harbor::storage::HarborStorageSpec;
use plan::{Builder, Children, Deps, PlanError, World};

/// The storage, and where the Harbor finds it.
pub(super) struct Storage {
    settings: HarborStorageSpec,
}

/// The kinds of its children.
pub(super) fn children(children: Children) -> Children {
    children
}

impl Storage {
    /// Judges what the HarborCluster says of it.
    pub fn of(cluster: &Cluster<'_>, _world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &cluster.spec.storage.spec;
        Ok(Self {
            settings: HarborStorageSpec {
                filesystem: spec.file_system.clone(),
                object_store: spec.object_store.clone(),
                ..HarborStorageSpec::default()
            },
        })
    }

    /// Where the Harbor finds it.
    pub fn settings(&self) -> &HarborStorageSpec {
        &self.settings
    }

    /// Adds its children; the Harbor comes after them.
    pub fn add<'g>(self, _graph: &mut Builder<'g>) -> impl Deps<'g> + use<'g> {}
}
