//! What the two Notary components share.

use super::postgres::PostgresConnection;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The database of a Notary component.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotaryStorageSpec {
    /// The connection.
    pub postgres: PostgresConnection,
}

/// Logging of a Notary component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotaryLoggingSpec {
    /// Least severe messages that are logged. Defaults to info.
    #[serde(default)]
    pub level: NotaryLogLevel,
}

default_is_the_empty_object!(NotaryLoggingSpec);

/// Severity of Notary's log messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NotaryLogLevel {
    /// Everything.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// What may become a problem.
    Warning,
    /// What went wrong.
    Error,
    /// What ends the process.
    Fatal,
    /// What crashes the process.
    Panic,
}

impl NotaryLogLevel {
    /// The level as Notary spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
            Self::Panic => "panic",
        }
    }
}
