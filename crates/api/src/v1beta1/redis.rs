//! Connections to Redis.

use super::{
    duration::{GoDuration, seconds},
    name::ObjectName,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where Redis is and how to log in; Harbor chooses the database index per component.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisSpec {
    /// Host of the Redis server, or of a sentinel.
    #[schemars(length(min = 1))]
    pub host: String,

    /// Port on that host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "exclusiveMinimum" = true))]
    pub port: Option<i32>,

    /// Name of the master set; its presence says that `host` is a sentinel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentinel_master_set: Option<String>,

    /// Further sentinels, asked when `host` does not answer. Only with `sentinelMasterSet`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sentinels: Vec<RedisHostSpec>,

    /// User to log in as, for servers with access control lists. The default user unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,

    /// Secret whose key `redis-password` holds the password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password_ref: Option<ObjectName>,

    /// Key of that Secret, where it is not `redis-password`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[-._a-zA-Z0-9]+$"))]
    pub password_key: Option<String>,

    /// Secret whose `ca.crt` signs the server's certificate. Turns TLS on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_ref: Option<ObjectName>,

    /// Whether connections use TLS. True if `certificateRef` is set. Without one, the certificate of the server must come
    /// from an authority that the images trust, as that of a managed Redis does. Harbor 2.13 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<bool>,
}

/// The Redis of a Harbor, and which of its databases each component uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborRedisSpec {
    /// The server.
    #[serde(flatten)]
    pub server: RedisSpec,

    /// Indexes of the databases of components. They may be the same: keys have prefixes. A component does not find what it
    /// kept under another index: users log in again, jobs that were queued are lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub databases: Option<RedisDatabasesSpec>,
}

impl From<RedisSpec> for HarborRedisSpec {
    fn from(server: RedisSpec) -> Self {
        Self { server, databases: None }
    }
}

/// Indexes of Redis databases. That of the cache layer is `cacheLayer.database`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisDatabasesSpec {
    /// Of Core: sessions. 0 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 8))]
    pub core: Option<i32>,

    /// Of everything else that Core keeps in Redis: caches, locks, quotas. That of Core unless set. Harbor 2.9 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 8))]
    pub harbor: Option<i32>,

    /// Of the registry: what is known of blobs. 1 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 8))]
    pub registry: Option<i32>,

    /// Of JobService: the queue. 2 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 8))]
    pub jobservice: Option<i32>,

    /// Of ChartMuseum: indexes of charts. 3 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 8))]
    pub chartmuseum: Option<i32>,

    /// Of Trivy: scans and their results. 5 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 8))]
    pub trivy: Option<i32>,
}

/// One sentinel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisHostSpec {
    /// Host name or address.
    #[schemars(length(min = 1))]
    pub host: String,

    /// Port on that host. 26379 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub port: Option<i32>,
}

/// A connection to one Redis database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RedisConnection {
    /// The server.
    #[serde(flatten)]
    pub server: RedisSpec,

    /// Index of the database, 0 to 8. Defaults to 0.
    #[serde(default)]
    #[schemars(range(min = 0, max = 8))]
    pub database: i32,
}

/// A pool of connections to the Redis database that holds JobService's queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobServiceRedisPool {
    /// The connection.
    #[serde(flatten)]
    pub connection: RedisConnection,

    /// Prefix of every key. Unless set, it is unique to the JobService object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,

    /// How long an unused connection stays open. Defaults to 30s.
    #[serde(default = "seconds::<30>")]
    pub idle_timeout: GoDuration,
}
