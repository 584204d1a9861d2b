//! The Redis database in which ChartMuseum caches its indexes.

use crate::{
    connections::{redis_addresses, redis_master_set, redis_password_key},
    secrets::{SecretKey, Secrets},
};
use api::v1beta1::redis::RedisConnection;
use plan::PlanError;

/// A Redis database that caches indexes.
pub(super) struct Cache<'a> {
    connection: &'a RedisConnection,
    /// The key of its password.
    pub password: Option<SecretKey<'a>>,
}

impl<'a> Cache<'a> {
    /// The database that a spec describes. Its password must exist.
    pub fn of(connection: &'a RedisConnection, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let password = redis_password_key(&connection.server);
        password.map(|key| secrets.value(&key)).transpose()?;
        Ok(Self { connection, password })
    }

    /// The master set, if the hosts are sentinels.
    pub fn master_set(&self) -> Option<&'a str> {
        redis_master_set(&self.connection.server)
    }

    /// The server, or all sentinels.
    pub fn address(&self) -> String {
        redis_addresses(&self.connection.server)
    }

    /// Index of the database.
    pub const fn database(&self) -> i32 {
        self.connection.database
    }
}
