//! Changes of registries: what is not sent stays, and every change calls the registry.

use super::{Credential, Registry, create::checked_certificate, health, read::missing, url::normalised};
use crate::{
    call::Call,
    failure::Failure,
    rest::{Reply, go_struct},
    secret::Secret,
    state::Id,
    version::Change,
};

go_struct! {
    RegistryUpdate = "RegistryUpdate" {
        name: Option<String>,
        description: Option<String>,
        url: Option<String>,
        credential_type: Option<String>,
        access_key: Option<String>,
        access_secret: Option<Secret>,
        insecure: Option<bool>,
        ca_certificate: Option<String>,
    }
}

pub(super) fn update(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Registry> = call.id("id")?;
    let wanted: RegistryUpdate = call.body("registry")?;
    call.on_system("registry", "update")?;
    let mut registry = call.data.registries.get(id).cloned().ok_or_else(|| missing(id))?;
    registry.credential = credential(registry.credential, &wanted);
    registry.name = wanted.name.unwrap_or(registry.name);
    registry.description = wanted.description.unwrap_or(registry.description);
    registry.url = normalised(&wanted.url.unwrap_or(registry.url));
    registry.insecure = wanted.insecure.unwrap_or(registry.insecure);
    if call.has(Change::RegistryCertificates)
        && let Some(certificate) = wanted.ca_certificate
    {
        registry.ca_certificate = checked_certificate(certificate)?;
    }
    registry.updated = call.now;
    health::check(call, &registry)?;
    if call.data.registries.iter().any(|(other, it)| other != id && it.name == registry.name) {
        return Err(Failure::conflict(format!("registry {} already exists", registry.name)));
    }
    if let Some(stored) = call.data.registries.get_mut(id) {
        *stored = registry;
    }
    Ok(Reply::done())
}

/// An empty key removes the credential.
fn credential(stored: Option<Credential>, wanted: &RegistryUpdate) -> Option<Credential> {
    let stored =
        stored.unwrap_or(Credential { kind: String::new(), key: String::new(), secret: Secret::default() });
    let credential = Credential {
        kind: wanted.credential_type.clone().unwrap_or(stored.kind),
        key: wanted.access_key.clone().unwrap_or(stored.key),
        secret: wanted.access_secret.clone().unwrap_or(stored.secret),
    };
    (!credential.key.is_empty()).then_some(credential)
}

pub(super) fn delete(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let id: Id<Registry> = call.id("id")?;
    call.on_system("registry", "delete")?;
    if call.data.registries.get(id).is_none() {
        return Err(missing(id));
    }
    if call.data.replication_policies.find(|policy| policy.uses(id)).is_some() {
        return Err(Failure::precondition(format!(
            "the registry {id} is referenced by replication policies, cannot delete it"
        )));
    }
    if call.data.projects.find(|project| project.registry == Some(id)).is_some() {
        return Err(Failure::precondition(format!(
            "the registry {id} is referenced by proxy cache project, cannot delete it"
        )));
    }
    call.data.registries.remove(id);
    Ok(Reply::done())
}
