//! The registry.

use crate::{
    error::Failure,
    keeper::{End, Launch, Server, arguments},
    program::Program,
    site::{Port, Site},
};
use std::path::Path;

/// A `docker-registry` that serves.
#[derive(Debug)]
pub struct Registry {
    server: Server,
    port: Port,
}

impl Registry {
    /// Starts it at `site`, where its configuration listens on `port`.
    pub fn start(
        site: Site,
        port: Port,
        configuration: &str,
        environment: &[(&str, &str)],
    ) -> Result<Self, Failure> {
        let file = site.write("config.yml", configuration)?;
        let launch = Launch {
            program: Program::DockerRegistry,
            through: &[],
            arguments: arguments([&"serve", &file]),
            environment,
            end: End::Kill,
        };
        let server = Server::start(launch, site)?;
        server.until_listening(&[port.number()])?;
        Ok(Self { server, port })
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
