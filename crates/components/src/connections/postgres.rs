//! The PostgreSQL database of Harbor's own components.

use crate::{
    pods::Environment,
    secrets::{SecretKey, Secrets},
    values::Fault,
};
use api::v1beta1::postgres::{HarborDatabaseSpec, PostgresConnection, PostgresCredentials};
use plan::{All, PlanError, Violation};

/// Key of a Secret that holds a password.
const PASSWORD: &str = "postgres-password";

/// The `sslmode` unless the spec sets it. With Harbor's own default, `disable`, it cannot reach a server that
/// requires TLS. Every version's driver supports `prefer`.
const DEFAULT_SSL_MODE: &str = "prefer";

/// A database that Harbor can connect to.
///
/// Harbor supports one host: before it connects it waits until `host:port` accepts connections, which fails for
/// a list. Of several hosts the operator uses the first; for fail-over, users name a Service in front of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Database<'a> {
    host: &'a str,
    port: i32,
    username: Option<&'a str>,
    password: Option<SecretKey<'a>>,
    name: Option<&'a str>,
    ssl_mode: &'a str,
}

/// Advice for a Harbor or a HarborCluster that names several servers at `field`. Only objects older than the
/// rule that refuses them can, so their Harbor must keep running.
pub(crate) fn postgres_advice(database: &HarborDatabaseSpec, field: &str) -> Option<Violation> {
    let [first, _, ..] = &database.hosts[..] else { return None };
    Some(Violation {
        subject: format!("{field}.hosts"),
        problem: format!("Harbor connects to the first, {}, and never to another", first.host),
        remedy: "name one address that follows the primary, such as a Service".into(),
    })
}

/// The key of the Secret that holds the password, if the spec names one.
pub(crate) fn postgres_password_key(credentials: &PostgresCredentials) -> Option<SecretKey<'_>> {
    let key = credentials.password_key.as_deref().unwrap_or(PASSWORD);
    credentials.password_ref.as_ref().map(|secret| SecretKey::new(secret, key))
}

impl<'a> Database<'a> {
    /// The database that a spec describes at `field`, validated.
    ///
    /// Harbor joins the values with spaces and without quotes, so no value may be empty, contain white space or
    /// begin with a quote.
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
            password.map(|key| secrets.checked(&key, one_word)).transpose(),
        )
            .all()?;
        Ok(Self { host, port, username, password, name, ssl_mode: ssl_mode.unwrap_or(DEFAULT_SSL_MODE) })
    }

    /// Everything by which this access differs from another one, with the password.
    pub fn identity(&self, secrets: &Secrets<'_>) -> Result<Vec<u8>, PlanError> {
        let password = self.password.map(|key| secrets.value(&key)).transpose()?;
        let words = [Some(self.host), self.username, self.name, Some(self.ssl_mode)];
        let words = words.map(Option::unwrap_or_default).join(" ");
        let password = password.as_ref().map_or(&[][..], |password| password.bytes());
        Ok([format!("{words} {} ", self.port).as_bytes(), password].concat())
    }

    /// The database settings of Harbor. Harbor's defaults apply to what is not set, except for TLS.
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
    /// The database settings of Harbor's exporter. It has no defaults, so those of Core are set.
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

/// Refuses an invalid port: Harbor would silently use another one.
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

/// In a connection string, PostgreSQL's clients read a leading quote as the start of a quoted value, and a
/// backslash as the escape of a quote, a backslash or a space.
fn misread(how: &str) -> Fault {
    Fault::new(
        format!("{how}, which Harbor passes on to the database unescaped, so that it is misread"),
        "use one that does not",
    )
}
