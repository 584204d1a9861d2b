//! A HarborCluster that can be made: its spec, and what all its children have in common.

use crate::{HarborVersion, image::Mirror, pod_security, retention};
use api::{
    names::HARBOR_CLUSTER_LABEL,
    v1beta1::{self, HarborClusterSpec},
};
use kube::core::ObjectMeta;
use plan::{All, ChildName, Defaults, DeletionBehavior, PlanError};
use std::collections::BTreeMap;

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
            pod_security::of_installation(installation, defaults),
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

    /// What becomes of children that hold data, when the HarborCluster is deleted.
    pub fn tie_of_data(&self) -> DeletionBehavior {
        retention::tie_of_data(&self.spec.installation)
    }
}
