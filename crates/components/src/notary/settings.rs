//! Settings that both programs read, and the Secret they are in.

use super::Database;
use crate::{pods::Instance, secrets::SecretKey};
use api::v1beta1::notary::NotaryLoggingSpec;
use k8s_openapi::api::core::v1::Secret;
use plan::PlanError;
use serde::Serialize;

/// Key of the Secret, and environment variable, of the URL of the database.
pub(super) const URL: &str = "DB_URL";

/// Logging.
#[derive(Serialize)]
pub(crate) struct Logging {
    level: &'static str,
}

impl Logging {
    /// What a spec wants; Notary itself would log errors only.
    pub fn of(spec: Option<&NotaryLoggingSpec>) -> Self {
        Self { level: spec.map(|spec| spec.level).unwrap_or_default().as_str() }
    }
}

/// The database.
#[derive(Serialize)]
pub(crate) struct Storage {
    backend: &'static str,
    db_url: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_alias: Option<&'static str>,
}

impl Storage {
    /// A database, and which of the passwords encrypts new keys in it, if there are any.
    pub fn of(database: &Database<'_>, default_alias: Option<&'static str>) -> Self {
        Self { backend: "postgres", db_url: database.to_string(), default_alias }
    }
}

/// How long clients may keep what they got.
#[derive(Serialize)]
pub(crate) struct Caching {
    max_age: MaxAge,
}

#[derive(Serialize)]
struct MaxAge {
    current_metadata: u32,
    consistent_metadata: u32,
}

impl Default for Caching {
    /// Five minutes for what may change, a year for what cannot.
    fn default() -> Self {
        Self { max_age: MaxAge { current_metadata: 300, consistent_metadata: 31_536_000 } }
    }
}

/// The Secret of a program: its settings as the file called `name`, and the URL the migration takes from it.
pub(crate) fn secret(
    instance: &Instance<'_>,
    name: &str,
    settings: &impl Serialize,
    database: &Database<'_>,
) -> Result<Secret, PlanError> {
    let file = serde_json::to_vec_pretty(settings).map_err(|_| {
        PlanError::invalid("spec", "cannot be written as a configuration file", "report it as a defect")
    })?;
    Ok(instance.secret([(name, file), (URL, database.to_string().into_bytes())]))
}

/// Where the Secret of a program has the URL of its database.
pub(crate) fn url<'a>(instance: &'a Instance<'_>) -> SecretKey<'a> {
    SecretKey::new(&instance.name, URL)
}
