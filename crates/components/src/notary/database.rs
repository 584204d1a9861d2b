//! The PostgreSQL database of Notary.

use crate::{
    connections::{Address, PercentEncoded, Server, postgres_password_key, restarts},
    pods::Instance,
    secrets::{SecretValue, Secrets},
    values::not_empty,
};
use api::v1beta1::postgres::PostgresConnection;
use plan::{All, PlanError, RestartOrder};
use std::fmt;

/// The modes that Notary's PostgreSQL client supports.
const SSL_MODES: [&str; 4] = ["disable", "require", "verify-ca", "verify-full"];

/// A database that Notary can connect to.
///
/// Notary supports one host: its PostgreSQL client reads a list as one address, which does not exist. Of
/// several hosts the operator uses the first; for fail-over, users name a Service in front of them.
pub(crate) struct Database<'a> {
    connection: &'a PostgresConnection,
    host: Address<'a>,
    password: Option<SecretValue>,
}

impl<'a> Database<'a> {
    /// The database that a spec describes at `field`, validated.
    pub fn of(
        connection: &'a PostgresConnection,
        field: &str,
        secrets: &Secrets<'_>,
    ) -> Result<Self, PlanError> {
        let key = postgres_password_key(&connection.credentials);
        let server = connection.hosts.first().filter(|server| !server.host.is_empty()).ok_or_else(|| {
            PlanError::invalid(format_args!("{field}.hosts"), "is empty", "name the host of the database")
        });
        let (server, password, ()) = (
            server,
            key.map(|key| secrets.checked(&key, not_empty)).transpose(),
            known_mode(connection.parameters.get("sslmode"), field),
        )
            .all()?;
        Ok(Self { connection, host: Address(&server.host, server.port.unwrap_or(5432)), password })
    }

    /// After which components the pods of a program restart for another password, if those have the same one.
    pub fn restarts(&self, program: &Instance<'_>) -> Vec<RestartOrder> {
        restarts(program, [(Server::Database, postgres_password_key(&self.connection.credentials))])
    }
}

/// Refuses `allow` and `prefer`, with which Notary exits when it starts.
fn known_mode(mode: Option<&String>, field: &str) -> Result<(), PlanError> {
    match mode.map(String::as_str) {
        None | Some("") => Ok(()),
        Some(mode) if SSL_MODES.contains(&mode) => Ok(()),
        Some(mode) => Err(PlanError::invalid(
            format_args!("{field}.parameters.sslmode"),
            format!("{mode:?} is not known to Notary"),
            "use disable, require, verify-ca or verify-full; where a Harbor describes it, set its sslMode",
        )),
    }
}

/// The URL. It contains the password, so it belongs in a Secret.
impl fmt::Display for Database<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PostgresConnection { credentials, database, parameters, .. } = self.connection;
        write!(f, "postgres://")?;
        if credentials.username.is_some() || self.password.is_some() {
            write!(f, "{}", PercentEncoded(credentials.username.as_deref().unwrap_or_default().as_bytes()))?;
            if let Some(password) = &self.password {
                write!(f, ":{}", PercentEncoded(password.bytes()))?;
            }
            write!(f, "@")?;
        }
        write!(f, "{}/{}", self.host, PercentEncoded(database.as_deref().unwrap_or_default().as_bytes()))?;
        let set = parameters.iter().filter(|(_, value)| !value.is_empty());
        for (number, (name, value)) in set.enumerate() {
            let separator = if number == 0 { '?' } else { '&' };
            write!(f, "{separator}{}={}", PercentEncoded(name.as_bytes()), PercentEncoded(value.as_bytes()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::v1beta1::postgres::PostgresHostSpec;

    fn connection() -> PostgresConnection {
        PostgresConnection {
            hosts: vec![PostgresHostSpec { host: "db".into(), port: None }],
            database: Some("notary".into()),
            ..PostgresConnection::default()
        }
    }

    fn url(connection: &PostgresConnection) -> String {
        let host = Address(&connection.hosts[0].host, 5432);
        Database { connection, host, password: None }.to_string()
    }

    #[test]
    fn a_user_without_a_password_is_passed_on() {
        let mut connection = connection();
        connection.credentials.username = Some("harbor@x".into());
        assert_eq!(url(&connection), "postgres://harbor%40x@db:5432/notary");
    }

    #[test]
    fn what_is_set_to_nothing_is_left_out() {
        let mut connection = connection();
        for (name, value) in [("a", "1&2"), ("b", ""), ("sslmode", "require")] {
            connection.parameters.insert(name.into(), value.into());
        }
        assert_eq!(url(&connection), "postgres://db:5432/notary?a=1%262&sslmode=require");
    }

    #[test]
    fn modes_that_would_stop_notary_are_refused() {
        let mode = |mode: &str| known_mode(Some(&mode.to_owned()), "spec.storage.postgres");
        for known in ["", "disable", "require", "verify-ca", "verify-full"] {
            assert_eq!(mode(known), Ok(()), "{known}");
        }
        for unknown in ["allow", "prefer"] {
            let error = mode(unknown).unwrap_err().to_string();
            assert!(error.contains(&format!("sslmode: {unknown:?} is not known to Notary")), "{error}");
        }
    }
}
