//! Settings of JobService that a Harbor passes on as they are.

use crate::v1beta1::duration::GoDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of JobService, inlined into the specs of JobService and of a Harbor's `jobservice`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobServiceSettingsSpec {
    /// Webhooks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhooks: Option<JobServiceWebhooksSpec>,

    /// When jobs that make no progress are given up. Harbor 2.8 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reaper: Option<JobServiceReaperSpec>,

    /// How long one request to a registry may take, in whole minutes. 30m unless set. Harbor 2.7 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_http_client_timeout: Option<GoDuration>,
}

/// Webhooks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobServiceWebhooksSpec {
    /// How often a webhook is tried; 1 is once. Unless set 3, and 10 before Harbor 2.8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_retries: Option<i32>,

    /// How long one try may take, in whole seconds. 3s unless set. Harbor 2.8 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<GoDuration>,
}

/// When jobs that make no progress are given up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobServiceReaperSpec {
    /// Hours a running job may go without news. 24 unless set, and at least 24.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 24))]
    pub max_update_hours: Option<i32>,

    /// Hours a job may be left over. 168 unless set, and at least 168.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 168))]
    pub max_dangling_hours: Option<i32>,
}
