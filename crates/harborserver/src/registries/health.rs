//! Live checks: Harbor calls a registry before it stores it.

use super::{Credential, Registry, adapters, url::normalised};
use crate::{
    call::Call,
    failure::Failure,
    network::Answer,
    rest::{Reply, go_struct},
    secret::Secret,
    state::Id,
};
use jiff::SignedDuration;

go_struct! {
    PingRequest = "RegistryPing" {
        id: Option<i64>,
        kind = "type": Option<String>,
        url: Option<String>,
        credential_type: Option<String>,
        access_key: Option<String>,
        access_secret: Option<Secret>,
        insecure: Option<bool>,
        ca_certificate: Option<String>,
    }
}

/// Refuses a registry that does not answer, or not to its credentials.
pub(super) fn check(call: &Call<'_>, registry: &Registry) -> Result<(), Failure> {
    if !adapters::kinds(call.version()).contains(&registry.kind.as_str()) {
        return Err(Failure::internal());
    }
    match answer(call, registry) {
        Answer::Healthy => Ok(()),
        // The adapter for Harbor asks for the version first, and fails as a whole.
        Answer::Silent if registry.kind == "harbor" => Err(Failure::internal()),
        Answer::Silent | Answer::Refused => Err(Failure::bad_request("the registry is unhealthy")),
    }
}

/// How often Harbor looks at all registries. Until the first look after a change, a registry counts as healthy.
const LOOK: SignedDuration = SignedDuration::from_mins(5);

/// What the last look at a registry has found.
pub(super) fn status(call: &Call<'_>, registry: &Registry) -> &'static str {
    let is_new = call.now.duration_since(registry.updated) < LOOK;
    match answer(call, registry) {
        Answer::Silent | Answer::Refused if !is_new => "unhealthy",
        Answer::Healthy | Answer::Silent | Answer::Refused => "healthy",
    }
}

fn answer(call: &Call<'_>, registry: &Registry) -> Answer {
    let credentials = registry.credential.as_ref().map(|it| (it.key.as_str(), it.secret.reveal()));
    let installation = &call.runtime.installation;
    let own = [&installation.external_url, &installation.core_url];
    if own.iter().any(|url| url.trim_end_matches('/') == registry.url.trim_end_matches('/')) {
        let known = credentials.is_none_or(|(name, secret)| {
            call.data.users.find(|user| user.is_called(name) && user.password.reveal() == secret).is_some()
        });
        return if known { Answer::Healthy } else { Answer::Refused };
    }
    call.runtime.network.call(&registry.url, credentials)
}

/// Calls a stored registry, or one that the body describes.
pub(super) fn ping(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let wanted: PingRequest = call.body("registry")?;
    call.on_system("registry", "read")?;
    let mut registry = match wanted.id.filter(|id| *id != 0) {
        Some(number) => {
            let id = Id::new(number);
            call.data.registries.get(id).cloned().ok_or_else(|| super::read::missing(id))?
        }
        None => Registry {
            name: String::new(),
            description: String::new(),
            kind: String::new(),
            url: String::new(),
            insecure: false,
            ca_certificate: String::new(),
            credential: None,
            created: call.now,
            updated: call.now,
        },
    };
    if let Some(kind) = wanted.kind {
        registry.kind = kind;
    }
    if let Some(url) = wanted.url {
        if url.is_empty() {
            return Err(Failure::bad_request("URL cannot be empty"));
        }
        registry.url = normalised(&url);
    }
    if wanted.access_key.is_some() || wanted.access_secret.is_some() {
        let stored = registry.credential.take();
        let stored = stored.unwrap_or(Credential {
            kind: "basic".to_owned(),
            key: String::new(),
            secret: Secret::default(),
        });
        registry.credential = Some(Credential {
            kind: wanted.credential_type.unwrap_or(stored.kind),
            key: wanted.access_key.unwrap_or(stored.key),
            secret: wanted.access_secret.unwrap_or(stored.secret),
        });
    }
    check(call, &registry)?;
    Ok(Reply::done())
}
