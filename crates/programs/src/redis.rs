//! Redis and its sentinel.

use crate::{
    error::{Failure, Log},
    identity::Identity,
    keeper::{End, Launch, Server, arguments},
    program::Program,
    site::{Port, Site},
};
use std::{fmt::Write as _, path::Path};

/// The access to a Redis.
#[derive(Clone, Copy, Default)]
pub struct Setup<'a> {
    /// The only user; the default user if unset.
    pub username: Option<&'a str>,
    /// The password for clients.
    pub password: Option<&'a str>,
    /// Its certificate. With it, Redis only accepts TLS; without it, no TLS.
    pub tls: Option<&'a Identity>,
}

/// A running `redis-server`, as database or as sentinel.
#[derive(Debug)]
pub struct Redis {
    server: Server,
    port: Port,
}

impl Redis {
    /// Starts an empty server.
    pub fn start(setup: &Setup<'_>) -> Result<Self, Failure> {
        Self::serve(setup, Role::Database)
    }

    /// Starts a sentinel that monitors `master`, which was started with this `setup`, under the name `set`. It uses
    /// TLS if the master does, and requires no password, because Harbor sends none to a sentinel.
    pub fn sentinel(setup: &Setup<'_>, master: &Self, set: &str) -> Result<Self, Failure> {
        Self::serve(setup, Role::Sentinel { master: master.port(), set })
    }

    fn serve(setup: &Setup<'_>, role: Role<'_>) -> Result<Self, Failure> {
        let (site, port) = (Site::new()?, Port::free()?);
        let file = site.write("redis.conf", configuration(&site, port.number(), setup, role)?)?;
        let launch = Launch {
            program: Program::RedisServer,
            through: &[],
            arguments: match role {
                Role::Database => arguments([&file]),
                Role::Sentinel { .. } => arguments([&file, &"--sentinel"]),
            },
            environment: &[],
            end: End::Kill,
        };
        let server = Server::start(launch, site)?;
        server.until_listening(&[port.number()])?;
        Ok(Self { server, port })
    }

    /// A connection to it without password and TLS.
    pub fn connection(&self) -> Connection<'static> {
        Connection { host: "127.0.0.1", port: self.port(), ..Connection::default() }
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port.number()
    }

    /// The folder with its files, while it runs.
    pub fn folder(&self) -> &Path {
        self.server.folder()
    }

    /// Its log so far.
    pub fn log(&self) -> String {
        self.server.log()
    }
}

#[derive(Clone, Copy)]
enum Role<'a> {
    Database,
    Sentinel { master: u16, set: &'a str },
}

fn configuration(site: &Site, port: u16, setup: &Setup<'_>, role: Role<'_>) -> Result<String, Failure> {
    let mut lines =
        vec!["bind 127.0.0.1".to_owned(), format!("dir {}", quoted(&site.folder().to_string_lossy()))];
    match setup.tls {
        None => lines.push(format!("port {port}")),
        Some(identity) => {
            let certificate = site.write("tls.crt", &identity.certificate)?;
            let key = site.write("tls.key", &identity.key)?;
            let authority = site.write("ca.crt", &identity.authority)?;
            lines.extend([
                format!("port 0\ntls-port {port}"),
                format!("tls-cert-file {}", quoted(&certificate.to_string_lossy())),
                format!("tls-key-file {}", quoted(&key.to_string_lossy())),
                // For a sentinel, to verify its master; clients need no certificate.
                format!("tls-ca-cert-file {}", quoted(&authority.to_string_lossy())),
                "tls-auth-clients no".to_owned(),
            ]);
        }
    }
    match role {
        Role::Database => {
            lines.push("save \"\"".to_owned());
            lines.extend(users(setup));
        }
        Role::Sentinel { master, set } => {
            lines.push(format!("sentinel monitor {set} 127.0.0.1 {master} 1"));
            lines.extend(
                setup.password.map(|password| format!("sentinel auth-pass {set} {}", quoted(password))),
            );
            lines.extend(setup.username.map(|name| format!("sentinel auth-user {set} {}", quoted(name))));
            lines.extend(setup.tls.map(|_| "tls-replication yes".to_owned()));
        }
    }
    Ok(lines.join("\n") + "\n")
}

fn users(setup: &Setup<'_>) -> Vec<String> {
    let secret = setup.password.map_or("nopass".to_owned(), |password| quoted(&format!(">{password}")));
    let allowed = |name: &str| format!("user {name} on ~* &* +@all {secret}");
    match setup.username {
        None => vec![allowed("default")],
        Some(name) => vec!["user default off".to_owned(), allowed(name)],
    }
}

/// Quotes a text for the configuration of Redis. Every byte is escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        // Writing to a string does not fail.
        let _ = write!(quoted, "\\x{byte:02x}");
    }
    quoted + "\""
}

/// A client connection to a Redis.
#[derive(Clone, Copy, Debug, Default)]
pub struct Connection<'a> {
    /// The server's name or address.
    pub host: &'a str,
    /// The server's port.
    pub port: u16,
    /// The user; the default user if unset.
    pub username: Option<&'a str>,
    /// The password of the user.
    pub password: Option<&'a str>,
    /// The database to select.
    pub database: u32,
    /// The file with the trusted certificates; without it, the connection does not use TLS.
    pub authority: Option<&'a Path>,
}

impl Connection<'_> {
    /// The answer of Redis to a command. Fails if Redis answers with an error, also to the password or to the
    /// selection of the database, which redis-cli only prints.
    pub fn ask(&self, command: &[&str]) -> Result<String, Failure> {
        let mut cli = Program::RedisCli.command()?;
        cli.args(["-e", "-h", self.host, "-p", &self.port.to_string(), "-n", &self.database.to_string()]);
        if let Some(name) = self.username {
            cli.args(["--user", name]);
        }
        if let Some(password) = self.password {
            cli.env("REDISCLI_AUTH", password);
        }
        if let Some(authority) = self.authority {
            cli.args(["--tls", "--cacert"]).arg(authority);
        }
        let outcome = Program::RedisCli.outcome(cli.args(command))?;
        if outcome.complaints.is_empty() {
            return Ok(outcome.output.trim_end_matches('\n').to_owned());
        }
        Err(Failure::Refused { program: Program::RedisCli, words: Log(outcome.complaints) })
    }
}
