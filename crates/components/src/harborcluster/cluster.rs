//! A validated HarborCluster: its spec, and what all its children have in common.

use crate::{
    data::installation_retention,
    pods::check_installation_pods,
    versions::{HarborVersion, Mirror},
};
use api::names::HARBOR_CLUSTER_LABEL;
use api::v1beta1::{self, HarborClusterSpec};
use kube::core::ObjectMeta;
use plan::{All, ChildName, Defaults, DeletionBehavior, PlanError};
use std::collections::BTreeMap;

/// A validated HarborCluster.
pub(super) struct Cluster<'a> {
    /// Its spec.
    pub spec: &'a HarborClusterSpec,
    /// Its name.
    pub name: &'a str,
    /// Namespace of all children.
    pub namespace: &'a str,
    /// The version of Harbor.
    pub version: HarborVersion,
    /// The mirror of images.
    pub mirror: Mirror,
    /// Its metadata.
    pub metadata: &'a ObjectMeta,
}

impl<'a> Cluster<'a> {
    /// Validates what all services depend on. Each service validates the rest.
    pub fn of(owner: &'a v1beta1::HarborCluster, defaults: &Defaults) -> Result<Self, PlanError> {
        let ObjectMeta { name, namespace, .. } = &owner.metadata;
        let installation = &owner.spec.installation;
        let (version, ()) = (
            HarborVersion::parse_spec(&installation.version),
            check_installation_pods(installation, defaults),
        )
            .all()?;
        Ok(Self {
            spec: &owner.spec,
            name: name.as_deref().unwrap_or_default(),
            namespace: namespace.as_deref().unwrap_or_default(),
            version,
            mirror: Mirror::of(installation.image_source.as_ref(), defaults),
            metadata: &owner.metadata,
        })
    }

    /// The name of a child.
    pub fn child(&self, suffix: &str) -> Result<ChildName, PlanError> {
        ChildName::of(self.name, suffix)
    }

    /// Metadata of a child.
    pub fn metadata(&self, name: impl Into<String>) -> ObjectMeta {
        ObjectMeta {
            name: Some(name.into()),
            namespace: Some(self.namespace.into()),
            labels: Some(BTreeMap::from([(HARBOR_CLUSTER_LABEL.to_owned(), self.name.to_owned())])),
            ..ObjectMeta::default()
        }
    }

    /// Whether children with data are deleted with the HarborCluster.
    pub fn deletion_of_data(&self) -> DeletionBehavior {
        installation_retention(&self.spec.installation)
    }
}
