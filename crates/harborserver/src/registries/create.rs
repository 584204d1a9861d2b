//! New registries.

use super::{Credential, Registry, health, url::normalised};
use crate::{
    call::Call,
    failure::Failure,
    rest::{Reply, go_struct},
    secret::Secret,
    version::Change,
};

go_struct! {
    RegistryRequest = "Registry" {
        id: i64,
        name: String,
        description: String,
        kind = "type": String,
        url: String,
        insecure: bool,
        ca_certificate: Option<String>,
        credential: Option<CredentialRequest>,
    }
}

go_struct! {
    CredentialRequest = "RegistryCredential" {
        kind = "type": String,
        access_key: String,
        access_secret: Secret,
    }
}

pub(super) fn create(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: RegistryRequest = call.body("registry")?;
    call.on_system("registry", "create")?;
    if wanted.name.is_empty() {
        return Err(Failure::bad_request("name cannot be empty"));
    }
    if wanted.name.chars().count() > 64 {
        return Err(Failure::bad_request("the max length of name is 64"));
    }
    if wanted.url.is_empty() {
        return Err(Failure::bad_request("url cannot be empty"));
    }
    let ca_certificate = if call.has(Change::RegistryCertificates) {
        checked_certificate(wanted.ca_certificate.unwrap_or_default())?
    } else {
        String::new()
    };
    let credential = wanted.credential.map(|credential| Credential {
        kind: credential.kind,
        key: credential.access_key,
        secret: credential.access_secret,
    });
    let registry = Registry {
        name: wanted.name,
        description: wanted.description,
        kind: wanted.kind,
        url: normalised(&wanted.url),
        insecure: wanted.insecure,
        ca_certificate,
        credential: credential.filter(|it| !it.key.is_empty() || !it.secret.is_empty()),
        created: call.now,
        updated: call.now,
    };
    health::check(call, &registry)?;
    if call.data.registries.find(|other| other.name == registry.name).is_some() {
        call.data.registries.burn();
        return Err(Failure::conflict(format!("registry {} already exists", registry.name)));
    }
    let id = call.data.registries.insert(registry);
    Ok(Reply::created(call.location(&id.to_string())))
}

/// Refuses what holds no certificate.
pub(super) fn checked_certificate(text: String) -> Result<String, Failure> {
    let begins = text.contains("-----BEGIN CERTIFICATE-----") && text.contains("-----END CERTIFICATE-----");
    if text.is_empty() || begins {
        return Ok(text);
    }
    Err(Failure::bad_request("invalid CA certificate: no valid certificates found in PEM data"))
}
