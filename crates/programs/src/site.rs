//! The folder and the ports of a program.

use crate::error::Failure;
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};
use tempfile::TempDir;
use tokio::net::TcpSocket;

/// A folder that only this user can access. It is removed when the program that uses it ends.
#[derive(Debug)]
pub struct Site {
    folder: TempDir,
}

impl Site {
    /// Creates an empty folder.
    pub fn new() -> Result<Self, Failure> {
        let private = fs::Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix("harbor-programs-").permissions(private).tempdir();
        Ok(Self { folder: folder.map_err(Failure::file(&std::env::temp_dir()))? })
    }

    /// The path of the folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Whether this process, and so the programs that it starts, runs as root. The owner of the folder is this
    /// process's user.
    pub(crate) fn is_roots(&self) -> Result<bool, Failure> {
        let metadata = fs::metadata(self.folder()).map_err(Failure::file(self.folder()))?;
        Ok(metadata.uid() == 0)
    }

    /// Writes a file, creates missing folders, and returns its path.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<PathBuf, Failure> {
        let path = self.folder().join(name);
        let parent = path.parent().unwrap_or(self.folder());
        fs::create_dir_all(parent).map_err(Failure::file(parent))?;
        fs::write(&path, content).map_err(Failure::file(&path))?;
        Ok(path)
    }
}

/// A port of the loopback interface that is reserved while this exists.
#[derive(Debug)]
pub struct Port {
    number: u16,
    // Bound and not listening: the kernel does not assign the port to another process, but lets a server with
    // SO_REUSEADDR listen on it. All programs here set that option.
    _reservation: TcpSocket,
}

impl Port {
    /// Reserves a free port.
    pub fn free() -> Result<Self, Failure> {
        let reserve = || {
            let socket = TcpSocket::new_v4()?;
            socket.set_reuseaddr(true)?;
            socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
            Ok(Self { number: socket.local_addr()?.port(), _reservation: socket })
        };
        reserve().map_err(Failure::Port)
    }

    /// Its number.
    pub fn number(&self) -> u16 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::{Port, Site};
    use std::{collections::BTreeSet, fs, net::TcpListener, os::unix::fs::PermissionsExt as _};

    #[test]
    fn a_site_is_entered_by_its_owner_only() {
        let site = Site::new().unwrap();
        assert_eq!(fs::metadata(site.folder()).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_port_is_given_once_and_can_be_listened_on() {
        let ports: Vec<Port> = (0..200).map(|_| Port::free().unwrap()).collect();
        let numbers: BTreeSet<u16> = ports.iter().map(Port::number).collect();
        assert_eq!(numbers.len(), ports.len());

        let strangers: Vec<TcpListener> =
            (0..200).map(|_| TcpListener::bind(("127.0.0.1", 0)).unwrap()).collect();
        assert!(strangers.iter().all(|stranger| !numbers.contains(&stranger.local_addr().unwrap().port())));
        for port in &ports {
            TcpListener::bind(("127.0.0.1", port.number())).unwrap();
        }
    }
}
