//! Runs the servers from another process, so that they end even if this process is killed.

use crate::error::{ServerLog, StartError};
use crate::folder;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const SCRIPT: &str = include_str!("keeper.sh");

/// A server of the control plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// The storage.
    Etcd,
    /// The API server.
    Apiserver,
    /// The garbage collector and the namespace controller.
    ControllerManager,
}

impl Server {
    const ALL: [Self; 3] = [Self::Etcd, Self::Apiserver, Self::ControllerManager];

    /// The name of its binary.
    pub fn program(self) -> &'static str {
        match self {
            Self::Etcd => "etcd",
            Self::Apiserver => "kube-apiserver",
            Self::ControllerManager => "kube-controller-manager",
        }
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.program())
    }
}

/// A share in a control plane: the servers run while at least one process holds a lease on their folder.
#[derive(Debug)]
pub(crate) struct Lease {
    // The kernel holds the lock until this file is closed. Child processes do not inherit it.
    _file: File,
}

impl Lease {
    /// A share in a running control plane; `None` if it is ending or has ended.
    pub fn join(folder: &Path) -> Option<Self> {
        let file = File::open(folder.join("lease")).ok()?;
        file.try_lock_shared().ok()?;
        // The keeper removes the file before it releases the lock.
        folder.join("lease").exists().then_some(Self { _file: file })
    }

    fn create(folder: &Path) -> Result<Self, StartError> {
        let path = folder.join("lease");
        let file = OpenOptions::new().create_new(true).write(true).open(&path);
        let file =
            file.and_then(|file| file.lock_shared().map(|()| file)).map_err(StartError::file(&path))?;
        Ok(Self { _file: file })
    }
}

/// The process that starts and ends the servers of one folder.
#[derive(Debug)]
pub(crate) struct Keeper {
    folder: PathBuf,
    process: Child,
}

impl Keeper {
    /// Starts the keeper of a new folder. The servers outlive the last lease by `linger`.
    pub fn start(linger: Duration) -> Result<(Self, Lease), StartError> {
        let folder = folder::create()?;
        let started = Lease::create(&folder).and_then(|lease| {
            let log = folder.join("keeper.log");
            let process = File::create(&log)
                .and_then(|log| {
                    Command::new("sh")
                        .args(["-c", SCRIPT, "keeper"])
                        .arg(&folder)
                        .arg(linger.as_secs().to_string())
                        .args(Server::ALL.map(Server::program))
                        .stdin(Stdio::null())
                        .stdout(Stdio::null())
                        .stderr(log)
                        // Signals for the test's process group (Ctrl-C, a test runner's timeout) must not reach it.
                        .process_group(0)
                        .spawn()
                })
                .map_err(StartError::file(&log))?;
            Ok((Self { folder: folder.clone(), process }, lease))
        });
        if started.is_err() {
            // The first error is the one to report.
            let _ = fs::remove_dir_all(&folder);
        }
        started
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the keeper start a server, with its binary and arguments.
    pub fn run(&self, server: Server, command: &[String]) -> Result<(), StartError> {
        folder::write(&self.folder.join(format!("{server}.args")), &(command.join("\n") + "\n"))
    }

    /// Fails if a server, or the keeper itself, has ended.
    pub fn check(&mut self) -> Result<(), StartError> {
        for server in Server::ALL {
            if let Ok(status) = fs::read_to_string(self.folder.join(format!("{server}.exit"))) {
                let status = status.trim().to_owned();
                return Err(StartError::Exited { server, status, log: self.log(server) });
            }
        }
        if matches!(self.process.try_wait(), Ok(Some(_))) {
            return Err(StartError::Keeper(folder::tail(&self.folder.join("keeper.log"), 5)));
        }
        Ok(())
    }

    /// The end of a server's log. Copies the whole log to a file that outlives the folder.
    pub fn log(&self, server: Server) -> ServerLog {
        let log = self.folder.join(format!("{server}.log"));
        ServerLog { tail: folder::tail(&log, 20), kept: folder::keep(&log).ok() }
    }

    /// Waits until the servers have ended and their folder is removed. All leases must have been dropped before.
    pub fn wait(mut self) {
        let deadline = Instant::now() + Duration::from_secs(10);
        while matches!(self.process.try_wait(), Ok(None)) && Instant::now() < deadline {
            sleep(Duration::from_millis(10));
        }
    }
}
