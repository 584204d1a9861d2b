//! The in-memory server in this process, with the same kind of socket, kubeconfig and folder as real servers.

use crate::error::StartError;
use crate::{folder, kubeconfig};
use apiserver::{Access, ApiServer, Authority, Endpoint};
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
    /// Starts a server, with garbage collection and namespace deletion if `controllers` is set.
    pub fn start(controllers: bool) -> Result<Arc<Self>, StartError> {
        let folder = folder::create()?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(StartError::Port)?;
        listener.set_nonblocking(true).map_err(StartError::Port)?;
        let authority = Authority::generate()?;
        let endpoint = Endpoint::new(listener.local_addr().map_err(StartError::Port)?, &authority);
        let admin = authority.credential("envtest-admin", "system:masters")?;
        folder::write(&kubeconfig::path(&folder), &endpoint.kubeconfig("envtest", &admin))?;

        let builder = ApiServer::builder().access(Access::Rbac).protecting_owner_references();
        let builder = if controllers { builder } else { builder.without_controllers() };
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

    /// The server that all tests of this process share. The first test starts it.
    pub fn shared(controllers: bool) -> Result<Arc<Self>, StartError> {
        static SHARED: [Mutex<Weak<InMemory>>; 2] = [Mutex::new(Weak::new()), Mutex::new(Weak::new())];
        let mut shared = SHARED[usize::from(controllers)].lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = shared.upgrade() {
            return Ok(running);
        }
        let started = Self::start(controllers)?;
        *shared = Arc::downgrade(&started);
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
