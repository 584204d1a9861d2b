//! Redis, and the sentinel that knows which Redis is the master.

use crate::{
    error::{Failure, Log},
    identity::Identity,
    keeper::{End, Launch, Server, arguments},
    program::Program,
    site::{Port, Site},
};
use std::{fmt::Write as _, path::Path};

/// How a Redis is to be reached.
#[derive(Clone, Copy, Default)]
pub struct Setup<'a> {
    /// The only user there is; the default one unless set.
    pub username: Option<&'a str>,
    /// What clients must know.
    pub password: Option<&'a str>,
    /// What it proves itself with; without it, it does not speak TLS, with it, nothing else.
    pub tls: Option<&'a Identity>,
}

/// A `redis-server` that serves, be it as a sentinel.
#[derive(Debug)]
pub struct Redis {
    server: Server,
    port: Port,
}

impl Redis {
    /// An empty one.
    pub fn start(setup: &Setup<'_>) -> Result<Self, Failure> {
        Self::serve(setup, Role::Database)
    }

    /// A sentinel that watches `master`, started with this `setup`, under the name `set`. It speaks TLS if the master
    /// does, and asks for no password: Harbor tells a sentinel none.
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

    /// A connection to it, as somebody who knows no password and speaks no TLS.
    pub fn connection(&self) -> Connection<'static> {
        Connection { host: "127.0.0.1", port: self.port(), ..Connection::default() }
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port.number()
    }

    /// Its files, as long as it runs.
    pub fn folder(&self) -> &Path {
        self.server.folder()
    }

    /// What it has written so far.
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
                // Whom a sentinel believes; clients need not show a certificate.
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

/// As Redis reads it, whatever the text holds.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        // Writing to a string does not fail.
        let _ = write!(quoted, "\\x{byte:02x}");
    }
    quoted + "\""
}

/// A client of a Redis: what to connect to, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Connection<'a> {
    /// The server's name or address.
    pub host: &'a str,
    /// The server's port.
    pub port: u16,
    /// Who to log in as; the default user unless set.
    pub username: Option<&'a str>,
    /// What the user proves itself with.
    pub password: Option<&'a str>,
    /// The database to select.
    pub database: u32,
    /// The file of the certificates to trust; without it, TLS is not spoken.
    pub authority: Option<&'a Path>,
}

impl Connection<'_> {
    /// What Redis answers to a command. An error that Redis answers with is a failure, also when it is the answer to the
    /// password or to the database, which redis-cli takes lightly.
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
