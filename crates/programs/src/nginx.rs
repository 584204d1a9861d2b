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

/// An `nginx` that serves.
///
/// Its configuration stands alone: of Debian's own only `mime.types` is there, beside it, so that a relative `include`
/// finds it. The folders that nginx would use under `/var/lib/nginx` do not exist; the configuration must name others
/// (`client_body_temp_path` and its four siblings).
#[derive(Debug)]
pub struct Nginx {
    server: Server,
    ports: Vec<Port>,
}

impl Nginx {
    /// What `nginx -t` says of a configuration.
    pub fn check(site: &Site, configuration: &str) -> Result<(), Failure> {
        let file = written(site, configuration)?;
        let mut command = Program::Nginx.command()?;
        command.arg("-t").args(places(site.folder(), &file));
        Program::Nginx.output(&mut command).map(drop)
    }

    /// Starts it at `site`, where its configuration listens on `ports`.
    pub fn start(site: Site, ports: Vec<Port>, configuration: &str) -> Result<Self, Failure> {
        let file = written(&site, configuration)?;
        // Started by root, its workers would be nobody, who cannot enter the folder; in Harbor's images nobody is root.
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

    /// Where it listens, in the order it was told.
    pub fn ports(&self) -> impl Iterator<Item = u16> {
        self.ports.iter().map(Port::number)
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

fn written(site: &Site, configuration: &str) -> Result<PathBuf, Failure> {
    let types = program::folder().join("mime.types");
    site.write("mime.types", fs::read(&types).map_err(Failure::file(&types))?)?;
    site.write("nginx.conf", configuration)
}

fn places(folder: &Path, file: &Path) -> Vec<OsString> {
    // Until the configuration is read, errors would go to a file below /var/log.
    arguments([&"-p", &folder, &"-c", &file, &"-e", &"stderr"])
}
