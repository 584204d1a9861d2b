//! A PostgreSQL for tests.

use database::{Connection, Settings, SslMode};
use programs::{Identity, Postgres, psql};
use tokio_postgres::{Client, NoTls};

pub const PASSWORD: &str = "p@ss w:rd";

/// A running server.
pub struct Server(pub Postgres);

impl Server {
    /// Without TLS.
    pub fn start() -> Self {
        Self(Postgres::start(PASSWORD, None).unwrap())
    }

    /// With TLS.
    pub fn with_tls(identity: &Identity) -> Self {
        Self(Postgres::start(PASSWORD, Some(identity)).unwrap())
    }

    /// How the administrator connects.
    pub fn settings(&self) -> Settings {
        Settings {
            host: "127.0.0.1".into(),
            port: self.0.port(),
            username: "postgres".into(),
            password: Some(PASSWORD.to_owned().into()),
            database: "postgres".into(),
            ssl_mode: SslMode::Prefer,
            authorities: None,
        }
    }

    /// The connection under test.
    pub async fn connect(&self) -> Connection {
        Connection::open(&self.settings()).await.unwrap()
    }

    /// A session of another program.
    pub async fn session(&self) -> Client {
        let mut config = tokio_postgres::Config::new();
        let config = config.host("127.0.0.1").port(self.0.port()).user("postgres").password(PASSWORD);
        let (client, traffic) = config.dbname("postgres").connect(NoTls).await.unwrap();
        tokio::spawn(traffic);
        client
    }

    /// The output of statements.
    pub fn run(&self, statements: &str) -> String {
        let connection = format!("host=127.0.0.1 port={} user=postgres dbname=postgres", self.0.port());
        psql(&connection, &[("PGPASSWORD", PASSWORD)], statements).unwrap()
    }
}
