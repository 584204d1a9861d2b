//! Where the database is: the settings of Core's container.

use secrecy::SecretString;
use std::path::PathBuf;

/// How to connect to the database of a Harbor.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The role.
    pub username: String,
    /// Its password, if the server asks for one.
    pub password: Option<SecretString>,
    /// The database.
    pub database: String,
    /// Whether the connection is encrypted, and how the server's certificate is verified.
    pub ssl_mode: SslMode,
    /// A PEM file with authorities, or a folder of such files, in addition to those of the system.
    pub authorities: Option<PathBuf>,
}

/// Whether a connection is encrypted, with the words of libpq.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SslMode {
    /// It is not.
    Disable,
    /// It is if the server insists.
    Allow,
    /// It is if the server can.
    #[default]
    Prefer,
    /// It is; any certificate is accepted.
    Require,
    /// It is; an authority must have signed the certificate.
    VerifyCa,
    /// It is; an authority must have signed the certificate for this host.
    VerifyFull,
}

/// Why settings cannot be used. Never contains a value of a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A variable is required.
    #[error("{0} is not set; set it as in the environment of Core")]
    Unset(&'static str),
    /// A variable has a value that it cannot have.
    #[error("{variable}: {problem}")]
    Invalid {
        /// Its name.
        variable: &'static str,
        /// What is wrong, and what is possible.
        problem: String,
    },
}

impl Settings {
    /// Reads the variables. An empty one counts as unset.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingsError> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let port = set(PORT).map(|text| text.parse().ok().filter(|port| *port > 0).ok_or(text)).transpose();
        let port = port
            .map_err(|text| invalid(PORT, format!("there is no port {text:?}; use one from 1 to 65535")))?;
        let ssl_mode = set(SSL_MODE).map(|text| SslMode::parse(&text).ok_or(text)).transpose();
        let ssl_mode = ssl_mode.map_err(|text| {
            let known = "use disable, allow, prefer, require, verify-ca or verify-full";
            invalid(SSL_MODE, format!("there is no mode {text:?}; {known}"))
        })?;
        Ok(Self {
            host: set(HOST).ok_or(SettingsError::Unset(HOST))?,
            port: port.unwrap_or(5432),
            username: set(USERNAME).unwrap_or_else(|| "postgres".into()),
            password: set(PASSWORD).map(SecretString::from),
            database: set(DATABASE).unwrap_or_else(|| "registry".into()),
            ssl_mode: ssl_mode.unwrap_or_default(),
            authorities: set(AUTHORITIES).map(PathBuf::from),
        })
    }

    /// The server, for messages.
    pub(crate) fn server(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

const HOST: &str = "POSTGRESQL_HOST";
const PORT: &str = "POSTGRESQL_PORT";
const USERNAME: &str = "POSTGRESQL_USERNAME";
const PASSWORD: &str = "POSTGRESQL_PASSWORD";
const DATABASE: &str = "POSTGRESQL_DATABASE";
const SSL_MODE: &str = "POSTGRESQL_SSLMODE";
const AUTHORITIES: &str = "POSTGRESQL_SSLROOTCERT";

impl SslMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "disable" => Self::Disable,
            "allow" => Self::Allow,
            "prefer" => Self::Prefer,
            "require" => Self::Require,
            "verify-ca" => Self::VerifyCa,
            "verify-full" => Self::VerifyFull,
            _ => return None,
        })
    }
}

fn invalid(variable: &'static str, problem: String) -> SettingsError {
    SettingsError::Invalid { variable, problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    fn read(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        Settings::read(|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_of_core_is_understood() {
        let settings = read(&[
            ("POSTGRESQL_HOST", "db"),
            ("POSTGRESQL_PORT", "6432"),
            ("POSTGRESQL_USERNAME", "harbor"),
            ("POSTGRESQL_PASSWORD", "p@ss"),
            ("POSTGRESQL_DATABASE", "core"),
            ("POSTGRESQL_SSLMODE", "verify-full"),
            ("POSTGRESQL_SSLROOTCERT", "/harbor_cust_cert"),
        ])
        .unwrap();
        assert_eq!((settings.server().as_str(), settings.username.as_str()), ("db:6432", "harbor"));
        assert_eq!((settings.database.as_str(), settings.ssl_mode), ("core", SslMode::VerifyFull));
        assert_eq!(settings.authorities, Some("/harbor_cust_cert".into()));
        assert_eq!(settings.password.map(|it| it.expose_secret().to_owned()), Some("p@ss".to_owned()));
    }

    #[test]
    fn what_is_not_set_has_the_defaults_of_core_but_for_tls() {
        let settings = read(&[("POSTGRESQL_HOST", "db"), ("POSTGRESQL_SSLMODE", "")]).unwrap();
        assert_eq!((settings.server().as_str(), settings.username.as_str()), ("db:5432", "postgres"));
        assert_eq!((settings.database.as_str(), settings.ssl_mode), ("registry", SslMode::Prefer));
        assert!(settings.password.is_none());
    }

    #[test]
    fn a_wrong_value_is_named_and_a_password_is_never_shown() {
        assert_eq!(read(&[]).unwrap_err(), SettingsError::Unset("POSTGRESQL_HOST"));
        for port in ["0", "65536", "tcp://10.0.0.1:5432"] {
            let error = read(&[("POSTGRESQL_HOST", "db"), ("POSTGRESQL_PORT", port)]).unwrap_err();
            let expected = format!("POSTGRESQL_PORT: there is no port {port:?}; use one from 1 to 65535");
            assert_eq!(error.to_string(), expected);
        }
        let error = read(&[("POSTGRESQL_HOST", "db"), ("POSTGRESQL_SSLMODE", "on")]).unwrap_err();
        assert!(error.to_string().starts_with("POSTGRESQL_SSLMODE: there is no mode \"on\"; use"), "{error}");
        let settings = read(&[("POSTGRESQL_HOST", "db"), ("POSTGRESQL_PASSWORD", "hunter2")]).unwrap();
        assert!(!format!("{settings:?}").contains("hunter2"));
    }
}
