//! What one sees of the real process: probes, a scrape, and its log.

use crate::{account, logged::Process, world::World};
use envtest::TIMEOUT;
use k8s_openapi::api::{
    authentication::v1::TokenRequest,
    core::v1::ServiceAccount,
    rbac::v1::{ClusterRole, ClusterRoleBinding},
};
use kube::{Api, api::PostParams};
use serde_json::json;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};

/// The status and the body of an answer.
async fn get(address: SocketAddr, path: &str) -> (String, String) {
    get_with(address, path, "").await
}

/// The same, of a request with one more header.
async fn get_with(address: SocketAddr, path: &str, header: &str) -> (String, String) {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{header}\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    connection.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split_whitespace().nth(1).unwrap().to_owned(), body.to_owned())
}

/// Waits for a line of the metrics.
async fn until_scraped(metrics: SocketAddr, line: &str) {
    let scraped = async {
        while !get(metrics, "/metrics").await.1.lines().any(|shown| shown == line) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(TIMEOUT, scraped).await.expect("it is counted");
}

#[tokio::test]
async fn a_process_can_be_probed_and_scraped_and_its_log_is_short_and_names_the_object() {
    let world = World::new().await;
    world.apply(World::inputs()).await;
    world.apply(vec![World::core()]).await;
    let process = Process::start(
        world.operators_kubeconfig(),
        &["--namespace", &world.name, "--digest-key-namespace", &world.name],
    );
    let (health, metrics) =
        (process.address("health-address").await, process.address("metrics-address").await);
    // A Core that is available before its first reconcile is ready from the start, which is not logged.
    world.until_condition("Ready", "False").await;
    world.make_available("harbor-core").await;
    world.until_condition("Ready", "True").await;
    // What is written to the API server is logged and counted after that.
    process.line(|line| line["span"]["kind"] == "Core" && line["message"] == "ready").await;
    until_scraped(metrics, r#"harbor_operator_objects{kind="Core",state="Ready"} 1"#).await;

    assert_eq!(get(health, "/healthz").await, ("200".into(), "ok\n".into()));
    assert_eq!(get(health, "/readyz").await, ("200".into(), "ok\n".into()));
    let (status, text) = get(metrics, "/metrics").await;
    assert_eq!(status, "200");
    for line in [
        r#"harbor_operator_objects{kind="Core",state="Ready"} 1"#,
        r#"harbor_operator_objects{kind="Harbor",state="Ready"} 0"#,
        "harbor_operator_leader 1",
        "harbor_operator_panics_total 0",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line} in {text}");
    }
    assert!(text.contains(r#",harbor="2.5 to "#), "{text}");

    let lines = process.lines();
    let about: Vec<_> = lines.iter().filter(|line| line["span"]["kind"] == "Core").collect();
    for line in &about {
        let span = &line["span"];
        assert_eq!(
            (&span["namespace"], &span["object_name"]),
            (&world.name.as_str().into(), &"harbor".into())
        );
        assert!(span["reconcile"].is_u64(), "{line}");
    }
    let mut messages: Vec<_> = about.iter().map(|line| line["message"].as_str().unwrap()).collect();
    if !world.creates_services_at_once() {
        // Kubernetes 1.20 fails to create a Service in the way that is tried first, and kube logs that.
        messages.retain(|message| !message.contains("500 Internal Server Error"));
    }
    assert_eq!(messages, ["not ready yet", "ready"], "{lines:#?}");
}

/// Lets a service account of the namespace do what a printed ClusterRole allows.
async fn bind(world: &World, role: &str, account: &str) {
    let name = format!("{}-{role}", world.name);
    let printed = account::printed(&["--metrics-auth"]);
    let role = printed.iter().find(|it| it["kind"] == "ClusterRole" && it["metadata"]["name"] == role);
    let role = json!({"metadata": {"name": name}, "rules": role.unwrap()["rules"]});
    let roles: Api<ClusterRole> = Api::all(world.plane.client());
    roles.create(&PostParams::default(), &serde_json::from_value(role).unwrap()).await.unwrap();
    let binding = json!({
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": account, "namespace": world.name}],
    });
    let bindings: Api<ClusterRoleBinding> = Api::all(world.plane.client());
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).unwrap()).await.unwrap();
}

/// The header with the token of a new service account.
async fn header(world: &World, account: &str) -> String {
    world.post_json::<ServiceAccount>(json!({"metadata": {"name": account}})).await;
    let request = TokenRequest::default();
    let api = world.api::<ServiceAccount>();
    let issued = api.create_token_request(account, &PostParams::default(), &request).await.unwrap();
    format!("authorization: Bearer {}\r\n", issued.status.unwrap().token)
}

#[tokio::test]
async fn metrics_can_be_for_those_only_who_may_read_them() {
    let world = World::new().await;
    let (prometheus, stranger) = (header(&world, "prometheus").await, header(&world, "stranger").await);
    bind(&world, "harbor-operator-metrics-reader", "prometheus").await;
    let process = Process::start(
        world.operators_kubeconfig(),
        &["--namespace", &world.name, "--digest-key-namespace", &world.name, "--metrics-auth"],
    );
    let (health, metrics) =
        (process.address("health-address").await, process.address("metrics-address").await);
    let status = async |header: &str| get_with(metrics, "/metrics", header).await.0;

    assert_eq!(status(&prometheus).await, "503", "the operator may not review it yet");
    process
        .line(|line| line["message"] == "cannot review the token of a metrics client; its request is refused")
        .await;
    bind(&world, "harbor-operator-metrics-auth", "harbor-operator").await;
    let allowed = async {
        // A real server learns of roles after a moment, and what it said before is remembered for another.
        while status(&prometheus).await != "200" {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(TIMEOUT, allowed).await.expect("Prometheus may read them");
    assert_eq!(status(&stranger).await, "403");
    assert_eq!(status("").await, "401");
    assert_eq!(status("authorization: Bearer unknown\r\n").await, "401");
    assert_eq!(get(health, "/healthz").await.0, "200", "the kubelet has no token");
}

#[tokio::test]
async fn a_thousand_half_sent_requests_do_not_keep_the_kubelet_from_its_answer() {
    let world = World::new().await;
    let process = Process::start(
        world.operators_kubeconfig(),
        &["--namespace", &world.name, "--digest-key-namespace", &world.name],
    );
    let health = process.address("health-address").await;
    let mut flood = Vec::new();
    for _ in 0..1000 {
        let mut connection = TcpStream::connect(health).await.unwrap();
        connection.write_all(b"GET /healthz HTTP/1.1\r\nx-half: ").await.unwrap();
        flood.push(connection);
    }
    assert_eq!(get(health, "/healthz").await, ("200".into(), "ok\n".into()));
    for connection in &mut flood[..800] {
        let closed = timeout(TIMEOUT, connection.read(&mut [0; 1])).await.expect("it made room");
        assert!(!closed.is_ok_and(|length| length > 0), "it is not answered");
    }
}
