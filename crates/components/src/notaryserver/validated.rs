//! Everything that the children of a NotaryServer are made from, validated.

use super::NotaryServer;
use crate::{
    certificates::CA_CERTIFICATE,
    notary::{Certificates, Database},
    pods::{Instance, Scheme},
    secrets::Secrets,
    versions::Feature,
};
use api::v1beta1::{self, NotaryServerSpec, tls::ComponentsTlsSpec};
use plan::{All, PlanError, World};

/// A validated NotaryServer.
pub(super) struct Validated<'a> {
    /// The object, reduced to what its children need.
    pub instance: Instance<'a>,
    /// Its spec.
    pub spec: &'a NotaryServerSpec,
    /// Its database.
    pub database: Database<'a>,
    /// Its certificate, if it is served over TLS.
    pub tls: Option<Certificates<'a>>,
    /// Its client certificate for the signer, and the authority that it trusts for the signer.
    pub signer: Option<Certificates<'a>>,
    /// The certificate of the token service.
    pub token: Option<Certificates<'a>>,
}

impl<'a> Validated<'a> {
    /// Reads what the spec refers to, and validates everything.
    pub fn read(owner: &'a v1beta1::NotaryServer, world: &World<'_>) -> Result<Self, PlanError> {
        let spec = &owner.spec;
        let secrets = Secrets::new(world, owner.metadata.namespace.as_deref().unwrap_or_default());
        let signer = spec.trust_service.remote.as_ref().and_then(|remote| remote.certificate_ref.as_deref());
        let token = spec.authentication.as_ref().map(|it| &*it.token.certificate_ref);
        let (instance, database, tls, signer, token) = (
            Instance::of::<NotaryServer>(&owner.metadata, &spec.component, world.defaults())
                .and_then(|notary| notary.within(Feature::Notary)),
            database(spec, &secrets),
            tls(spec.tls.as_ref(), &secrets),
            signer
                .map(|secret| {
                    let files = &["tls.crt", "tls.key", CA_CERTIFICATE];
                    Certificates::of("trust-certificates", secret, files, &secrets)
                })
                .transpose(),
            // Without the key in the same Secret, which signs tokens for all services.
            token
                .map(|secret| Certificates::of("auth-certificates", secret, &["tls.crt"], &secrets))
                .transpose(),
        )
            .all()?;
        Ok(Self { instance, spec, database, tls, signer, token })
    }

    /// How it is served.
    pub fn scheme(&self) -> Scheme {
        Scheme::of(self.spec.tls.as_ref())
    }
}

fn database<'a>(spec: &'a NotaryServerSpec, secrets: &Secrets<'_>) -> Result<Database<'a>, PlanError> {
    let Some(storage) = &spec.storage else {
        return Err(PlanError::invalid(
            "spec.storage",
            "is not set, and signatures would be lost with their pod",
            "describe a PostgreSQL database",
        ));
    };
    Database::of(&storage.postgres, "spec.storage.postgres", secrets)
}

fn tls<'a>(
    spec: Option<&'a ComponentsTlsSpec>,
    secrets: &Secrets<'_>,
) -> Result<Option<Certificates<'a>>, PlanError> {
    let Some(spec) = spec else { return Ok(None) };
    let Some(secret) = &spec.certificate_ref else {
        return Err(PlanError::invalid(
            "spec.tls.certificateRef",
            "is not set although TLS is on",
            "name a Secret with tls.crt and tls.key, or remove the tls block",
        ));
    };
    Certificates::of("certificates", secret, &["tls.crt", "tls.key"], secrets).map(Some)
}
