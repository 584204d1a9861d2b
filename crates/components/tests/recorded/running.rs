//! An operator of this version on an API server with the recorded objects.

use crate::recording::{Recording, recorded_at, recordings};
use apiserver::ApiServer;
use http::Request;
use k8s_openapi::{
    api::apps::v1::Deployment,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, ResourceExt as _,
    api::{ListParams, PostParams},
    client::Body,
};
use runtime::{Health, Operator, Options};
use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// What this version writes once, in its order: the file of the recording, and the request.
///
/// The Secret of Core's environment keeps the administrator's password, so that a change of it restarts no pod. The record of its
/// database gets the fingerprints of what Core reaches the database and Redis with, so that JobService and the schedule of the
/// garbage collection follow a change. Deployments get the label that says which passwords their pods have restarted for. The
/// revision in the status of a HarborCluster no longer has fractions of a second.
const DELIBERATE: [(&str, &str); 19] = [
    ("3d5d929-harbor-full.jsonl", "PATCH /api/v1/namespaces/registry/secrets/acme-harbor-core"),
    (
        "3d5d929-harbor-full.jsonl",
        "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-jobservice",
    ),
    ("3d5d929-harbor-full.jsonl", "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-exporter"),
    ("3d5d929-harbor-full.jsonl", "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-trivy"),
    ("3d5d929-harbor-full.jsonl", "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-core"),
    ("3d5d929-harbor-full.jsonl", "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-registry"),
    ("3d5d929-harbor-full.jsonl", "PATCH /api/v1/namespaces/registry/secrets/acme-harbor-core-database"),
    ("3d5d929-harbor.jsonl", "PATCH /api/v1/namespaces/registry/secrets/acme-harbor-core"),
    ("3d5d929-harbor.jsonl", "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-registry"),
    ("3d5d929-harbor.jsonl", "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-jobservice"),
    ("3d5d929-harbor.jsonl", "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-core"),
    ("3d5d929-harbor.jsonl", "PATCH /api/v1/namespaces/registry/secrets/acme-harbor-core-database"),
    (
        "3d5d929-in-cluster.jsonl",
        "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-harbor-registry",
    ),
    (
        "3d5d929-in-cluster.jsonl",
        "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-harbor-jobservice",
    ),
    (
        "3d5d929-in-cluster.jsonl",
        "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-harbor-trivy",
    ),
    ("3d5d929-in-cluster.jsonl", "PATCH /api/v1/namespaces/registry/secrets/acme-harbor-harbor-core"),
    (
        "3d5d929-in-cluster.jsonl",
        "PATCH /apis/goharbor.io/v1beta1/namespaces/registry/harborclusters/acme/status",
    ),
    (
        "3d5d929-in-cluster.jsonl",
        "PATCH /apis/apps/v1/namespaces/registry/deployments/acme-harbor-harbor-core",
    ),
    (
        "3d5d929-in-cluster.jsonl",
        "PATCH /api/v1/namespaces/registry/secrets/acme-harbor-harbor-core-database",
    ),
];

/// How long the operator runs, in virtual time.
const LONG: Duration = Duration::from_mins(10);

/// A server with the recorded objects, and with the definitions of this version.
async fn server(recording: &Recording) -> ApiServer {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(&recording.file);
    fs::write(&file, &recording.journal).unwrap();
    // What became of pods is not recorded.
    let server = ApiServer::builder().file(&file).start(recorded_at()).without_controllers().build().unwrap();
    let foreign = sandbox::definitions::all().into_iter().map(|it| serde_json::from_value(it).unwrap());
    let definitions: Api<CustomResourceDefinition> = Api::all(Client::new(server.clone(), "default"));
    for definition in api::crds::all().into_iter().chain(foreign) {
        definitions.create(&PostParams::default(), &definition).await.unwrap();
    }
    server
}

/// The writes of an operator that starts on this server.
async fn writes(server: ApiServer, recording: &Recording) -> Vec<String> {
    let written = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&written);
    let noted = server.map_request(move |request: Request<Body>| {
        if request.method() != http::Method::GET {
            log.lock().unwrap().push(format!("{} {}", request.method(), request.uri().path()));
        }
        request
    });
    let health = Arc::<Health>::default();
    let options = Options {
        digest_key: recording.digest_key(),
        clock: recorded_at,
        health: Arc::clone(&health),
        ..Options::default()
    };
    let operator = Operator::new(Client::new(noted, "default"), components::all(), options);
    let stop = CancellationToken::new();
    let running = tokio::spawn(operator.run(stop.clone()));
    tokio::time::sleep(LONG).await;
    assert!(health.ready().is_ok(), "{}: the operator has not listed everything", recording.file);
    stop.cancel();
    running.await.unwrap().unwrap();
    std::mem::take(&mut *written.lock().unwrap())
}

/// The generations of all Deployments, which change with their specs.
async fn generations(server: &ApiServer) -> BTreeMap<String, Option<i64>> {
    let api: Api<Deployment> = Api::all(Client::new(server.clone(), "default"));
    let deployments = api.list(&ListParams::default()).await.unwrap().items;
    assert!(!deployments.is_empty());
    deployments.into_iter().map(|it| (it.name_any(), it.metadata.generation)).collect()
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_takes_over_from_an_earlier_version_writes_only_what_is_listed() {
    let mut written = Vec::new();
    for recording in recordings() {
        let server = server(&recording).await;
        let before = generations(&server).await;
        let first = writes(server.clone(), &recording).await;
        assert_eq!(generations(&server).await, before, "{}: no pod restarts", recording.file);
        written.extend(first.into_iter().map(|request| (recording.file.clone(), request)));
        let second = writes(server, &recording).await;
        assert_eq!(second, Vec::<String>::new(), "{}: all of it once", recording.file);
    }
    let expected = DELIBERATE.map(|(file, request)| (file.to_owned(), request.to_owned()));
    assert_eq!(written, expected);
}
