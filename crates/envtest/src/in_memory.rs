//! The in-memory server in this process, with the same kind of socket, kubeconfig and folder as real servers.

use crate::error::StartError;
use crate::setup::Parts;
use crate::{folder, kubeconfig};
use apiserver::{Access, ApiServer, Authority, Endpoint};
use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;

/// A server on a thread of its own. Dropping it ends the server and removes its folder.
///
/// The thread has its own runtime, because the runtime of a test may be paused, or end before the last watch.
pub(crate) struct InMemory {
    folder: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl InMemory {
    /// Starts a server with these parts.
    pub fn start(parts: Parts) -> Result<Arc<Self>, StartError> {
        let folder = folder::create()?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(StartError::Port)?;
        listener.set_nonblocking(true).map_err(StartError::Port)?;
        let authority = Authority::generate()?;
        let endpoint = Endpoint::new(listener.local_addr().map_err(StartError::Port)?, &authority);
        let admin = authority.credential("envtest-admin", "system:masters")?;
        folder::write(&kubeconfig::path(&folder), &endpoint.kubeconfig("envtest", &admin))?;

        let builder = ApiServer::builder().access(Access::Rbac).protecting_owner_references();
        let builder = if parts.controller_manager { builder } else { builder.without_controllers() };
        let builder = if parts.service_accounts { builder.service_accounts() } else { builder };
        let server = builder.build()?;
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(StartError::file(&folder))?;
        let thread = thread::spawn(move || {
            runtime.block_on(async {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                // It fails only if its certificate is invalid. Then the first request of a test fails, too.
                let _ = apiserver::serve(server, listener, &authority, stopped).await;
            });
        });
        Ok(Arc::new(Self { folder, stop: Some(stop), thread: Some(thread) }))
    }

    /// The server with these parts that all tests of this process share. The first test starts it.
    pub fn shared(parts: Parts) -> Result<Arc<Self>, StartError> {
        static SHARED: Mutex<BTreeMap<Parts, Weak<InMemory>>> = Mutex::new(BTreeMap::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = shared.get(&parts).and_then(Weak::upgrade) {
            return Ok(running);
        }
        let started = Self::start(parts)?;
        shared.insert(parts, Arc::downgrade(&started));
        Ok(started)
    }

    /// The folder with its kubeconfig.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for InMemory {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been printed already.
            let _ = thread.join();
        }
        // A leftover folder does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
