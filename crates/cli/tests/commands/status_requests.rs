//! The requests of a whole `status NAME`, as `docs/cost.md` has them.

use crate::run::Folder;
use api::names::SANDBOX_FAIL_ANNOTATION;
use apiserver::{Access, ApiServer, Endpoint, User, serve};
use http::Request;
use k8s_openapi::api::apps::v1::Deployment;
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
    runtime::wait::await_condition,
};
use sandbox::StandIns;
use serde_json::json;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, process::Command, time::timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::{Layer as _, util::MapRequestLayer};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/in-cluster.yaml");
const PATIENCE: Duration = Duration::from_mins(3);

/// A cluster with a HarborCluster and everything that it runs in the cluster, whose API notes the requests.
struct Cluster {
    client: Client,
    requests: Arc<Mutex<Vec<String>>>,
    folder: Folder,
    _stop: DropGuard,
}

impl Cluster {
    async fn ready() -> Self {
        let folder = Folder::empty();
        let ran =
            folder.command(&format!("sandbox --delay 0s --state state --wait --apply {EXAMPLE}")).output();
        assert!(ran.unwrap().status.success());
        let server = ApiServer::builder().access(Access::Rbac).file(folder.path("state")).build().unwrap();
        let client = Client::new(server.acting_as(User::admin()), "registry");
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let authority = server.authority().unwrap();
        let endpoint = Endpoint::new(listener.local_addr().unwrap(), &authority);
        let admin = authority.credential("admin", "system:masters").unwrap();
        endpoint.write_kubeconfig(&folder.path("kubeconfig"), "test", &admin).unwrap();
        let (requests, stop) = (Arc::<Mutex<Vec<String>>>::default(), CancellationToken::new());
        let noted = Arc::clone(&requests);
        let note = MapRequestLayer::new(move |request: Request<_>| {
            noted.lock().unwrap().push(sort(request.method(), request.uri()));
            request
        });
        let (service, stopped) = (note.layer(server), stop.clone());
        tokio::spawn(async move {
            serve(service, listener, &authority, stopped.cancelled_owned()).await.unwrap();
        });
        tokio::spawn(StandIns::new(client.clone()).delay(Duration::ZERO).run(stop.clone()));
        Self { client, requests, folder, _stop: stop.drop_guard() }
    }

    /// Makes the container of Core log some words and end, again and again.
    async fn crash(&self) {
        let failing = json!({"metadata": {"annotations": {SANDBOX_FAIL_ANNOTATION: "panic: no database"}}});
        let (deployments, core) =
            (Api::<Deployment>::default_namespaced(self.client.clone()), "acme-harbor-harbor-core");
        deployments.patch(core, &PatchParams::default(), &Patch::Merge(failing)).await.unwrap();
        let is_down = |it: Option<&Deployment>| {
            it.is_some_and(|it| it.status.as_ref().is_some_and(|it| it.ready_replicas.unwrap_or(0) == 0))
        };
        timeout(PATIENCE, await_condition(deployments, core, is_down)).await.unwrap().unwrap();
    }

    /// The exit code of `status acme`, what it prints, and how many requests of each sort it sends.
    async fn status(&self) -> (Option<i32>, String, BTreeMap<String, usize>) {
        self.requests.lock().unwrap().clear();
        let mut command = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
        command.args(["status", "acme", "--namespace", "registry"]);
        let ran = command.env("KUBECONFIG", self.folder.path("kubeconfig")).output().await.unwrap();
        assert_eq!(String::from_utf8_lossy(&ran.stderr), "");
        let mut sorts = BTreeMap::new();
        for request in self.requests.lock().unwrap().iter() {
            *sorts.entry(request.clone()).or_default() += 1;
        }
        (ran.status.code(), String::from_utf8(ran.stdout).unwrap(), sorts)
    }
}

/// What a request is for.
fn sort(method: &http::Method, uri: &http::Uri) -> String {
    assert_eq!(method, http::Method::GET, "{uri}");
    let (path, query) = (uri.path(), uri.query().unwrap_or_default());
    let segments: Vec<_> = path.split('/').skip(1).collect();
    // Of the namespace, `pods` and further segments; of the cluster, groups and versions.
    let (_, inside) = path.split_once("/namespaces/registry/").unwrap_or_default();
    match inside.split('/').collect::<Vec<_>>()[..] {
        _ if query.contains("watch=true") => "watch".into(),
        ["pods", _, "log"] => "log".into(),
        [resource] if query.contains("limit=20") && !resource.is_empty() => format!("page of {resource}"),
        [resource] if !resource.is_empty() => format!("list of {resource}"),
        [resource, _] => format!("read of {resource}"),
        _ if segments.len() <= 3 => "discovery".into(),
        _ => path.to_owned(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_status_takes_a_known_number_of_requests_and_a_failure_takes_three_more() {
    let cluster = Cluster::ready().await;
    let (code, out, ready) = cluster.status().await;
    assert_eq!(code, Some(0), "{out}");
    cluster.crash().await;
    let (code, out, failing) = cluster.status().await;
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("> panic: no database"), "{out}");
    let expected = [
        // Which kinds are served.
        ("discovery", 1),
        // Each kind is listed by a watch, which also brings what changes meanwhile.
        ("watch", 52),
        // What is not listed whole.
        ("read of deployments", 1),
        ("read of postgresqls", 1),
        ("read of redisfailovers", 1),
        ("read of secrets", 2),
        ("read of services", 1),
        ("read of statefulsets", 1),
        ("read of tenants", 1),
        // About pods.
        ("page of deployments", 1),
        ("page of pods", 1),
        ("page of statefulsets", 1),
    ];
    let mut expected: BTreeMap<_, _> = expected.map(|(sort, count)| (sort.to_owned(), count)).into();
    assert_eq!((ready.values().sum::<usize>(), ready), (64, expected.clone()));
    let more = ["log", "page of events", "page of replicasets"];
    expected.extend(more.map(|sort| (sort.to_owned(), 1)));
    assert_eq!((failing.values().sum::<usize>(), failing), (67, expected));
}
