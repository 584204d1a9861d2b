//! Settings of Core that a Harbor passes on as they are.

use crate::v1beta1::{duration::GoDuration, name::ObjectName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings of Core, inlined into the specs of Core and of a Harbor's `core`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreSettingsSpec {
    /// Where the use of quotas is counted: db, or redis for many pushes at once. Harbor 2.9 and later; db unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "QuotaProvider")]
    pub quota_provider: Option<QuotaProvider>,

    /// What is kept of deleted users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gdpr: Option<GdprSpec>,

    /// The audit log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_log: Option<AuditLogSpec>,

    /// How long pull times and counts are collected before they are written to the database. 10s unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_pull_async_flush_duration: Option<GoDuration>,

    /// Hours for which garbage collection leaves a new blob alone, so that it removes nothing of a push under way. 2 unless
    /// set; with less, no image may be pushed during garbage collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub gc_time_window_hours: Option<i32>,

    /// Secret whose key `CONFIG_OVERWRITE_JSON` holds system settings as JSON, such as `{"session_timeout": 120}`. Core
    /// applies them at every start, and users can no longer change settings in the UI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_overwrite_ref: Option<ObjectName>,
}

/// Where the use of quotas is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum QuotaProvider {
    /// In the database.
    Db,
    /// In Redis.
    Redis,
}

impl QuotaProvider {
    /// The value as Core spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Db => "db",
            Self::Redis => "redis",
        }
    }
}

/// What is kept of deleted users.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GdprSpec {
    /// Whether a deleted user's name is replaced by a checksum. Harbor 2.6 and later. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_user: Option<bool>,

    /// Whether it is replaced in the audit log too. Harbor 2.10 and later. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_logs: Option<bool>,
}

/// The audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditLogSpec {
    /// Whether the audit log is only forwarded and not kept in the database, until an administrator decides. Harbor
    /// 2.14.1 and later. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_database: Option<bool>,
}

/// The cache of projects, repositories, artifacts and manifests in Redis. Harbor 2.6 and later.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CacheLayerSpec {
    /// Whether there is one. Defaults to false.
    #[serde(default)]
    pub enabled: bool,

    /// Hours until an entry is forgotten. 24 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub expire_hours: Option<i32>,

    /// Index of a Redis database of its own. Harbor 2.9 and later; Core's unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub database: Option<i32>,
}
