//! How to reach a Harbor.

use plan::Connection;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How to reach a Harbor: what its [`Connection`] contains.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Its address, such as `http://acme-harbor-core`.
    pub url: String,
    /// Whose certificate it may have.
    #[serde(default)]
    pub trust: Trust,
    /// The user name, or the login name of a robot.
    pub username: String,
    /// The password.
    pub password: String,
}

/// Whose certificate a Harbor may have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// One that an authority of the system signed.
    #[default]
    Public,
    /// One that these authorities signed, in PEM format, and no other.
    Authorities(String),
    /// One that these authorities signed, in PEM format, for this name, whatever the address is.
    Service {
        /// The certificates.
        authorities: String,
        /// The name.
        name: String,
    },
    /// Any: anyone on the way can read the password.
    Unverified,
}

impl Access {
    /// The connection that components hand to the driver.
    pub fn connection(&self) -> serde_json::Result<Connection> {
        Ok(Connection::new(serde_json::to_value(self)?))
    }

    /// What a connection contains; `None` if it is not one to a Harbor. There is no error, since it could
    /// show a part of the connection.
    pub fn of(connection: &Connection) -> Option<Self> {
        Self::deserialize(connection.value()).ok()
    }
}

// Not derived: it holds a password.
impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Access")
            .field("url", &self.url)
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Trust};
    use plan::Connection;
    use serde_json::json;

    fn access() -> Access {
        Access {
            url: "https://harbor.example.com".into(),
            trust: Trust::Authorities("PEM".into()),
            username: "admin".into(),
            password: "Harbor12345".into(),
        }
    }

    #[test]
    fn the_driver_reads_what_a_component_wrote() {
        assert_eq!(Access::of(&access().connection().unwrap()), Some(access()));
        assert_eq!(Access::of(&Connection::new(json!({"token": "x"}))), None);
    }

    #[test]
    fn no_debug_output_shows_the_password() {
        assert!(!format!("{:?}", access()).contains("Harbor12345"));
    }
}
