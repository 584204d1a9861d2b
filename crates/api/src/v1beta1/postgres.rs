//! Connections to PostgreSQL.

use super::{defaults::int, duration::GoDuration, name::ObjectName};
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The database user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostgresCredentials {
    /// User to connect as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub username: Option<String>,

    /// Secret whose key `postgres-password` holds the password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_ref: Option<ObjectName>,

    /// Key of that Secret, where it is not `postgres-password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[-._a-zA-Z0-9]+$"))]
    pub password_key: Option<String>,
}

/// One PostgreSQL server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostgresHostSpec {
    /// Host name or address.
    #[schemars(length(min = 1))]
    pub host: String,

    /// Port. 5432 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "exclusiveMinimum" = true))]
    pub port: Option<i32>,
}

/// A connection to one database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostgresConnection {
    /// The database user.
    #[serde(flatten)]
    pub credentials: PostgresCredentials,

    /// The server. Core and the exporter use the first one and no other; Notary tries all. For fail-over name an address
    /// that follows the primary, such as a Service or a pooler.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(min = 1))]
    pub hosts: Vec<PostgresHostSpec>,

    /// Name of the database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub database: Option<String>,

    /// Connection parameters as libpq knows them, such as `sslmode`, which is prefer for Core and the exporter unless
    /// set.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
}

/// The database Core keeps its state in, and how much of it one pod may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreDatabaseSpec {
    /// The connection.
    #[serde(flatten)]
    pub connection: PostgresConnection,

    /// Secret whose key `secret` holds the key that encrypts secrets in the database.
    pub encryption_key_ref: ObjectName,

    /// Most connections kept open while unused. Defaults to 50.
    #[serde(default = "int::<50>")]
    #[schemars(range(min = 0))]
    pub max_idle_connections: i32,

    /// Most connections open at once. Defaults to 1000.
    #[serde(default = "int::<1000>")]
    #[schemars(range(min = 0))]
    pub max_open_connections: i32,

    /// How long connections live.
    #[serde(flatten)]
    pub lifetime: ConnectionLifetimeSpec,
}

/// How long connections to the database live. Harbor 2.7 and later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionLifetimeSpec {
    /// Longest life of a connection. 5m unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_max_lifetime: Option<GoDuration>,

    /// Longest time a connection stays open unused. No limit unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_max_idle_time: Option<GoDuration>,
}

/// An existing PostgreSQL cluster; Harbor chooses the database per component.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborDatabaseSpec {
    /// The database user.
    #[serde(flatten)]
    pub credentials: PostgresCredentials,

    /// The server: one. Harbor waits for a single host and port before it connects, so it cannot fail over to another;
    /// name an address that follows the primary, such as a Service or a pooler. An object that has several from before is
    /// accepted, and the first is used.
    #[schemars(length(min = 1))]
    #[x_kube(validation = Rule::new("self.size() <= 1 || (oldSelf.hasValue() && oldSelf.value().size() > 1)")
        .message("hosts: Harbor connects to one server; name an address that follows the primary, such as a Service")
        .optional_old_self(true))]
    pub hosts: Vec<PostgresHostSpec>,

    /// How TLS protects connections. prefer unless set: TLS where the server offers it. Notary, which does not know that
    /// mode, insists on TLS then; for a server without TLS, set disable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "PostgresSslMode")]
    pub ssl_mode: Option<PostgresSslMode>,

    /// Text before the name of every database: prefix `a-` gives `a-core`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,

    /// Name of Harbor's database, such as `registry`, which the Helm chart calls it. `core` after the prefix unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 63), regex(pattern = r"^[^\s'\\]+$"))]
    pub name: Option<String>,
}

/// How TLS protects a connection, as libpq names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PostgresSslMode {
    /// No TLS.
    Disable,
    /// TLS only if the server insists.
    Allow,
    /// TLS if the server offers it.
    Prefer,
    /// TLS, without checking who the server is.
    Require,
    /// TLS with a server certificate from a trusted authority.
    VerifyCa,
    /// TLS with a server certificate from a trusted authority and for the right host.
    VerifyFull,
}

impl PostgresSslMode {
    /// The mode as libpq spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Allow => "allow",
            Self::Prefer => "prefer",
            Self::Require => "require",
            Self::VerifyCa => "verify-ca",
            Self::VerifyFull => "verify-full",
        }
    }
}
