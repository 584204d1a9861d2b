//! Everything that the children of a NotarySigner are made from, validated.

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

/// The alias of the password that encrypts new keys. The key of its Secret is the alias in capitals.
pub(super) const ALIAS: &str = "default";

/// A validated NotarySigner.
pub(super) struct Validated<'a> {
    /// The object, reduced to what its children need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a NotarySignerSpec,
    /// Its database.
    pub database: Database<'a>,
    /// Its certificate, and the authority that signs the certificates of its callers.
    pub certificates: Certificates<'a>,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
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
            secrets.checked(&SecretKey::new(&spec.storage.aliases_ref, &alias), not_empty),
        )
            .all()?;
        Ok(Self { instance, spec, database, certificates })
    }
}
