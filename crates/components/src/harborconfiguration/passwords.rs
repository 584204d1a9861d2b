//! The settings that Harbor does not show. The spec has the names of Secrets, in which the key is the name of
//! the setting.

use crate::{management, secrets::Secrets};
use api::v1beta1::harborconfiguration::HarborConfigurationSettings;
use plan::{All as _, PlanError};
use serde_json::{Map, Value};

/// The passwords, by setting.
pub(super) fn passwords(
    settings: &HarborConfigurationSettings,
    secrets: &Secrets<'_>,
) -> Result<Map<String, Value>, PlanError> {
    let read = references(settings).map(|(key, secret)| {
        let password = management::text(secrets, secret, key)?;
        Ok((key.to_owned(), Value::from(password)))
    });
    Ok(read.collect::<Vec<_>>().all()?.into_iter().collect())
}

/// The settings, each with the name of its Secret.
pub(super) fn references(
    settings: &HarborConfigurationSettings,
) -> impl Iterator<Item = (&'static str, &str)> {
    let references = [
        ("ldap_search_password", &settings.ldap.ldap_search_password),
        ("oidc_client_secret", &settings.oidc.oidc_client_secret),
        ("uaa_client_secret", &settings.uaa.uaa_client_secret),
        ("email_password", &settings.email.email_password),
    ];
    let named = references.into_iter().filter_map(|(key, secret)| Some((key, secret.as_deref()?)));
    // The old operator took an empty name for none.
    named.filter(|(_, secret)| !secret.is_empty())
}
