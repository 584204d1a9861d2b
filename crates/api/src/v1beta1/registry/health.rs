//! What the registry checks to be healthy.

use crate::v1beta1::{
    defaults::{int, on},
    duration::{GoDuration, seconds},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the registry checks to be healthy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryHealthSpec {
    /// The storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_driver: Option<RegistryStorageCheckSpec>,

    /// Files whose existence means trouble.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub file: Vec<RegistryFileCheckSpec>,

    /// URLs that must answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http: Vec<RegistryHttpCheckSpec>,

    /// Ports that must be open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tcp: Vec<RegistryTcpCheckSpec>,
}

/// A check of the storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryStorageCheckSpec {
    /// Whether the storage is checked. Defaults to true.
    #[serde(default = "on")]
    pub enabled: bool,

    /// Time between checks. Defaults to 5s.
    #[serde(default = "seconds::<5>")]
    pub interval: GoDuration,

    /// Failures in a row that make the check fail. Defaults to 3.
    #[serde(default = "int::<3>")]
    #[schemars(extend("minimum" = 0, "exclusiveMinimum" = true))]
    pub threshold: i32,
}

default_is_the_empty_object!(RegistryStorageCheckSpec);

/// A check for a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryFileCheckSpec {
    /// Path of the file.
    pub path: String,

    /// Time between checks. Defaults to 5s.
    #[serde(default = "seconds::<5>")]
    pub interval: GoDuration,
}

/// A check of a URL.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryHttpCheckSpec {
    /// The URL.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub uri: String,

    /// Headers of the request.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Vec<String>>,

    /// Status the answer must have. Defaults to 200.
    #[serde(default = "int::<200>", rename = "statuscode")]
    #[schemars(range(min = 0))]
    pub status_code: i32,

    /// How long the answer may take. Defaults to 5s.
    #[serde(default = "seconds::<5>")]
    pub timeout: GoDuration,

    /// Time between checks. Defaults to 5s.
    #[serde(default = "seconds::<5>")]
    pub interval: GoDuration,

    /// Failures in a row that make the check fail. Defaults to 3.
    #[serde(default = "int::<3>")]
    #[schemars(range(min = 0))]
    pub threshold: i32,
}

/// A check of a port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryTcpCheckSpec {
    /// Host and port.
    pub address: String,

    /// How long connecting may take. Defaults to 5s.
    #[serde(default = "seconds::<5>")]
    pub timeout: GoDuration,

    /// Time between checks. Defaults to 5s.
    #[serde(default = "seconds::<5>")]
    pub interval: GoDuration,

    /// Failures in a row that make the check fail. Defaults to 3.
    #[serde(default = "int::<3>")]
    #[schemars(range(min = 0))]
    pub threshold: i32,
}
