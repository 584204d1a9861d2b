//! `database`: the schema of a Harbor's database, and the encryption of its credentials.

use crate::output::{Error, Failure, print};
use clap::{Args, Subcommand};
use database::{
    Connection, Settings,
    encryption::{Key, Reencrypted},
    schema::{File, Finding, Repair, Row, Schema, Session},
};
use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// Look at, and repair, the database of a Harbor
///
/// Connects with the settings of Core's container: $POSTGRESQL_HOST, $POSTGRESQL_PORT, $POSTGRESQL_USERNAME,
/// $POSTGRESQL_PASSWORD, $POSTGRESQL_DATABASE and $POSTGRESQL_SSLMODE. $POSTGRESQL_SSLROOTCERT names a PEM file with
/// authorities, or a folder of such files.
///
/// The operator runs these commands in a pod when you ask for that: see the page "Upgrade".
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  harbor-operator database schema
  harbor-operator database repair-schema
  harbor-operator database reencrypt --old-key old --new-key new")]
pub struct Database {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the version of the schema, and whether its newest file has been applied
    Schema,

    /// Repair a schema that Core refuses because it is dirty
    ///
    /// Waits until no backend of PostgreSQL can still execute the newest file. Then it looks whether the file has been
    /// applied. If it has, the schema is no longer dirty; if it has not, the version becomes that of the file before, and Core
    /// executes the file again. What the tables do not prove is refused. Nothing but table schema_migrations is written.
    RepairSchema,

    /// Encrypt the credentials in the database with another key
    ///
    /// No Core may run meanwhile. All credentials change in one transaction: endpoints of registries, scanners and preheat
    /// instances, LDAP and OIDC, and tokens of users who log in with OIDC. If one of them cannot be decrypted, nothing
    /// changes. To run it again is safe. Give Core the new key afterwards.
    Reencrypt(Keys),
}

/// The files have the key and nothing else, as the file in Core's container.
#[derive(Debug, Args)]
struct Keys {
    /// File with the key that the credentials are encrypted with
    #[arg(long, value_name = "FILE")]
    old_key: PathBuf,

    /// File with the key that they shall be encrypted with: 16, 24 or 32 bytes
    #[arg(long, value_name = "FILE")]
    new_key: PathBuf,

    /// Only check that every credential can be decrypted. Core may run meanwhile
    #[arg(long)]
    check: bool,
}

impl Keys {
    fn read(&self) -> Result<(Key, Key), Error> {
        Ok((key("--old-key", &self.old_key)?, key("--new-key", &self.new_key)?))
    }
}

fn key(flag: &str, file: &Path) -> Result<Key, Error> {
    let problem = |problem: String| {
        Error::input(format_args!("{flag} {}", file.display()), problem, "name the file of a key")
    };
    let bytes = fs::read(file).map_err(|error| problem(error.to_string()))?;
    Key::new(&bytes).map_err(|error| problem(error.to_string()))
}

impl Database {
    /// Runs the command.
    pub fn run(self) -> Result<(), Failure> {
        let settings = Settings::read(|name| env::var(name).ok());
        let settings = settings.map_err(|error| Error::Database(error.to_string()))?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::Database(error.to_string()))?;
        Ok(runtime.block_on(self.action.perform(&settings))?)
    }
}

impl Action {
    async fn perform(self, settings: &Settings) -> Result<(), Error> {
        let open = async || Connection::open(settings).await.map_err(failed);
        match self {
            Self::Schema => print(&text(&open().await?.schema().await.map_err(failed)?)),
            Self::RepairSchema => {
                let mut connection = open().await?;
                print(&text(&connection.schema().await.map_err(failed)?))?;
                // A reader that closes the pipe does not stop a repair.
                let waiting = |sessions: &[Session]| drop(print(&waits(sessions)));
                print(&repaired(connection.repair_schema(waiting).await.map_err(failed)?))
            }
            Self::Reencrypt(keys) => {
                let (old, new) = keys.read()?;
                let mut connection = open().await?;
                if keys.check {
                    connection.can_reencrypt(&old, &new).await.map_err(failed)?;
                    return print("the credentials can be encrypted with the new key\n");
                }
                print(&reencrypted(connection.reencrypt(&old, &new).await.map_err(failed)?))
            }
        }
    }
}

fn failed(error: impl std::error::Error) -> Error {
    Error::Database(error.to_string())
}

/// The state of a schema.
fn text(schema: &Schema) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &dyn std::fmt::Display| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{name:<17}{value}");
    };
    let harbors = |version| File::numbered(version).map_or_else(|| "unknown".to_owned(), File::harbors);
    match &schema.finding {
        Finding::New => line("schema version", &"none: no Core has migrated this database"),
        Finding::Clean { version } => {
            line("schema version", version);
            line("dirty", &"no");
            line("Harbor", &harbors(*version));
        }
        Finding::Dirty { version, file } => {
            line("schema version", version);
            line("dirty", &"yes");
            line("Harbor", &harbors(*version));
            line(&format!("file {version}"), file);
        }
    }
    for session in &schema.migrating {
        line("is in use by", session);
    }
    text
}

fn waits(sessions: &[Session]) -> String {
    let sessions: Vec<_> = sessions.iter().map(ToString::to_string).collect();
    format!("waiting for the end of {}\n", sessions.join("; "))
}

fn repaired(repair: Repair) -> String {
    match repair {
        Repair::Nothing => "nothing to repair\n".into(),
        Repair::Set(Row { version, .. }) => {
            format!("repaired: the schema has version {version}, and is not dirty\n")
        }
    }
}

fn reencrypted(outcome: Reencrypted) -> String {
    match outcome {
        Reencrypted::Now(1) => "1 credential is encrypted with the new key now\n".into(),
        Reencrypted::Now(number) => format!("{number} credentials are encrypted with the new key now\n"),
        Reencrypted::Before => "the credentials were encrypted with the new key before\n".into(),
    }
}
