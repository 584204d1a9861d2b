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

    /// Where it says that it answers.
    async fn address(&self, what: &str) -> SocketAddr {
        let said = async {
            loop {
                let address = self.lines().into_iter().find(|line| line["what"] == what);
                if let Some(address) = address {
                    return address["address"].as_str().unwrap().parse().unwrap();
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(PATIENCE, said).await.expect("it says where it answers")
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

#[tokio::test]
async fn a_process_can_be_probed_and_scraped_and_its_log_is_short_and_names_what_it_is_about() {
    let world = World::new().await;
    world.apply(World::inputs()).await;
    world.apply(vec![World::core()]).await;
    let process = Process::start(&world);
    let (health, metrics) =
        (process.address("health-address").await, process.address("metrics-address").await);
    world.make_available("harbor-core").await;
    world.until_condition("Ready", "True").await;

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
    let messages: Vec<_> = about.iter().map(|line| line["message"].as_str().unwrap()).collect();
    assert_eq!(messages, ["not ready yet", "ready"], "{lines:#?}");
}
