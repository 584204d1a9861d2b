//! The Redis database of the cache. Its password is a secret setting.

use crate::{
    connections::{redis_addresses, redis_master_set},
    values::{go_duration, whole_seconds},
};
use api::v1beta1::{
    GoDuration,
    registry::{RegistryRedisPoolSpec, RegistryRedisSpec},
};
use plan::{All, PlanError};
use serde::Serialize;

/// The timeout of Harbor's own installer. Without one, the registry waits forever.
const DEFAULT_TIMEOUT: &str = "10s";

#[derive(Serialize)]
pub(super) struct Redis<'a> {
    addr: String,
    #[serde(rename = "sentinelMasterSet", skip_serializing_if = "Option::is_none")]
    sentinel_master_set: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<&'a str>,
    db: i32,
    dialtimeout: &'a str,
    readtimeout: &'a str,
    writetimeout: &'a str,
    pool: Pool,
}

#[derive(Serialize)]
struct Pool {
    maxidle: i32,
    maxactive: i32,
    idletimeout: GoDuration,
}

impl<'a> Redis<'a> {
    pub(super) fn of(spec: &'a RegistryRedisSpec) -> Result<Self, PlanError> {
        let server = &spec.connection.server;
        let (dialtimeout, readtimeout, writetimeout, pool) = (
            timeout(spec.dial_timeout.as_ref(), "dialTimeout"),
            timeout(spec.read_timeout.as_ref(), "readTimeout"),
            timeout(spec.write_timeout.as_ref(), "writeTimeout"),
            pool(spec.pool.clone().unwrap_or_default()),
        )
            .all()?;
        Ok(Self {
            addr: redis_addresses(server),
            sentinel_master_set: redis_master_set(server),
            username: server.username.as_deref().filter(|user| !user.is_empty()),
            db: spec.connection.database,
            dialtimeout,
            readtimeout,
            writetimeout,
            pool,
        })
    }
}

fn timeout<'a>(requested: Option<&'a GoDuration>, field: &str) -> Result<&'a str, PlanError> {
    match requested {
        Some(duration) => go_duration(duration, format_args!("spec.redis.{field}")),
        None => Ok(DEFAULT_TIMEOUT),
    }
}

fn pool(spec: RegistryRedisPoolSpec) -> Result<Pool, PlanError> {
    whole_seconds(&spec.idle_timeout, "spec.redis.pool.idleTimeout")?;
    Ok(Pool { maxidle: spec.max_idle, maxactive: spec.max_active, idletimeout: spec.idle_timeout })
}
