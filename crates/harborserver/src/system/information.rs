//! What Harbor says about itself: version, settings, volumes and certificate.

use crate::{
    call::Call,
    clock::date_time,
    failure::Failure,
    rest::{Reply, Shown},
    version::Change,
};
use serde_json::json;

/// Strangers learn less.
pub(super) fn read(call: &mut Call<'_>) -> Result<Reply, Failure> {
    let setting = |name: &str| call.data.configuration.get(name, call.now);
    let known = !call.identity.is_anonymous();
    let installation = &call.runtime.installation;
    let version = format!("v{}-{}", call.version(), installation.commit);
    let oidc = call.data.configuration.text("auth_mode", call.now) == "oidc_auth";
    let provider = if oidc { setting("oidc_name") } else { "".into() };
    let mut shown = Shown::new()
        .with("auth_mode", setting("auth_mode"))
        .with("self_registration", setting("self_registration"))
        .when(call.version().minor() >= 8, "primary_auth_mode", setting("primary_auth_mode"))
        .when(call.has(Change::DroppedNotary), "banner_message", setting("banner_message"))
        .when(call.has(Change::TellsOidcProvider), "oidc_provider_name", provider)
        .when(known || !call.has(Change::HidesVersion), "harbor_version", version);
    if known {
        shown = shown
            .with("current_time", date_time(call.now))
            .with("external_url", installation.external_url.as_str())
            .with("registry_url", installation.registry_host())
            .with("registry_storage_provider_name", installation.storage.as_str())
            .with("has_ca_root", installation.has_ca_root)
            .with("read_only", setting("read_only"))
            .with("notification_enable", setting("notification_enable"))
            .with("project_creation_restriction", setting("project_creation_restriction"))
            .when(!call.has(Change::DroppedNotary), "with_notary", false)
            .when(!call.has(Change::DroppedCharts), "with_chartmuseum", false);
    }
    Ok(Reply::json(shown))
}

/// Meaningless in a container, and so it looks.
pub(super) fn volumes(call: &mut Call<'_>) -> Result<Reply, Failure> {
    call.on_system("system-volumes", "read")?;
    Ok(Reply::json(json!({ "storage": [{}] })))
}

pub(super) fn certificate(call: &mut Call<'_>) -> Result<Reply, Failure> {
    if !call.runtime.installation.has_ca_root {
        return Err(Failure::not_found("certificate not found"));
    }
    Ok(Reply::text("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"))
}
