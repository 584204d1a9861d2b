//! Logging of the registry.

use crate::v1beta1::name::ObjectName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Logging of the registry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryLogSpec {
    /// Least severe messages that are logged. Defaults to info.
    #[serde(default)]
    pub level: RegistryLogLevel,

    /// Format of messages. Defaults to text.
    #[serde(default)]
    pub formatter: RegistryLogFormatter,

    /// Fields of every message.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,

    /// The log of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_log: Option<RegistryAccessLogSpec>,

    /// What else happens with messages, such as mails about errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<RegistryLogHookSpec>,
}

/// The log of requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryAccessLogSpec {
    /// Whether requests are not logged. Defaults to false.
    #[serde(default)]
    pub disabled: bool,
}

/// Something that happens with messages.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryLogHookSpec {
    /// Kind of hook.
    #[serde(rename = "type")]
    pub type_: String,

    /// Levels of messages it happens with.
    pub levels: Vec<String>,

    /// Secret whose keys are the options of the hook.
    pub options_ref: ObjectName,
}

/// Format of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RegistryLogFormatter {
    /// Plain text.
    #[default]
    Text,
    /// JSON.
    Json,
    /// JSON as Logstash expects it.
    Logstash,
}

impl RegistryLogFormatter {
    /// The value as the registry spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Logstash => "logstash",
        }
    }
}

/// Severity of the registry's log messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RegistryLogLevel {
    /// Everything.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// What may become a problem.
    Warning,
    /// What went wrong.
    Error,
}

impl RegistryLogLevel {
    /// The level as the registry spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
