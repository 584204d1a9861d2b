//! The server in memory, in this process, behind the same socket, kubeconfig and folder as real servers.

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
/// The thread has its own runtime, for that of a test may be paused, or end before the last watch does.
pub(crate) struct InMemory {
    folder: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl InMemory {
    /// Starts a server; `controllers` are garbage collection and namespace deletion.
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
                // It fails only when its own certificate is bad, which the first request of a test finds out.
                let _ = apiserver::serve(server, listener, &authority, stopped).await;
            });
        });
        Ok(Arc::new(Self { folder, stop: Some(stop), thread: Some(thread) }))
    }

    /// The server that all tests of this process share; the first one to ask starts it.
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

    /// Where its kubeconfig is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for InMemory {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic there has been printed.
            let _ = thread.join();
        }
        // Left over, it does no harm.
        let _ = fs::remove_dir_all(&self.folder);
    }
}
