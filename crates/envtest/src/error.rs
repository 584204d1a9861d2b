//! Errors of starting a control plane.

use crate::assets::AssetsError;
use crate::keeper::Server;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

/// Why a control plane could not be started or joined.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There are no server binaries.
    #[error(transparent)]
    Assets(#[from] AssetsError),
    /// The test requires a controller manager, and the binaries lack it.
    #[error("{} holds no kube-controller-manager; unset KUBEBUILDER_ASSETS and run hack/kube-assets", .0.display())]
    NoControllerManager(PathBuf),
    /// A file of the control plane could not be written or read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        source: io::Error,
    },
    /// A port of the loopback interface could not be reserved.
    #[error("no free port on 127.0.0.1: {0}")]
    Port(#[source] io::Error),
    /// A key or certificate could not be created.
    #[error("test certificates: {0}")]
    Certificate(#[from] rcgen::Error),
    /// The shell that starts and ends the servers ended.
    #[error("the keeper of the servers ended; it needs sh, flock and setsid in PATH: {0}")]
    Keeper(String),
    /// A server ended instead of starting.
    #[error("{server} ended with status {status}{log}")]
    Exited {
        /// Which one.
        server: Server,
        /// Its exit status.
        status: String,
        /// The end of its log.
        log: ServerLog,
    },
    /// A server did not become ready in time.
    #[error("{server} was not ready after {seconds} s{log}")]
    NotReady {
        /// Which one.
        server: Server,
        /// How long the test waited.
        seconds: u64,
        /// The end of its log.
        log: ServerLog,
    },
    /// The in-memory server could not create its certificates.
    #[error(transparent)]
    Authority(#[from] apiserver::AuthorityError),
    /// The in-memory server could not be created.
    #[error(transparent)]
    Journal(#[from] apiserver::JournalError),
    /// The API server answered with an error.
    #[error(transparent)]
    Api(#[from] kube::Error),
    /// A kubeconfig that was just written could not be read.
    #[error(transparent)]
    Kubeconfig(#[from] kube::config::KubeconfigError),
}

impl StartError {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { path: path.to_owned(), source }
    }

    /// Whether another process took the port before the server could bind it.
    pub(crate) fn is_port_taken(&self) -> bool {
        matches!(self, Self::Exited { log, .. } if log.tail.contains("address already in use"))
    }

    /// Removes the log of a failure that is not reported.
    pub(crate) fn forget_log(self) {
        if let Self::Exited { log: ServerLog { kept: Some(kept), .. }, .. } = self {
            // A leftover file does no harm.
            let _ = fs::remove_file(kept);
        }
    }
}

/// The end of a server's log, and the file with the whole log.
#[derive(Debug)]
pub struct ServerLog {
    pub(crate) tail: String,
    pub(crate) kept: Option<PathBuf>,
}

impl fmt::Display for ServerLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(kept) = &self.kept {
            write!(f, "; its log is {}", kept.display())?;
        }
        write!(f, "; it ends with:\n{}", self.tail)
    }
}
