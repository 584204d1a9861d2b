//! The in-memory server in this process, with the same kind of socket, kubeconfig and folder as real servers.

use crate::error::StartError;
use crate::setup::Parts;
use crate::shared::Which;
use crate::{folder, kubeconfig};
use apiserver::{Access, ApiServer, Authority, Endpoint};
use std::collections::BTreeMap;
use std::fs;
use std::future::pending;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use tokio::sync::oneshot;

/// A server on a thread of its own. Dropping it ends the server and removes its folder.
///
/// The thread has its own runtime, because the runtime of a test may be paused, or end before the last watch.
pub(crate) struct InMemory {
    server: ApiServer,
    folder: PathBuf,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl InMemory {
    /// Starts a server with these parts.
    pub fn start(parts: Parts) -> Result<Arc<Self>, StartError> {
        let folder = folder::create()?;
        let prepared = Prepared::new(&folder, parts)?;
        let server = prepared.server.clone();
        let (stop, stopped) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(StartError::file(&folder))?;
        let thread = thread::spawn(move || runtime.block_on(prepared.serve(stopped)));
        Ok(Arc::new(Self { server, folder, stop: Some(stop), thread: Some(thread) }))
    }

    /// The server with these parts that all tests of this process share, or these tests. The first test starts it.
    pub fn shared(which: Which) -> Result<Arc<Self>, StartError> {
        static SHARED: Mutex<BTreeMap<Which, Weak<InMemory>>> = Mutex::new(BTreeMap::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = shared.get(&which).and_then(Weak::upgrade) {
            return Ok(running);
        }
        let started = Self::start(which.0)?;
        shared.insert(which, Arc::downgrade(&started));
        Ok(started)
    }

    /// The server itself.
    pub fn server(&self) -> &ApiServer {
        &self.server
    }

    /// The folder with its kubeconfig.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// A server that listens, and whose kubeconfig is written.
struct Prepared {
    server: ApiServer,
    listener: TcpListener,
    authority: Authority,
}

impl Prepared {
    fn new(folder: &Path, parts: Parts) -> Result<Self, StartError> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(StartError::Port)?;
        listener.set_nonblocking(true).map_err(StartError::Port)?;
        let authority = Authority::generate()?;
        let endpoint = Endpoint::new(listener.local_addr().map_err(StartError::Port)?, &authority);
        let admin = authority.credential("envtest-admin", "system:masters")?;
        folder::write(&kubeconfig::path(folder), &endpoint.kubeconfig("envtest", &admin))?;

        let builder = ApiServer::builder().access(Access::Rbac).protecting_owner_references();
        let builder = if parts.controller_manager { builder } else { builder.without_controllers() };
        let builder = if parts.service_accounts { builder.service_accounts() } else { builder };
        Ok(Self { server: builder.build()?, listener, authority })
    }

    /// Answers requests until the server is to stop. It then waits for no request: the test is over, and the watches of
    /// its operator, which never end, would delay the end of every test.
    async fn serve(self, stopped: oneshot::Receiver<()>) {
        let Ok(listener) = tokio::net::TcpListener::from_std(self.listener) else { return };
        tokio::select! {
            // It ends only if its certificate is invalid. Then the first request of a test fails, too.
            _ = apiserver::serve(self.server, listener, &self.authority, pending::<()>()) => {}
            _ = stopped => {}
        }
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

#[cfg(test)]
mod tests {
    use super::Prepared;
    use crate::setup::Parts;
    use crate::{folder, kubeconfig};
    use futures::StreamExt as _;
    use k8s_openapi::api::core::v1::Namespace;
    use kube::{Api, Client, api::WatchParams};
    use std::fs;
    use std::pin::pin;
    use std::time::Duration;
    use tokio::sync::oneshot;
    use tokio::time::{self, Instant};

    #[tokio::test]
    async fn an_open_watch_does_not_delay_the_end_of_a_server() {
        let folder = folder::create().unwrap();
        let prepared = Prepared::new(&folder, Parts::default()).unwrap();
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(prepared.serve(stopped));
        let client = Client::try_from(kubeconfig::read(&folder).await.unwrap()).unwrap();
        let namespaces: Api<Namespace> = Api::all(client);
        let watch = namespaces.watch(&WatchParams::default(), "0").await.unwrap();
        let mut watch = pin!(watch);
        watch.next().await.unwrap().unwrap();

        time::pause();
        let before = Instant::now();
        stop.send(()).unwrap();
        served.await.unwrap();

        assert_eq!(before.elapsed(), Duration::ZERO);
        fs::remove_dir_all(folder).unwrap();
    }
}
