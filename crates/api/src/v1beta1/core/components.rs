//! Where the components Core talks to are.

use crate::v1beta1::{
    name::ObjectName, redis::RedisConnection, registry_access::RegistryAccess, tls::ComponentsTlsSpec,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the components Core talks to are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreComponentsSpec {
    /// JobService.
    pub job_service: CoreJobServiceSpec,

    /// The portal.
    pub portal: CorePortalSpec,

    /// The registry and its controller.
    pub registry: CoreRegistrySpec,

    /// The token service.
    pub token_service: CoreTokenServiceSpec,

    /// ChartMuseum; its presence turns the chart repository on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chart_repository: Option<CoreChartRepositorySpec>,

    /// Trivy; its presence turns vulnerability scans on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trivy: Option<CoreTrivySpec>,

    /// The Notary server; its presence turns content trust on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notary_server: Option<CoreNotaryServerSpec>,

    /// TLS of Core itself and towards the other components.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,
}

/// JobService, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreJobServiceSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,

    /// Secret whose key `secret` JobService authenticates with.
    pub secret_ref: ObjectName,
}

/// The portal, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CorePortalSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,
}

/// The registry, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreRegistrySpec {
    /// Addresses and credentials.
    #[serde(flatten)]
    pub access: RegistryAccess,

    /// The Redis database of the registry's cache, which Core clears when blobs are deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redis: Option<RedisConnection>,

    /// Name of the storage driver the registry uses, for information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub storage_provider_name: Option<String>,

    /// Has no effect: no Harbor since 2.5 compares its database with the registry at start.
    #[serde(default)]
    pub sync: bool,
}

/// The token service, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreTokenServiceSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,

    /// TLS Secret whose `tls.key` signs tokens.
    pub certificate_ref: ObjectName,
}

/// ChartMuseum, seen from Core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreChartRepositorySpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,

    /// Has no effect: ChartMuseum's own setting decides whether chart indexes hold absolute URLs.
    #[serde(default, rename = "absoluteURL")]
    pub absolute_url: bool,

    /// Where chart indexes are cached. Only redis.
    #[serde(default)]
    pub cache_driver: CacheDriver,
}

/// Where chart indexes are cached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CacheDriver {
    /// In Redis.
    #[default]
    Redis,
}

impl CacheDriver {
    /// The value as Core spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Redis => "redis",
        }
    }
}

/// Trivy, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreTrivySpec {
    /// URL of the scanner inside the cluster. Has no effect: Core talks to its adapter.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,

    /// URL of the adapter that speaks Harbor's scanner protocol.
    #[serde(rename = "adapterURL")]
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub adapter_url: String,
}

/// The Notary server, seen from Core.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CoreNotaryServerSpec {
    /// URL inside the cluster.
    #[schemars(regex(pattern = r"^https?://.+$"))]
    pub url: String,
}
