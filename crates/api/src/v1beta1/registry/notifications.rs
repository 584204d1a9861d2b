//! Receivers of notifications about pushes and pulls.

use crate::v1beta1::{
    defaults::{int, on},
    duration::{GoDuration, seconds},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Receivers of notifications about pushes and pulls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryNotificationsSpec {
    /// Endpoints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<RegistryNotificationEndpointSpec>,

    /// Events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<RegistryNotificationEventsSpec>,
}

/// Events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryNotificationEventsSpec {
    /// Whether events say what a manifest refers to. Defaults to true.
    #[serde(default = "on")]
    pub include_references: bool,
}

default_is_the_empty_object!(RegistryNotificationEventsSpec);

/// One endpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryNotificationEndpointSpec {
    /// Name of the endpoint, unique in the list.
    pub name: String,

    /// URL events are sent to.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,

    /// Whether nothing is sent. Defaults to false.
    #[serde(default)]
    pub disabled: bool,

    /// Headers of the requests.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, Vec<String>>,

    /// How long an answer may take. Defaults to 5s.
    #[serde(default = "seconds::<5>")]
    pub timeout: GoDuration,

    /// Failures in a row after which sending pauses. Defaults to 3.
    #[serde(default = "int::<3>")]
    #[schemars(range(min = 0))]
    pub threshold: i32,

    /// How long sending pauses. Defaults to 10s.
    #[serde(default = "seconds::<10>")]
    pub backoff: GoDuration,

    /// Media types nothing is sent about. Prefer `ignore.mediaTypes`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored_media_types: Vec<String>,

    /// What nothing is sent about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignore: Option<RegistryNotificationIgnoreSpec>,
}

/// What nothing is sent about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryNotificationIgnoreSpec {
    /// Media types.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub media_types: Vec<String>,

    /// Actions, such as `pull`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<String>,
}
