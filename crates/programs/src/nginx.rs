//! nginx.

use crate::{
    error::Failure,
    keeper::{End, Launch, Server, arguments},
    program::{self, Program},
    site::{Port, Site},
};
use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// A running `nginx`.
///
/// Its configuration is independent of Debian's. Only `mime.types` is in the same folder, for a relative `include`.
/// The folders below `/var/lib/nginx` do not exist, so the configuration must set others (`client_body_temp_path` and
/// the four similar directives).
#[derive(Debug)]
pub struct Nginx {
    server: Server,
    ports: Vec<Port>,
}

impl Nginx {
    /// Checks a configuration with `nginx -t`.
    pub fn check(site: &Site, configuration: &str) -> Result<(), Failure> {
        let file = written(site, configuration)?;
        let mut command = Program::Nginx.command()?;
        command.arg("-t").args(places(site.folder(), &file));
        Program::Nginx.output(&mut command).map(drop)
    }

    /// Starts nginx in `site`, with a configuration that listens on `ports`.
    pub fn start(site: Site, ports: Vec<Port>, configuration: &str) -> Result<Self, Failure> {
        let file = written(&site, configuration)?;
        // As root, nginx would run its workers as user `nobody`, who cannot access the folder. Harbor's images do not
        // run as root.
        let user = if site.is_roots()? { " user root;" } else { "" };
        let mut arguments = arguments([&"-g", &format!("daemon off;{user}")]);
        arguments.extend(places(site.folder(), &file));
        let launch = Launch {
            program: Program::Nginx,
            through: &[],
            arguments,
            environment: &[],
            end: End::Terminate,
        };
        let server = Server::start(launch, site)?;
        server.until_listening(&ports.iter().map(Port::number).collect::<Vec<_>>())?;
        Ok(Self { server, ports })
    }

    /// The ports, in the order in which they were given.
    pub fn ports(&self) -> impl Iterator<Item = u16> {
        self.ports.iter().map(Port::number)
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

fn written(site: &Site, configuration: &str) -> Result<PathBuf, Failure> {
    let types = program::folder().join("mime.types");
    site.write("mime.types", fs::read(&types).map_err(Failure::file(&types))?)?;
    site.write("nginx.conf", configuration)
}

fn places(folder: &Path, file: &Path) -> Vec<OsString> {
    // Before it has read the configuration, nginx would write errors to a file below /var/log.
    arguments([&"-p", &folder, &"-c", &file, &"-e", &"stderr"])
}
