//! What one sees of the real process: probes, a scrape, and its log.

use crate::world::World;
use envtest::PATIENCE;
use serde_json::Value;
use std::{fs, net::SocketAddr, process::Stdio, time::Duration};
use tempfile::NamedTempFile;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    process::{Child, Command},
    time::timeout,
};

/// A process whose log is JSON.
struct Process {
    log: NamedTempFile,
    _child: Child,
}

impl Process {
    fn start(world: &World) -> Self {
        let log = NamedTempFile::new().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
            .args(["run", "--namespace", &world.name, "--log", "json"])
            .args(["--health-address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0"])
            .env("KUBECONFIG", world.operators_kubeconfig())
            .env("HARBOR_OPERATOR_DIGEST_KEY_NAMESPACE", &world.name)
            .env_remove("RUST_LOG")
            .stdout(Stdio::null())
            .stderr(log.reopen().unwrap())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { log, _child: child }
    }

    /// The lines written so far; the last may not be complete yet.
    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.log.path()).unwrap();
        text.split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The first line that is about this; it may be yet to come.
    async fn line(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        let said = async {
            loop {
                if let Some(line) = self.lines().into_iter().find(&is_it) {
                    return line;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, said).await.expect("it says so")
    }

    /// Where it says that it answers.
    async fn address(&self, what: &str) -> SocketAddr {
        self.line(|line| line["what"] == what).await["address"].as_str().unwrap().parse().unwrap()
    }
}

/// The status and the body of an answer.
async fn get(address: SocketAddr, path: &str) -> (String, String) {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut text = String::new();
    connection.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split_whitespace().nth(1).unwrap().to_owned(), body.to_owned())
}

/// Waits for a line of the metrics.
async fn until_scraped(metrics: SocketAddr, line: &str) {
    let scraped = async {
        while !get(metrics, "/metrics").await.1.lines().any(|told| told == line) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, scraped).await.expect("it is counted");
}

#[tokio::test]
async fn a_process_can_be_probed_and_scraped_and_its_log_is_short_and_names_what_it_is_about() {
    let world = World::new().await;
    world.apply(World::inputs()).await;
    world.apply(vec![World::core()]).await;
    let process = Process::start(&world);
    let (health, metrics) =
        (process.address("health-address").await, process.address("metrics-address").await);
    // A Core that is available before it was first looked at is ready from the start, and that is no news.
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
        assert!(text.lines().any(|told| told == line), "{line} in {text}");
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
    if !world.keeps_families() {
        // Kubernetes 1.20 fails to create a Service in the way that is tried first, and kube logs that.
        messages.retain(|message| !message.contains("500 Internal Server Error"));
    }
    assert_eq!(messages, ["not ready yet", "ready"], "{lines:#?}");
}
