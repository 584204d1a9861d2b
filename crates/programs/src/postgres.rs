//! PostgreSQL.

use crate::{
    error::Failure,
    identity::Identity,
    keeper::{End, Launch, Server, arguments},
    program::{Program, clean},
    site::{Port, Site},
};
use std::{
    ffi::OsString,
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::Path,
    process::Command,
};

/// The user id of `nobody` on Debian.
const NOBODY: u32 = 65534;

/// Runs a program as `nobody` with root's access to files, such as a cache below root's home. The last option keeps
/// this access for programs that check permissions themselves.
const AS_NOBODY: [&str; 7] = [
    "setpriv",
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
    "--securebits=+no_setuid_fixup",
];

/// A running `postgres` with the single user `postgres`, who has a password.
#[derive(Debug)]
pub struct Postgres {
    server: Server,
    port: Port,
}

impl Postgres {
    /// Starts an empty server, which offers TLS if it has a certificate.
    pub fn start(password: &str, tls: Option<&Identity>) -> Result<Self, Failure> {
        let (site, port) = (Site::new()?, Port::free()?);
        // PostgreSQL does not run as root.
        let through: &[&str] = if site.is_roots()? { &AS_NOBODY } else { &[] };
        let data = site.folder().join("data");
        fs::create_dir(&data).map_err(Failure::file(&data))?;
        if !through.is_empty() {
            chown(&data, Some(NOBODY), Some(NOBODY)).map_err(Failure::file(&data))?;
        }
        initialize(&data, &site.write("password", password)?, through)?;

        let mut arguments = arguments([&"-D", &data]);
        arguments.extend(options(&site, port.number(), tls)?);
        let launch =
            Launch { program: Program::Postgres, through, arguments, environment: &[], end: End::Quit };
        let server = Server::start(launch, site)?;
        // The port is open before the server answers. PostgreSQL's own tools wait for the eighth line of this file.
        let state = data.join("postmaster.pid");
        server.until(|| {
            let state = fs::read_to_string(&state).unwrap_or_default();
            state.lines().nth(7).is_some_and(|line| line.trim() == "ready")
        })?;
        Ok(Self { server, port })
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

/// The output of `psql` for a statement, unaligned and with one row per line. `connection` is a URL or a connection
/// string of libpq; `environment` has further settings, such as `PGPASSWORD`.
pub fn psql(connection: &str, environment: &[(&str, &str)], statement: &str) -> Result<String, Failure> {
    let mut command = Program::Psql.command()?;
    command.envs(environment.iter().copied()).args([
        "--no-psqlrc",
        "--no-password",
        "--no-align",
        "--tuples-only",
    ]);
    command.args(["--set=ON_ERROR_STOP=1", "--command", statement, "--dbname", connection]);
    Program::Psql.output(&mut command).map(|output| output.trim_end_matches('\n').to_owned())
}

fn initialize(data: &Path, password: &Path, through: &[&str]) -> Result<(), Failure> {
    let initdb = Program::Initdb.path()?;
    let mut command = match through {
        [] => clean(Command::new(initdb)),
        [first, rest @ ..] => {
            let mut command = clean(Command::new(first));
            command.args(rest).arg(initdb);
            command
        }
    };
    command.args([
        "--username=postgres",
        "--auth=scram-sha-256",
        "--locale=C",
        "--encoding=UTF8",
        "--no-sync",
    ]);
    command.arg("--pwfile").arg(password).arg("--pgdata").arg(data);
    Program::Initdb.output(&mut command).map(drop)
}

fn options(site: &Site, port: u16, tls: Option<&Identity>) -> Result<Vec<OsString>, Failure> {
    let mut options = vec![
        format!("port={port}"),
        "listen_addresses=127.0.0.1".to_owned(),
        // The path of a socket may be too long, and no test uses one.
        "unix_socket_directories=".to_owned(),
        "fsync=off".to_owned(),
    ];
    if let Some(identity) = tls {
        let certificate = site.write("tls.crt", &identity.certificate)?;
        let key = site.write("tls.key", &identity.key)?;
        // Otherwise PostgreSQL refuses the key, because other users could read it.
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).map_err(Failure::file(&key))?;
        options.extend([
            "ssl=on".to_owned(),
            format!("ssl_cert_file={}", certificate.display()),
            format!("ssl_key_file={}", key.display()),
        ]);
    }
    Ok(options.iter().flat_map(|option| arguments([&"-c", option])).collect())
}
