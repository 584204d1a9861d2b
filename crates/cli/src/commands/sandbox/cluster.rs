//! The cluster of the sandbox: an API server in memory, served over TLS, and controllers that make workloads ready.

use super::{
    definitions::install,
    webhooks::{reached_at, service},
};
use crate::{
    flags::OPERATORS,
    output::{Error, SandboxError},
};
use ::sandbox::{StandIns, definitions};
use api::conversion::serve_v1alpha3;
use apiserver::{Access, ApiServer, Endpoint, User, serve};
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, Client,
    api::{ObjectMeta, PostParams},
};
use plan::DigestKey;
use runtime::{SystemEntropy, ensure_digest_key};
use serde_json::{Value, json};
use std::{
    fmt,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// The context and the user in the kubeconfig.
const CONTEXT: &str = "sandbox";
const USER: &str = "admin";

/// The settings of a cluster.
#[derive(Debug)]
pub struct ClusterOptions<'a> {
    /// The address of the API.
    pub listen: SocketAddr,
    /// The file that keeps its objects; `None` keeps them in memory only.
    pub state: Option<PathBuf>,
    /// How long workloads, certificates and databases take to become ready.
    pub delay: Duration,
    /// The file to write the kubeconfig to.
    pub kubeconfig: &'a Path,
    /// Where the webhooks of the operator are served.
    pub webhooks: SocketAddr,
}

/// A running cluster that knows our kinds and those of the operators we use.
pub struct Cluster {
    /// A client with the rights of an administrator, which does not use the network.
    pub client: Client,
    /// The digest key of the operator in it, kept with its other objects.
    pub digest_key: DigestKey,
    parts: JoinSet<Result<(), String>>,
    stop: CancellationToken,
}

impl Cluster {
    /// Starts a cluster, and writes its kubeconfig.
    pub async fn start(options: ClusterOptions<'_>) -> Result<Self, Error> {
        let ClusterOptions { listen, state, delay, kubeconfig, webhooks } = options;
        // All users of this machine can reach the port, so a client needs the credentials of the kubeconfig.
        let builder = ApiServer::builder().access(Access::Rbac).service_accounts();
        let builder = builder.webhooks(Arc::new(reached_at(webhooks)));
        let builder = if let Some(file) = state { builder.file(file) } else { builder };
        let server = builder.build().map_err(unavailable)?;
        let client = Client::new(server.acting_as(User::admin()), "default");
        install(client.clone(), all_definitions()).await?;
        let digest_key = digest_key(&client).await?;

        let listener = TcpListener::bind(listen).await.map_err(|error| cannot_listen(listen, &error))?;
        let address = listener.local_addr().map_err(|error| cannot_listen(listen, &error))?;
        let authority = server.authority().map_err(unavailable)?;
        let credential = authority.credential(USER, "system:masters").map_err(unavailable)?;
        let endpoint = Endpoint::new(address, &authority);
        endpoint.write_kubeconfig(kubeconfig, CONTEXT, &credential).map_err(unavailable)?;

        let stop = CancellationToken::new();
        let mut parts = JoinSet::new();
        let stopped = stop.clone().cancelled_owned();
        parts.spawn(async move {
            serve(server, listener, &authority, stopped).await.map_err(|error| error.to_string())
        });
        let stand_ins = StandIns::new(client.clone()).delay(delay).run(stop.clone());
        parts.spawn(async move { stand_ins.await.map_err(|error| error.to_string()) });
        Ok(Self { client, digest_key, parts, stop })
    }

    /// Waits until a part of it ends, which none should, and returns the reason.
    pub async fn failed(&mut self) -> Error {
        let ended = self.parts.join_next().await;
        let why = match ended {
            Some(Ok(Err(problem))) => problem,
            Some(Err(panic)) => panic.to_string(),
            Some(Ok(Ok(()))) | None => "a part of it ended".into(),
        };
        unavailable(why)
    }

    /// Finishes running requests, then ends it.
    pub async fn end(mut self) {
        self.stop.cancel();
        while self.parts.join_next().await.is_some() {}
    }
}

/// The digest key of the operator, in the namespace where the shipped manifests install it.
async fn digest_key(client: &Client) -> Result<DigestKey, Error> {
    let metadata = ObjectMeta { name: Some(OPERATORS.into()), ..ObjectMeta::default() };
    let namespace = Namespace { metadata, ..Namespace::default() };
    match Api::all(client.clone()).create(&PostParams::default(), &namespace).await {
        Err(kube::Error::Api(status)) if status.is_already_exists() => {}
        created => _ = created.map_err(unavailable)?,
    }
    ensure_digest_key(client, OPERATORS, &SystemEntropy).await.map_err(unavailable)
}

fn all_definitions() -> Vec<Value> {
    let ours = serve_v1alpha3(api::crds::all(), &service());
    ours.into_iter().map(|definition| json!(definition)).chain(definitions::all()).collect()
}

fn unavailable(problem: impl fmt::Display) -> Error {
    SandboxError::Start(problem.to_string()).into()
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Error {
    unavailable(format_args!("cannot listen on {address} ({error}); name another address with --listen"))
}

#[cfg(test)]
mod tests {
    use super::{Cluster, ClusterOptions};
    use k8s_openapi::api::core::v1::Secret;
    use kube::{
        Api, Client, Config,
        api::ListParams,
        config::{AuthInfo, KubeConfigOptions, Kubeconfig},
    };
    use std::time::Duration;
    use tempfile::TempDir;

    #[tokio::test]
    async fn clients_without_the_kubeconfig_are_refused() {
        let folder = TempDir::new().unwrap();
        let kubeconfig = folder.path().join("kubeconfig");
        let listen = "127.0.0.1:0".parse().unwrap();
        let options = ClusterOptions {
            listen,
            state: None,
            delay: Duration::ZERO,
            kubeconfig: &kubeconfig,
            webhooks: listen,
        };
        let _cluster = Cluster::start(options).await.unwrap();
        let known = Kubeconfig::read_from(&kubeconfig).unwrap();
        let mut config = Config::from_custom_kubeconfig(known, &KubeConfigOptions::default()).await.unwrap();
        let secrets = |config: &Config| Api::<Secret>::all(Client::try_from(config.clone()).unwrap());

        secrets(&config).list(&ListParams::default()).await.unwrap();
        config.auth_info = AuthInfo::default();
        let refusal = secrets(&config).list(&ListParams::default()).await.unwrap_err();
        assert!(matches!(&refusal, kube::Error::Api(status) if status.code == 403), "{refusal}");
    }
}
