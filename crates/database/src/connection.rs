//! A connection to the database.

use crate::{
    error::Error,
    settings::{Settings, SslMode},
    tls::Tls,
};
use secrecy::ExposeSecret as _;
use std::time::Duration;
use tokio_postgres::{Client, Config, NoTls, config};

/// How long the server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// How this program shows up in `pg_stat_activity`.
const NAME: &str = "harbor-operator";

/// A connection to the database of a Harbor.
pub struct Connection(Client);

impl Connection {
    /// Connects, with TLS as the settings ask for it.
    pub async fn open(settings: &Settings) -> Result<Self, Error> {
        let attempts: &[config::SslMode] = match settings.ssl_mode {
            SslMode::Disable => &[config::SslMode::Disable],
            SslMode::Allow => &[config::SslMode::Disable, config::SslMode::Require],
            // A server may have TLS and accept this role only without it.
            SslMode::Prefer => &[config::SslMode::Prefer, config::SslMode::Disable],
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => &[config::SslMode::Require],
        };
        let mut first = None;
        for attempt in attempts {
            match connect(settings, *attempt).await {
                Ok(client) => return Ok(Self(client)),
                Err(error) => drop(first.get_or_insert(error)),
            }
        }
        Err(first.unwrap_or_else(|| Error::Unreachable { server: settings.server(), problem: String::new() }))
    }

    pub(crate) fn client(&self) -> &Client {
        &self.0
    }

    pub(crate) fn client_mut(&mut self) -> &mut Client {
        &mut self.0
    }
}

async fn connect(settings: &Settings, mode: config::SslMode) -> Result<Client, Error> {
    let mut config = Config::new();
    config
        .host(&settings.host)
        .port(settings.port)
        .user(&settings.username)
        .dbname(&settings.database)
        .ssl_mode(mode)
        .connect_timeout(CONNECT)
        .application_name(NAME);
    if let Some(password) = &settings.password {
        config.password(password.expose_secret());
    }
    let failed = |error: tokio_postgres::Error| Error::connecting(settings.server(), &error);
    // What is sent and received. It ends with the client.
    Ok(if mode == config::SslMode::Disable {
        let (client, traffic) = config.connect(NoTls).await.map_err(failed)?;
        tokio::spawn(traffic);
        client
    } else {
        let (client, traffic) = config.connect(Tls::of(settings)?).await.map_err(failed)?;
        tokio::spawn(traffic);
        client
    })
}
