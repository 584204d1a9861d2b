//! A Kubernetes API in memory, with stand-ins for all a cluster would have, behind a socket that counts.

use crate::counted::Counts;
use apiserver::{Access, ApiServer, Endpoint, User, serve};
use http::Request;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{Api, Client, api::PostParams};
use sandbox::{StandIns, definitions};
use serde_json::json;
use std::{path::PathBuf, time::Duration};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::{Layer as _, util::MapRequestLayer};

/// Ends with its owner.
pub struct Server {
    /// Talks to it without being counted.
    pub client: Client,
    /// Whoever has this file is counted.
    pub kubeconfig: PathBuf,
    /// What was asked through the socket.
    pub counts: Counts,
    _folder: TempDir,
    _stop: DropGuard,
}

impl Server {
    /// One that knows all kinds, and where everything comes up at once.
    pub async fn start() -> Self {
        let server = ApiServer::builder().access(Access::Rbac).build().unwrap();
        let client = Client::new(server.acting_as(User::admin()), "default");
        let api: Api<CustomResourceDefinition> = Api::all(client.clone());
        let ours = api::crds::all().into_iter().map(|definition| json!(definition));
        for definition in ours.chain(definitions::all()) {
            api.create(&PostParams::default(), &serde_json::from_value(definition).unwrap()).await.unwrap();
        }
        let folder = TempDir::new().unwrap();
        let kubeconfig = folder.path().join("kubeconfig");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = server.authority().unwrap();
        let admin = authority.credential("admin", "system:masters").unwrap();
        let endpoint = Endpoint::new(listener.local_addr().unwrap(), &authority);
        endpoint.write_kubeconfig(&kubeconfig, "bench", &admin).unwrap();

        let counts = Counts::default();
        let noted = counts.clone();
        let note = MapRequestLayer::new(move |request: Request<_>| {
            noted.note(request.method(), request.uri());
            request
        });
        let counted = note.layer(server);
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        tokio::spawn(async move { serve(counted, listener, &authority, stopped).await.unwrap() });
        tokio::spawn(StandIns::new(client.clone()).delay(Duration::ZERO).run(stop.clone()));
        Self { client, kubeconfig, counts, _folder: folder, _stop: stop.drop_guard() }
    }
}
