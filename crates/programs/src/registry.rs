//! The registry.

use crate::{
    error::Failure,
    keeper::{End, Launch, Server, arguments},
    program::Program,
    site::{Port, Site},
};
use std::path::Path;

/// A running `docker-registry`.
#[derive(Debug)]
pub struct Registry {
    server: Server,
    port: Port,
}

impl Registry {
    /// Starts the registry in `site`, with a configuration that listens on `port`.
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
