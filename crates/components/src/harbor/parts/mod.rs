//! The components of a Harbor, as objects of their own.

mod chartmuseum;
mod core;
mod exporter;
mod jobservice;
mod notary;
mod portal;
mod registry;
mod storage;
mod trivy;

pub(crate) use self::storage::of_images as store_of_images;
pub(super) use self::{
    chartmuseum::chartmuseum,
    core::core,
    exporter::exporter,
    jobservice::jobservice,
    notary::{notary_server, notary_signer},
    portal::portal,
    registry::{registry, registry_controller},
    storage::endpoint,
    trivy::trivy,
};

use super::{
    credentials::{Credentials, REGISTRY_USER},
    part::Part,
    validated::Validated,
};
use api::v1beta1::registry_access::{RegistryAccess, RegistryCredentials};

/// The settings of Core and JobService for the registry.
fn registry_access(
    harbor: &Validated<'_>,
    credentials: &Credentials,
    controller_url: String,
) -> RegistryAccess {
    RegistryAccess {
        url: harbor.url(Part::Registry),
        controller_url,
        credentials: RegistryCredentials {
            username: REGISTRY_USER.into(),
            password_ref: credentials.registry.name(),
        },
    }
}
