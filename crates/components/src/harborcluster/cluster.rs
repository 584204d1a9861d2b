//! A HarborCluster that can be made: its spec, and what all its children have in common.

use crate::{
    data::installation_retention,
    pods::check_installation_pods,
    versions::{HarborVersion, Mirror},
};
use api::v1beta1::{self, HarborClusterSpec};
use kube::core::ObjectMeta;
use plan::{All, ChildName, Defaults, PlanError, Tie};
use std::collections::BTreeMap;

/// Names the HarborCluster on everything that belongs to it.
pub(super) const CLUSTER_LABEL: &str = "goharbor.io/harbor-cluster";

/// A HarborCluster that can be made.
pub(super) struct Cluster<'a> {
    /// Its spec.
    pub spec: &'a HarborClusterSpec,
    /// Its name.
    pub name: &'a str,
    /// Namespace of all children.
    pub namespace: &'a str,
    /// Which Harbor is installed.
    pub version: HarborVersion,
    /// Where images come from.
    pub mirror: Mirror,
    /// Its metadata.
    pub metadata: &'a ObjectMeta,
}

impl<'a> Cluster<'a> {
    /// Judges what all services depend on; each judges the rest itself.
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
            labels: Some(BTreeMap::from([(CLUSTER_LABEL.to_owned(), self.name.to_owned())])),
            ..ObjectMeta::default()
        }
    }

    /// What becomes of children that hold data, when the HarborCluster is deleted.
    pub fn tie_of_data(&self) -> Tie {
        installation_retention(&self.spec.installation)
    }
}
