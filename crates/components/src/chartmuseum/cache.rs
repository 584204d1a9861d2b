//! Redis, as ChartMuseum reaches it: its indexes are cached there.

use crate::{
    connections::{Address, redis_password_key},
    secrets::{SecretKey, Secrets},
};
use api::v1beta1::redis::RedisConnection;
use plan::PlanError;

/// A Redis database that caches indexes.
pub(super) struct Cache<'a> {
    connection: &'a RedisConnection,
    /// Where its password is.
    pub password: Option<SecretKey<'a>>,
}

impl<'a> Cache<'a> {
    /// The database a spec describes, its password found.
    pub fn of(connection: &'a RedisConnection, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let password = redis_password_key(&connection.server);
        password.map(|key| secrets.value(&key)).transpose()?;
        Ok(Self { connection, password })
    }

    /// The master set, where the hosts are sentinels.
    pub fn master_set(&self) -> Option<&'a str> {
        self.connection.server.sentinel_master_set.as_deref().filter(|set| !set.is_empty())
    }

    /// The server, or all sentinels.
    pub fn address(&self) -> String {
        let server = &self.connection.server;
        let usual_port = if self.master_set().is_some() { 26379 } else { 6379 };
        let address = |host, port: Option<i32>| Address(host, port.unwrap_or(usual_port)).to_string();
        let sentinels = server.sentinels.iter().map(|sentinel| address(&sentinel.host, sentinel.port));
        std::iter::once(address(&server.host, server.port)).chain(sentinels).collect::<Vec<_>>().join(",")
    }

    /// Index of the database.
    pub const fn database(&self) -> i32 {
        self.connection.database
    }
}
