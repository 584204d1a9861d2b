//! The migration of the database before a program starts.

use super::settings::{self, URL};
use crate::pods::{Environment, Instance};

/// Runs a program, after the migration if it is enabled.
///
/// The shell reads the URL from the environment, where it comes from a Secret. `exec` replaces the shell with
/// the program; otherwise the program would not receive signals.
pub(crate) fn command(program: &str, settings: &str, migration: Option<bool>) -> Vec<String> {
    let migrate = if migrates(migration) {
        format!("migrate-patch -database=\"${URL}\" && /migrations/migrate.sh && ")
    } else {
        String::new()
    };
    vec!["-c".into(), format!("{migrate}exec {program} -config {settings}")]
}

/// The environment of the migration; `half` is `server` or `signer`.
pub(crate) fn environment(half: &str, instance: &Instance<'_>, migration: Option<bool>) -> Environment {
    let none = Environment::default();
    if !migrates(migration) {
        return none;
    }
    none.with_secret(URL, &settings::url(instance))
        .with("MIGRATIONS_PATH", format_args!("/migrations/{half}/postgresql"))
        .with("SERVICE_NAME", format_args!("notary_{half}"))
}

fn migrates(migration: Option<bool>) -> bool {
    migration.unwrap_or(true)
}
