//! Settings of both programs, and the Secret with them.

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
    /// The level of a spec; Notary's own default logs errors only.
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
    /// A database, and the alias of the password that encrypts new keys in it, if it has any.
    pub fn of(database: &Database<'_>, default_alias: Option<&'static str>) -> Self {
        Self { backend: "postgres", db_url: database.to_string(), default_alias }
    }
}

/// How long clients may cache responses.
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
    /// Five minutes for responses that may change, a year for those that cannot.
    fn default() -> Self {
        Self { max_age: MaxAge { current_metadata: 300, consistent_metadata: 31_536_000 } }
    }
}

/// The Secret of a program: its settings as the file `name`, and the URL for the migration.
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

/// The key with the URL of the database in the Secret of a program.
pub(crate) fn url<'a>(instance: &'a Instance<'_>) -> SecretKey<'a> {
    SecretKey::new(&instance.name, URL)
}
