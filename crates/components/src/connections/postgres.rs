//! PostgreSQL, as Harbor's own components reach it.

use crate::{
    pods::Environment,
    secrets::{SecretKey, Secrets},
    values::Fault,
};
use api::v1beta1::postgres::{HarborDatabaseSpec, PostgresConnection, PostgresCredentials};
use plan::{All, PlanError, Violation};

/// Key of a Secret that holds a password.
const PASSWORD: &str = "postgres-password";

/// How TLS protects connections unless the spec says so. Harbor's own default, `disable`, cannot reach a server that
/// insists on TLS; its driver knows `prefer` in every version.
const DEFAULT_SSL_MODE: &str = "prefer";

/// A database that Harbor can be pointed at.
///
/// Harbor takes one host: before it connects it waits for `host:port` to accept, which a list never does. Of several
/// hosts the first is therefore used, as it always was; for fail-over point it at a Service in front of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Database<'a> {
    host: &'a str,
    port: i32,
    username: Option<&'a str>,
    password: Option<SecretKey<'a>>,
    name: Option<&'a str>,
    ssl_mode: &'a str,
}

/// Tells where a Harbor or a HarborCluster names several servers, at `field`: only objects from before the rule that
/// refuses them can, and their Harbor runs.
pub(crate) fn postgres_advice(database: &HarborDatabaseSpec, field: &str) -> Option<Violation> {
    let [first, _, ..] = &database.hosts[..] else { return None };
    Some(Violation {
        subject: format!("{field}.hosts"),
        problem: format!("Harbor connects to the first, {}, and never to another", first.host),
        remedy: "name one address that follows the primary, such as a Service".into(),
    })
}

/// The key of the Secret that holds a password, if there is to be one.
pub(crate) fn postgres_password_key(credentials: &PostgresCredentials) -> Option<SecretKey<'_>> {
    let key = credentials.password_key.as_deref().unwrap_or(PASSWORD);
    credentials.password_ref.as_ref().map(|secret| SecretKey::new(secret, key))
}

impl<'a> Database<'a> {
    /// The database a spec describes, found usable. `field` is where the spec does so.
    ///
    /// Harbor joins all of it with spaces and without quotes, so none of it may be empty, hold white space or be quoted.
    pub fn of(
        connection: &'a PostgresConnection,
        field: &str,
        secrets: &Secrets<'_>,
    ) -> Result<Self, PlanError> {
        let credentials = &connection.credentials;
        let password = postgres_password_key(credentials);
        let word = |path: &str, value: Option<&'a String>| match value {
            Some(value) => word(format!("{field}.{path}"), value).map(Some),
            None => Ok(None),
        };
        let server = connection.hosts.first().ok_or_else(|| no_host(field));
        let server = server.and_then(|server| {
            let host = self::word(format!("{field}.hosts[0].host"), &server.host);
            (host, port(format!("{field}.hosts[0].port"), server.port.unwrap_or(5432))).all()
        });
        let ((host, port), username, name, ssl_mode, _) = (
            server,
            word("username", credentials.username.as_ref()),
            word("database", connection.database.as_ref()),
            word("parameters.sslmode", connection.parameters.get("sslmode")),
            password.map(|key| secrets.sound(&key, one_word)).transpose(),
        )
            .all()?;
        Ok(Self { host, port, username, password, name, ssl_mode: ssl_mode.unwrap_or(DEFAULT_SSL_MODE) })
    }

    /// Tells Harbor where the database is. What is not set is left to Harbor's default, but for TLS.
    pub fn environment(&self) -> Environment {
        let environment = Environment::default()
            .with("DATABASE_TYPE", "postgresql")
            .with("POSTGRESQL_HOST", self.host)
            .with("POSTGRESQL_PORT", self.port)
            .with_some("POSTGRESQL_USERNAME", self.username);
        let environment = match &self.password {
            Some(key) => environment.with_secret("POSTGRESQL_PASSWORD", key),
            None => environment,
        };
        environment.with_some("POSTGRESQL_DATABASE", self.name).with("POSTGRESQL_SSLMODE", self.ssl_mode)
    }
}

impl Database<'_> {
    /// Tells Harbor's exporter where the database is. It has no defaults, so those of Core are spelt out.
    pub fn exporter_environment(&self) -> Environment {
        let environment = Environment::default()
            .with("HARBOR_DATABASE_HOST", self.host)
            .with("HARBOR_DATABASE_PORT", self.port)
            .with("HARBOR_DATABASE_USERNAME", self.username.unwrap_or("postgres"));
        let environment = match &self.password {
            Some(key) => environment.with_secret("HARBOR_DATABASE_PASSWORD", key),
            None => environment,
        };
        environment
            .with("HARBOR_DATABASE_DBNAME", self.name.unwrap_or("registry"))
            .with("HARBOR_DATABASE_SSLMODE", self.ssl_mode)
    }
}

fn no_host(field: &str) -> PlanError {
    PlanError::invalid(format_args!("{field}.hosts"), "is empty", "name the host of the database")
}

/// Harbor takes a port that is none for another one, without a word.
fn port(field: String, port: i32) -> Result<i32, PlanError> {
    if (1..=65535).contains(&port) {
        return Ok(port);
    }
    Err(PlanError::invalid(
        field,
        format!("there is no port {port}"),
        "use one from 1 to 65535, such as 5432",
    ))
}

fn word(field: String, value: &str) -> Result<&str, PlanError> {
    match one_word(value.as_bytes()) {
        Ok(()) => Ok(value),
        Err(Fault { problem, remedy }) => Err(PlanError::invalid(field, problem, remedy)),
    }
}

fn one_word(value: &[u8]) -> Result<(), Fault> {
    match value.last() {
        None => Err(Fault::new("is empty", "give it a value")),
        Some(b'\n' | b'\r') => Err(Fault::new(
            "ends with a line break, which Harbor cannot pass on to the database",
            "write it without, for example with `printf` instead of `echo`",
        )),
        _ if value.iter().any(u8::is_ascii_whitespace) => Err(Fault::new(
            "contains white space, which Harbor cannot pass on to the database",
            "use one without",
        )),
        Some(b'\\') => Err(misread("ends with a backslash")),
        _ if value.starts_with(b"'") => Err(misread("begins with a single quote")),
        _ if value.windows(2).any(|pair| matches!(pair, [b'\\', b'\\' | b'\''])) => {
            Err(misread("contains a backslash before another one or before a single quote"))
        }
        _ => Ok(()),
    }
}

/// Between two spaces, PostgreSQL's clients take a quote in front for the beginning of a quoted value, and a backslash
/// for a sign that a quote, a backslash or a space belongs to the value.
fn misread(how: &str) -> Fault {
    Fault::new(
        format!("{how}, which Harbor passes on to the database unescaped, so that it is misread"),
        "use one that does not",
    )
}
