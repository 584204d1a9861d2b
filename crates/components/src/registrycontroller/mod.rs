//! RegistryController: deletes blobs and manifests on behalf of JobService's garbage collection.
//!
//! It has no pods of its own: it runs beside the registry, in the pods of the Registry of the same name,
//! because both need the same store. The Registry creates all children. This object holds the settings, and its
//! status reports whether they are valid. The operator deletes the children that older operators created for
//! it.
//!
//! Uses: certificates, pods, secrets, values.

mod config;
mod container;
mod pods;
mod service;
#[cfg(test)]
mod tests;
mod validated;

pub(crate) use self::{
    config::config_map,
    container::{container, volumes},
    pods::without_pods,
    service::service,
    validated::Validated,
};

use crate::secrets::Secrets;
use api::v1beta1;
use plan::{Builder, Children, Component, PlanError, World};

/// The component behind a [`v1beta1::RegistryController`].
pub struct RegistryController;

impl Component for RegistryController {
    type Owner = v1beta1::RegistryController;

    const NAME: &'static str = "registryctl";

    fn children() -> Children {
        Children::none()
    }

    fn desired(
        owner: &v1beta1::RegistryController,
        world: &World<'_>,
        _: &mut Builder<'_>,
    ) -> Result<(), PlanError> {
        let namespace = owner.metadata.namespace.as_deref().unwrap_or_default();
        Validated::read(owner, &Secrets::new(world, namespace)).map(drop)
    }
}
