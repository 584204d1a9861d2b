//! A Kubernetes API with controllers that stand in for those of a cluster, behind a socket that counts requests.
//!
//! With `KUBEBUILDER_ASSETS` it is a real etcd and kube-apiserver, otherwise the API server in memory.

use crate::counted::Counts;
use apiserver::{Access, ApiServer, Authority, Body, Endpoint, User, serve};
use envtest::ControlPlane;
use futures::StreamExt as _;
use http::{Request, Response};
use http_body_util::BodyExt as _;
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
    /// Its requests are not counted.
    pub client: Client,
    /// The requests of a client with this file are counted.
    pub kubeconfig: PathBuf,
    /// The requests that came through the socket.
    pub counts: Counts,
    /// The version of the API server.
    pub version: String,
    _folder: TempDir,
    _plane: Option<ControlPlane>,
    _stop: DropGuard,
}

impl Server {
    /// One that knows all kinds, and where everything becomes ready at once.
    pub async fn start() -> Self {
        let plane = match std::env::var_os("KUBEBUILDER_ASSETS") {
            Some(_) => Some(ControlPlane::start().await.unwrap()),
            None => None,
        };
        let server = ApiServer::builder().access(Access::Rbac).build().unwrap();
        let client = match &plane {
            Some(plane) => plane.client(),
            None => Client::new(server.acting_as(User::admin()), "default"),
        };
        install(&client, plane.as_ref()).await;
        let version = client.apiserver_version().await.unwrap().git_version;

        let folder = TempDir::new().unwrap();
        let kubeconfig = folder.path().join("kubeconfig");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = server.authority().unwrap();
        let admin = authority.credential("admin", "system:masters").unwrap();
        let endpoint = Endpoint::new(listener.local_addr().unwrap(), &authority);
        endpoint.write_kubeconfig(&kubeconfig, "bench", &admin).unwrap();

        let counts = Counts::default();
        let stop = CancellationToken::new();
        match &plane {
            Some(plane) => {
                tokio::spawn(forward(plane.client(), counts.clone(), listener, authority, stop.clone()))
            }
            None => tokio::spawn(answer(server, counts.clone(), listener, authority, stop.clone())),
        };
        tokio::spawn(StandIns::new(client.clone()).delay(Duration::ZERO).run(stop.clone()));
        Self { client, kubeconfig, counts, version, _folder: folder, _plane: plane, _stop: stop.drop_guard() }
    }
}

async fn install(client: &Client, plane: Option<&ControlPlane>) {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let ours = api::crds::all().into_iter().map(|definition| json!(definition));
    for definition in ours.chain(definitions::all()) {
        let name = definition["metadata"]["name"].as_str().unwrap().to_owned();
        api.create(&PostParams::default(), &serde_json::from_value(definition).unwrap()).await.unwrap();
        if let Some(plane) = plane {
            plane.until_established(&name).await;
        }
    }
}

async fn answer(
    server: ApiServer,
    counts: Counts,
    listener: TcpListener,
    authority: Authority,
    stop: CancellationToken,
) {
    let note = MapRequestLayer::new(move |request: Request<_>| {
        counts.note(request.method(), request.uri());
        request
    });
    serve(note.layer(server), listener, &authority, stop.cancelled_owned()).await.unwrap();
}

/// Hands every request on to a real API server.
async fn forward(
    client: Client,
    counts: Counts,
    listener: TcpListener,
    authority: Authority,
    stop: CancellationToken,
) {
    let service = tower::service_fn(move |request: Request<hyper::body::Incoming>| {
        counts.note(request.method(), request.uri());
        let client = client.clone();
        async move {
            let (mut parts, body) = request.into_parts();
            // A request with HTTP/2 has the address of this socket, and kube's client speaks HTTP/1.1.
            parts.version = http::Version::HTTP_11;
            parts.uri = parts.uri.path_and_query().map(|path| path.clone().into()).unwrap_or_default();
            let body = body.collect().await.map_err(tower::BoxError::from)?.to_bytes();
            let request = Request::from_parts(parts, kube::client::Body::from(body.to_vec()));
            let (mut parts, body) = client.send(request).await.map_err(tower::BoxError::from)?.into_parts();
            // The client has unpacked the body.
            parts.headers.remove(http::header::CONTENT_ENCODING);
            parts.headers.remove(http::header::CONTENT_LENGTH);
            parts.headers.remove(http::header::TRANSFER_ENCODING);
            let pieces = body.into_data_stream().map(|piece| piece.map_err(tower::BoxError::from));
            Ok::<_, tower::BoxError>(Response::from_parts(parts, Body::stream(pieces)))
        }
    });
    serve(service, listener, &authority, stop.cancelled_owned()).await.unwrap();
}
