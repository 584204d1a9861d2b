//! Everything that the children of a NotarySigner are made from, found sound.

use super::NotarySigner;
use crate::{
    certificates::CA_CERTIFICATE,
    notary::{Certificates, Database},
    pods::Instance,
    secrets::{SecretKey, Secrets},
    values::not_empty,
    versions::Feature,
};
use api::v1beta1::{self, NotarySignerSpec};
use plan::{All, PlanError, World};

/// The password that encrypts new keys. The key of its Secret is this in capitals.
pub(super) const ALIAS: &str = "default";

/// A NotarySigner that can be made.
pub(super) struct Inputs<'a> {
    /// The object, as all its children see it.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a NotarySignerSpec,
    /// Its database.
    pub database: Database<'a>,
    /// What it is served with, and who signs the certificates of its callers.
    pub certificates: Certificates<'a>,
}

impl<'a> Inputs<'a> {
    /// Reads what the spec refers to.
    pub fn read(owner: &'a v1beta1::NotarySigner, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let alias = ALIAS.to_uppercase();
        let (instance, database, certificates, _) = (
            Instance::of::<NotarySigner>(&owner.metadata, &spec.component, world.defaults())
                .and_then(|notary| notary.within(Feature::Notary)),
            Database::of(&spec.storage.storage.postgres, "spec.storage.postgres", &secrets),
            Certificates::of(
                "certificates",
                &spec.authentication.certificate_ref,
                &["tls.crt", "tls.key", CA_CERTIFICATE],
                &secrets,
            ),
            secrets.sound(&SecretKey::new(&spec.storage.aliases_ref, &alias), not_empty),
        )
            .all()?;
        Ok(Self { instance, spec, database, certificates })
    }
}
