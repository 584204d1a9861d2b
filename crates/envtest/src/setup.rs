//! Starts the servers of a control plane in order, and waits until they are ready.

use crate::assets::Assets;
use crate::control_plane::ControlPlane;
use crate::error::StartError;
use crate::in_memory::InMemory;
use crate::keeper::{Keeper, Lease, Server};
use crate::pki::Pki;
use crate::servers::{self, Ports};
use crate::{kubeconfig, shared};
use http::Request;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{DeleteParams, ObjectMeta, PostParams};
use kube::{Api, Client};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Long enough for a machine that compiles on all cores. A server that ends is reported at once.
const READY: Duration = Duration::from_mins(2);
const PORT_ATTEMPTS: u32 = 5;

/// Which servers a control plane has.
///
/// By default real servers if `KUBEBUILDER_ASSETS` is set, otherwise the in-memory one.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    parts: Parts,
    kind: Option<Kind>,
    tests: Option<&'static str>,
}

/// What a control plane has beside an API server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Parts {
    /// Garbage collection and namespace deletion.
    pub controller_manager: bool,
    /// The admission plugin ServiceAccount.
    pub service_accounts: bool,
}

/// The kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Real,
    InMemory,
}

impl Setup {
    /// Adds garbage collection and namespace deletion, but no controller that makes workloads ready.
    #[must_use]
    pub fn with_controller_manager(self) -> Self {
        Self { parts: Parts { controller_manager: true, ..self.parts }, ..self }
    }

    /// Adds the admission plugin ServiceAccount: a pod needs a ServiceAccount, and gets its pull secrets. With a controller
    /// manager, every namespace has the ServiceAccount `default`.
    #[must_use]
    pub fn with_service_accounts(self) -> Self {
        Self { parts: Parts { service_accounts: true, ..self.parts }, ..self }
    }

    /// Shares the control plane only among these tests, because they change what belongs to the whole cluster.
    #[must_use]
    pub fn apart(self, tests: &'static str) -> Self {
        Self { tests: Some(tests), ..self }
    }

    /// Requires real servers, from `KUBEBUILDER_ASSETS` or from the cache.
    #[must_use]
    pub fn real(self) -> Self {
        Self { kind: Some(Kind::Real), ..self }
    }

    /// Requires the in-memory server.
    #[must_use]
    pub fn in_memory(self) -> Self {
        Self { kind: Some(Kind::InMemory), ..self }
    }

    /// Starts a control plane for this test alone. Dropping it ends the servers.
    pub async fn start(&self) -> Result<ControlPlane, StartError> {
        if self.is_in_memory() {
            return ControlPlane::in_memory(InMemory::start(self.parts)?).await;
        }
        let (control_plane, keeper) = self.launch(&self.assets()?, Duration::ZERO).await?;
        Ok(control_plane.owned(keeper))
    }

    /// The control plane with these servers that all tests of this run share. The first test starts it.
    ///
    /// Tests isolate themselves by namespace, and install definitions [`once`](ControlPlane::once). Setups with other
    /// parts, or for tests [`apart`](Self::apart), are other control planes, so a run needs fewer processes if all its
    /// tests use the same.
    pub async fn shared(&self) -> Result<ControlPlane, StartError> {
        if self.is_in_memory() {
            let server = InMemory::shared((self.parts, self.tests))?;
            return ControlPlane::in_memory(server).await.map(ControlPlane::shared_with_tests);
        }
        let control_plane = shared::control_plane(self, self.assets()?, (self.parts, self.tests)).await;
        control_plane.map(ControlPlane::shared_with_tests)
    }

    fn is_in_memory(&self) -> bool {
        let default = if Assets::are_chosen() { Kind::Real } else { Kind::InMemory };
        self.kind.unwrap_or(default) == Kind::InMemory
    }

    fn assets(&self) -> Result<Assets, StartError> {
        let assets = Assets::find()?;
        if self.parts.controller_manager && !assets.has_controller_manager() {
            return Err(StartError::NoControllerManager(assets.folder().to_owned()));
        }
        Ok(assets)
    }

    /// Starts the servers. They outlive the returned control plane by `linger`.
    pub(crate) async fn launch(
        &self,
        assets: &Assets,
        linger: Duration,
    ) -> Result<(ControlPlane, Keeper), StartError> {
        let mut attempt = 1;
        loop {
            let (mut keeper, lease) = Keeper::start(linger)?;
            match self.boot(assets, &mut keeper, lease).await {
                Err(error) if attempt < PORT_ATTEMPTS && error.is_port_taken() => {
                    error.forget_log();
                    attempt += 1;
                }
                result => return result.map(|control_plane| (control_plane, keeper)),
            }
        }
    }

    async fn boot(
        &self,
        assets: &Assets,
        keeper: &mut Keeper,
        lease: Lease,
    ) -> Result<ControlPlane, StartError> {
        let folder = keeper.folder().to_owned();
        let ports = Ports::free()?;
        let pki = Pki::create(&folder)?;
        kubeconfig::write(&folder, ports.apiserver, &pki)?;
        keeper.run(Server::Etcd, &servers::etcd(assets, &folder, ports))?;
        keeper.run(Server::Apiserver, &servers::apiserver(assets, &folder, ports, &pki, self.parts))?;

        let mut config = kubeconfig::read(&folder).await?;
        config.default_retry = false;
        let probe = Client::try_from(config)?;
        ready(keeper, Server::Apiserver, || async { is_ready(&probe).await }).await?;

        let control_plane = ControlPlane::attach(assets.clone(), &folder, lease).await?;
        if self.parts.controller_manager {
            let command = servers::controller_manager(assets, &folder, control_plane.version(), self.parts);
            keeper.run(Server::ControllerManager, &command)?;
            collects_garbage(keeper, &control_plane).await?;
        }
        Ok(control_plane)
    }
}

async fn is_ready(probe: &Client) -> bool {
    let Ok(request) = Request::get("/readyz").body(Vec::new()) else { return false };
    probe.request_text(request).await.is_ok()
}

/// Waits until the garbage collector deletes an object whose owner does not exist. The readiness endpoints do not
/// report whether the controllers run.
async fn collects_garbage(keeper: &mut Keeper, control_plane: &ControlPlane) -> Result<(), StartError> {
    let namespace = control_plane.create_namespace("envtest").await?;
    let owner = OwnerReference {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: "gone".to_owned(),
        uid: "00000000-0000-0000-0000-000000000000".to_owned(),
        ..OwnerReference::default()
    };
    let metadata = ObjectMeta {
        name: Some("garbage".to_owned()),
        owner_references: Some(vec![owner]),
        ..ObjectMeta::default()
    };
    let garbage = ConfigMap { metadata, ..ConfigMap::default() };
    let config_maps: Api<ConfigMap> = Api::namespaced(control_plane.client(), &namespace);
    config_maps.create(&PostParams::default(), &garbage).await?;
    let gone = || async { matches!(config_maps.get_opt("garbage").await, Ok(None)) };
    ready(keeper, Server::ControllerManager, gone).await?;
    Api::<Namespace>::all(control_plane.client()).delete(&namespace, &DeleteParams::default()).await?;
    Ok(())
}

/// Waits until `condition` is true. Fails if a server ends or the time is up.
async fn ready<F: Future<Output = bool>>(
    keeper: &mut Keeper,
    server: Server,
    condition: impl Fn() -> F,
) -> Result<(), StartError> {
    let deadline = Instant::now() + READY;
    while !timeout(Duration::from_secs(5), condition()).await.unwrap_or(false) {
        keeper.check()?;
        if Instant::now() > deadline {
            return Err(StartError::NotReady { server, seconds: READY.as_secs(), log: keeper.log(server) });
        }
        sleep(Duration::from_millis(50)).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Setup;
    use crate::assets::Assets;
    use crate::error::StartError;
    use crate::folder;
    use crate::keeper::Server;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::time::Duration;

    #[tokio::test]
    async fn a_server_that_ends_is_reported_at_once_with_its_last_words() {
        let assets = binaries("echo unknown flag: --surprise; exit 3");
        let error = Setup::default().launch(&Assets::at(&assets), Duration::ZERO).await.err().unwrap();

        assert!(error.to_string().starts_with("kube-apiserver ended with status 3; its log is /"), "{error}");
        assert!(error.to_string().ends_with("it ends with:\nunknown flag: --surprise"), "{error}");
        let StartError::Exited { server: Server::Apiserver, log, .. } = error else { panic!("{error}") };
        let kept = log.kept.unwrap();
        assert_eq!(fs::read_to_string(&kept).unwrap(), "unknown flag: --surprise\n");
        fs::remove_file(kept).unwrap();
        fs::remove_dir_all(assets).unwrap();
    }

    #[tokio::test]
    async fn a_port_that_was_taken_meanwhile_is_exchanged_for_another() {
        let assets = binaries(
            "[ -e \"$0.again\" ] && { echo other; exit 4; }; >\"$0.again\"; echo bind: address already in use; exit 1",
        );
        let error = Setup::default().launch(&Assets::at(&assets), Duration::ZERO).await.err().unwrap();

        assert!(matches!(&error, StartError::Exited { status, .. } if status == "4"), "{error}");
        error.forget_log();
        fs::remove_dir_all(assets).unwrap();
    }

    /// Binaries of an etcd that only waits, and of a kube-apiserver that is this shell script.
    fn binaries(apiserver: &str) -> PathBuf {
        let folder = folder::create().unwrap();
        program(&folder.join("etcd"), "sleep 60");
        program(&folder.join("kube-apiserver"), apiserver);
        folder
    }

    fn program(path: &Path, script: &str) {
        fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
}
