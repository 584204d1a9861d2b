//! Registry endpoints. Harbor contacts the other registry for every write.

use crate::{
    client::Client,
    failure::{rejected, system_error},
    manage::{Manage, Objects, desired, found, shown},
    values::secret,
};
use harbor::{
    Feature, RegistryId,
    registries::{self as api, NewRegistry, Registry, RegistryUpdate, RegistryUrl},
};
use harborstate::registry::{ACCESS_SECRET, Credential, Facts, RegistryEndpoint, url};
use plan::{External, SystemError};
use serde_json::Value;

/// The collection `registry`.
pub(crate) struct Registries;

impl Manage for Registries {
    async fn list(client: &Client, _: Option<&str>) -> Result<Objects, SystemError> {
        let registries = client.harbor.registries().list().await.map_err(system_error)?;
        registries.iter().map(|registry| Ok((registry.name.clone(), state(registry)?))).collect()
    }

    async fn find(client: &Client, _: &str, name: &str) -> Result<Option<Value>, SystemError> {
        let found = client.harbor.registries().find(name).await.map_err(system_error)?;
        found.as_ref().map(state).transpose()
    }

    async fn create(client: &Client, wanted: &External) -> Result<(), SystemError> {
        let registry: RegistryEndpoint = desired(wanted)?;
        let certificate = registry.ca_certificate.filter(|pem| !pem.is_empty());
        check_certificate(client, certificate.as_deref()).await?;
        let credential = registry.credential.filter(|credential| !credential.access_key.is_empty());
        let credential = credential.map(|credential| api::Credential {
            kind: credential.kind.into(),
            access_key: credential.access_key,
            access_secret: secret(wanted, ACCESS_SECRET).unwrap_or_default(),
        });
        let new = NewRegistry {
            name: wanted.name.clone(),
            description: registry.description.unwrap_or_default(),
            kind: registry.kind.unwrap_or_default().into(),
            url: address(&registry.url.unwrap_or_default())?,
            insecure: registry.insecure.unwrap_or_default(),
            ca_certificate: certificate,
            credential,
        };
        let created = client.harbor.registries().create(&new).await;
        client.index.forget_registries();
        created.map(drop).map_err(system_error)
    }

    async fn update(client: &Client, wanted: &External, actual: &Value) -> Result<(), SystemError> {
        let registry: RegistryEndpoint = desired(wanted)?;
        let actual = found::<RegistryEndpoint>(actual)?;
        let stored = actual.state;
        if registry.kind.is_some() && registry.kind != stored.kind {
            return Err(rejected(
                format!("the endpoint is of type {}, which cannot change", stored.kind.unwrap_or_default()),
                "correct the type, or choose another name",
            ));
        }
        let certificate = registry.ca_certificate.filter(|pem| Some(pem) != stored.ca_certificate.as_ref());
        check_certificate(client, certificate.as_deref()).await?;
        let address_changes = registry.url.is_some() && registry.url != stored.url;
        let mut update = RegistryUpdate {
            name: None,
            description: registry.description.filter(|text| Some(text) != stored.description.as_ref()),
            url: registry.url.filter(|_| address_changes).map(|text| address(&text)).transpose()?,
            insecure: registry.insecure.filter(|insecure| Some(*insecure) != stored.insecure),
            ca_certificate: certificate,
            ..RegistryUpdate::default()
        };
        match registry.credential {
            Some(credential) if credential.access_key.is_empty() => {
                let has_one = stored.credential.is_some_and(|stored| !stored.access_key.is_empty());
                update.access_key = has_one.then(String::new);
            }
            Some(credential) => {
                let secret = secret(wanted, ACCESS_SECRET);
                if secret.is_some() || stored.credential.as_ref() != Some(&credential) {
                    update.credential_type = Some(credential.kind.into());
                    update.access_key = Some(credential.access_key);
                    update.access_secret = secret;
                }
            }
            None => {}
        }
        if update.is_empty() {
            return Ok(());
        }
        let id = RegistryId(actual.facts.id);
        client.harbor.registries().update(id, &update).await.map_err(system_error)
    }

    async fn delete(client: &Client, _: &str, actual: &Value) -> Result<(), SystemError> {
        client.index.forget_registries();
        let id = RegistryId(found::<RegistryEndpoint>(actual)?.facts.id);
        client.harbor.registries().delete(id).await.map(drop).map_err(system_error)
    }
}

fn state(registry: &Registry) -> Result<Value, SystemError> {
    let credential = match registry.credential.access_key.as_str() {
        "" => Credential::default(),
        key => Credential { kind: registry.credential.kind.to_string(), access_key: key.to_owned() },
    };
    let state = RegistryEndpoint {
        kind: Some(registry.kind.to_string()),
        url: Some(url(&registry.url)),
        description: Some(registry.description.clone()),
        insecure: Some(registry.insecure),
        ca_certificate: Some(registry.ca_certificate.clone()),
        credential: Some(credential),
    };
    shown(state, Facts { id: registry.id.0, status: registry.status.clone() })
}

/// An address as Harbor stores it.
pub(crate) fn address(text: &str) -> Result<RegistryUrl, SystemError> {
    text.parse::<RegistryUrl>().map_err(|problem| rejected(problem.to_string(), "correct the address"))
}

async fn check_certificate(client: &Client, certificate: Option<&str>) -> Result<(), SystemError> {
    if certificate.is_none_or(str::is_empty) {
        return Ok(());
    }
    let info = client.harbor.server_info().await.map_err(system_error)?;
    if info.has(Feature::RegistryCaCertificate) {
        return Ok(());
    }
    Err(rejected(
        format!("Harbor {} takes no certificate authority for endpoints", info.version),
        "upgrade Harbor, or give the authority to Core",
    ))
}
