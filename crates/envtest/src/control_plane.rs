//! A running control plane for tests.

use crate::assets::Assets;
use crate::error::StartError;
use crate::in_memory::InMemory;
use crate::keeper::{Keeper, Lease};
use crate::kubeconfig;
use crate::setup::Setup;
use crate::version::ServerVersion;
use apiserver::ApiServer;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Client, Config};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::process::Command;

/// A running API server. Dropping it ends the server or, if it is shared, gives up the share of this process.
pub struct ControlPlane {
    kubectl: PathBuf,
    folder: PathBuf,
    kubeconfig: PathBuf,
    config: Config,
    client: Client,
    version: ServerVersion,
    servers: Servers,
    users: Users,
}

/// Which tests use a control plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Users {
    /// The test that started it.
    OneTest,
    /// All tests of a run, or of a process.
    ManyTests,
}

/// What keeps a control plane running.
enum Servers {
    /// An etcd and a kube-apiserver.
    Real {
        lease: Option<Lease>,
        /// Only for a control plane that is not shared.
        keeper: Option<Keeper>,
    },
    /// The in-memory server, which runs until this is dropped.
    InMemory(Arc<InMemory>),
}

impl ControlPlane {
    /// Starts a control plane for this test alone.
    pub async fn start() -> Result<Self, StartError> {
        Setup::default().start().await
    }

    /// The control plane that all tests of this run share. The first test starts it.
    pub async fn shared() -> Result<Self, StartError> {
        Setup::default().shared().await
    }

    /// A control plane with garbage collection and namespace deletion, to be started or shared.
    pub fn with_controller_manager() -> Setup {
        Setup::default().with_controller_manager()
    }

    /// Takes a share in a folder whose API server is ready.
    pub(crate) async fn attach(assets: Assets, folder: &Path, lease: Lease) -> Result<Self, StartError> {
        Self::over(folder, assets.kubectl(), Servers::Real { lease: Some(lease), keeper: None }).await
    }

    /// Takes a share in a server of this process.
    pub(crate) async fn in_memory(server: Arc<InMemory>) -> Result<Self, StartError> {
        let folder = server.folder().to_owned();
        let kubectl = Assets::find().map_or_else(|_| PathBuf::from("kubectl"), |assets| assets.kubectl());
        Self::over(&folder, kubectl, Servers::InMemory(server)).await
    }

    async fn over(folder: &Path, kubectl: PathBuf, servers: Servers) -> Result<Self, StartError> {
        let config = kubeconfig::read(folder).await?;
        let client = Client::try_from(config.clone())?;
        let version = ServerVersion::from(&client.apiserver_version().await?);
        let kubeconfig = kubeconfig::path(folder);
        let (folder, users) = (folder.to_owned(), Users::OneTest);
        Ok(Self { kubectl, folder, kubeconfig, config, client, version, servers, users })
    }

    /// The same control plane, which other tests use, too.
    pub(crate) fn shared_with_tests(mut self) -> Self {
        self.users = Users::ManyTests;
        self
    }

    /// Whether other tests use it, too.
    pub(crate) fn is_shared(&self) -> bool {
        self.users == Users::ManyTests
    }

    /// Whether it is the in-memory server, whose controllers are done before it answers a request.
    pub(crate) fn is_in_memory(&self) -> bool {
        self.server().is_some()
    }

    /// The in-memory server, if it is that.
    pub(crate) fn server(&self) -> Option<&ApiServer> {
        match &self.servers {
            Servers::InMemory(running) => Some(running.server()),
            Servers::Real { .. } => None,
        }
    }

    /// Makes dropping wait until `keeper` has ended the servers.
    pub(crate) fn owned(mut self, owner: Keeper) -> Self {
        if let Servers::Real { keeper, .. } = &mut self.servers {
            *keeper = Some(owner);
        }
        self
    }

    /// The client of the administrator.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// The client configuration of the administrator.
    pub fn config(&self) -> Config {
        self.config.clone()
    }

    /// The configuration of a client with the permissions that RBAC grants to this user and these groups, initially
    /// almost none.
    ///
    /// The administrator impersonates the user, so any name is possible, also that of a service account
    /// (`system:serviceaccount:NAMESPACE:NAME`).
    pub fn user(&self, name: &str, groups: &[&str]) -> Config {
        let mut config = self.config();
        config.auth_info.impersonate = Some(name.to_owned());
        config.auth_info.impersonate_groups = Some(groups.iter().map(|&group| group.to_owned()).collect());
        config
    }

    /// A kubeconfig file of the administrator.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// The folder of the kubeconfig and of the logs of real servers (`kube-apiserver.log`), while they run.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A kubectl command of the administrator.
    pub fn kubectl<A: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = A>) -> Command {
        let mut command = Command::new(&self.kubectl);
        // The user's own cache may have the API of another test that used the same port.
        command.env("KUBECONFIG", &self.kubeconfig).arg("--cache-dir").arg(self.folder.join("kubectl"));
        command.args(args);
        command
    }

    /// The Kubernetes version of the server.
    pub fn version(&self) -> ServerVersion {
        self.version
    }

    /// Creates a namespace with a unique name.
    pub async fn create_namespace(&self, prefix: &str) -> Result<String, StartError> {
        let metadata = ObjectMeta { generate_name: Some(format!("{prefix}-")), ..ObjectMeta::default() };
        let namespace = Namespace { metadata, ..Namespace::default() };
        let created = Api::all(self.client()).create(&PostParams::default(), &namespace).await?;
        Ok(created.metadata.name.unwrap_or_default())
    }

    /// Ends a control plane that is not shared and waits until its processes and files are gone. Gives up the share
    /// in a shared one.
    pub async fn stop(self) {
        // Fails only when the runtime is shutting down, where dropping has the same effect.
        let _ = tokio::task::spawn_blocking(move || drop(self)).await;
    }
}

impl Drop for ControlPlane {
    fn drop(&mut self) {
        if let Servers::Real { lease, keeper } = &mut self.servers {
            *lease = None;
            if let Some(keeper) = keeper.take() {
                keeper.wait();
            }
        }
    }
}
