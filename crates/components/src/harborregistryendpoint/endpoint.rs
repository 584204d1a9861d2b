//! The registry endpoint itself.

use crate::{
    certificates::pem_certificates,
    management::{self, Server},
    secrets::{SecretKey, Secrets},
};
use api::v1beta1::{HarborRegistryEndpointSpec, harborregistryendpoint::RegistryCredential};
use harbor::{Feature, Version, registries::RegistryType, version::Support};
use harborstate::registry::{ACCESS_SECRET, Credential, RegistryEndpoint, url};
use plan::{All as _, PlanError};
use serde_json::{Map, Value};

/// The endpoint as the spec says, and its write-only fields. What the spec does not have is cleared in Harbor.
pub(super) fn endpoint(
    spec: &HarborRegistryEndpointSpec,
    secrets: &Secrets<'_>,
    server: &Server,
) -> Result<(RegistryEndpoint, Map<String, Value>), PlanError> {
    let ((), ca_certificate, (credential, write_only)) = (
        server.supports("spec.type", |version| knows(version, &spec.type_)),
        authority(spec, secrets, server),
        spec.credential.as_ref().map_or_else(|| Ok(<_>::default()), |it| credential(it, secrets)),
    )
        .all()?;
    let endpoint = RegistryEndpoint {
        kind: Some(spec.type_.clone()),
        url: Some(url(&spec.url)),
        description: Some(spec.description.clone().unwrap_or_default()),
        insecure: Some(spec.insecure.unwrap_or_default()),
        ca_certificate,
        credential: Some(credential),
    };
    Ok((endpoint, write_only))
}

/// Whether a version knows a type of registries. Harbor answers 500 to others. A version that is newer than this operator
/// may know more.
fn knows(version: Version, kind: &str) -> bool {
    let kind = RegistryType::from(kind);
    let is_new = matches!(kind, RegistryType::Other(_)) && version.support() == Support::Newer;
    is_new || kind.is_in(version)
}

/// The authority of the registry. Without one, that of a Harbor that can have one is removed.
fn authority(
    spec: &HarborRegistryEndpointSpec,
    secrets: &Secrets<'_>,
    server: &Server,
) -> Result<Option<String>, PlanError> {
    let has = |version: Version| version.has(Feature::RegistryCaCertificate);
    let Some(reference) = &spec.ca_certificate_ref else {
        return Ok(server.version().filter(|version| has(*version)).map(|_| String::new()));
    };
    server.supports("spec.caCertificateRef", has)?;
    let key = reference.key.as_deref().unwrap_or("ca.crt");
    secrets.checked(&SecretKey::new(&reference.name, key), pem_certificates)?;
    management::text(secrets, &reference.name, key).map(Some)
}

fn credential(
    credential: &RegistryCredential,
    secrets: &Secrets<'_>,
) -> Result<(Credential, Map<String, Value>), PlanError> {
    let value = |key| management::text(secrets, &credential.secret_ref.name, key);
    let (access_key, access_secret) = (value("accessKey"), value("accessSecret")).all()?;
    let kind = credential.type_.unwrap_or_default().as_str().to_owned();
    let write_only = Map::from_iter([(ACCESS_SECRET.to_owned(), access_secret.into())]);
    Ok((Credential { kind, access_key }, write_only))
}
