//! The command lines of the servers. Kubernetes 1.20 and current versions support all flags.

use crate::assets::Assets;
use crate::error::StartError;
use crate::keeper::Server;
use crate::kubeconfig;
use crate::pki::Pki;
use crate::setup::Parts;
use crate::version::ServerVersion;
use std::net::TcpListener;
use std::path::Path;

/// Free ports of the loopback interface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ports {
    pub etcd: u16,
    pub apiserver: u16,
}

impl Ports {
    /// Ports that were free a moment ago. If another process takes one, the server ends and the start is retried.
    pub fn free() -> Result<Self, StartError> {
        let reserve = || TcpListener::bind(("127.0.0.1", 0)).map_err(StartError::Port);
        // Holds both listeners until both ports are known, so that they differ.
        let (etcd, apiserver) = (reserve()?, reserve()?);
        let port = |listener: &TcpListener| listener.local_addr().map(|a| a.port()).map_err(StartError::Port);
        Ok(Self { etcd: port(&etcd)?, apiserver: port(&apiserver)? })
    }
}

pub(crate) fn etcd(assets: &Assets, folder: &Path, ports: Ports) -> Vec<String> {
    let client = format!("http://127.0.0.1:{}", ports.etcd);
    command(
        assets,
        Server::Etcd,
        [
            format!("--data-dir={}", folder.join("etcd").display()),
            format!("--listen-client-urls={client}"),
            format!("--advertise-client-urls={client}"),
            // There are no peers; the default port would collide with a second etcd.
            "--listen-peer-urls=http://127.0.0.1:0".to_owned(),
            "--unsafe-no-fsync".to_owned(),
        ],
    )
}

pub(crate) fn apiserver(
    assets: &Assets,
    folder: &Path,
    ports: Ports,
    pki: &Pki,
    extras: Parts,
) -> Vec<String> {
    // Without controllers, nothing creates the ServiceAccounts that this plugin requires for every pod.
    let disabled = "--disable-admission-plugins=ServiceAccount".to_owned();
    command(
        assets,
        Server::Apiserver,
        [
            format!("--etcd-servers=http://127.0.0.1:{}", ports.etcd),
            "--bind-address=127.0.0.1".to_owned(),
            format!("--secure-port={}", ports.apiserver),
            format!("--cert-dir={}", folder.display()),
            format!("--tls-cert-file={}", pki.server.certificate.display()),
            format!("--tls-private-key-file={}", pki.server.key.display()),
            format!("--client-ca-file={}", pki.authority.display()),
            "--authorization-mode=RBAC".to_owned(),
            "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
            format!("--service-account-key-file={}", pki.tokens_public_key.display()),
            format!("--service-account-signing-key-file={}", pki.tokens_key.display()),
            "--service-cluster-ip-range=10.0.0.0/16".to_owned(),
            "--allow-privileged=true".to_owned(),
            // The strictest setting of clusters for operators.
            "--enable-admission-plugins=OwnerReferencesPermissionEnforcement".to_owned(),
        ]
        .into_iter()
        .chain((!extras.service_accounts).then_some(disabled)),
    )
}

/// Garbage collection, namespace deletion and ServiceAccounts, but no controllers of workloads.
pub(crate) fn controller_manager(
    assets: &Assets,
    folder: &Path,
    version: ServerVersion,
    parts: Parts,
) -> Vec<String> {
    let more = if parts.service_accounts { ",serviceaccount" } else { "" };
    let mut flags = vec![
        format!("--kubeconfig={}", kubeconfig::path(folder).display()),
        // Current versions have longer names and accept these as aliases.
        format!("--controllers=garbagecollector,namespace{more}"),
        "--leader-elect=false".to_owned(),
        "--secure-port=0".to_owned(),
    ];
    if !version.at_least(1, 24) {
        // The insecure port, open by default in old versions, unknown to new ones.
        flags.push("--port=0".to_owned());
    }
    command(assets, Server::ControllerManager, flags)
}

fn command(assets: &Assets, server: Server, flags: impl IntoIterator<Item = String>) -> Vec<String> {
    let program = assets.program(server.program()).display().to_string();
    [program].into_iter().chain(flags).collect()
}
