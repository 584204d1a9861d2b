//! What a running operator serves is what Prometheus accepts.

use programs::{Client, check_metrics};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const TIMEOUT: Duration = Duration::from_mins(2);

/// A process that ends with the test.
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> Self {
        Self(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn harbor_operator() -> Command {
    Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
}

#[test]
fn prometheus_accepts_what_a_running_operator_serves() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut sandbox = Process::start(
        harbor_operator()
            .args(["sandbox", "--delay", "0s", "--apply"])
            .args(["namespace.yaml", "harbor-inputs.yaml", "harbor.yaml"].map(|file| examples.join(file))),
    );
    let mut output = BufReader::new(sandbox.0.stdout.take().unwrap()).lines().map_while(Result::ok);
    let kubectl =
        output.find(|line| line.contains("kubectl --kubeconfig ")).expect("it says how to reach it");
    let kubeconfig = kubectl.split_whitespace().nth(2).unwrap();
    output.find(|line| line.ends_with("Harbor registry/acme: ready")).expect("it becomes ready");

    let mut operator = Process::start(
        harbor_operator()
            .args(["run", "--namespace", "registry", "--log", "json", "--health-address", "off"])
            .args(["--metrics-address", "127.0.0.1:0"])
            .env("KUBECONFIG", kubeconfig)
            .env("HARBOR_OPERATOR_DIGEST_KEY_NAMESPACE", "harbor-operator-ns")
            .env_remove("RUST_LOG"),
    );
    let lines = BufReader::new(operator.0.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(&line).ok());
    let line = lines.find(|line| line["what"] == "metrics-address").expect("the log has its address");
    let address: SocketAddr = line["address"].as_str().unwrap().parse().unwrap();

    let scrape = || {
        let answer = Client::http(address).get("/metrics").unwrap();
        assert_eq!(answer.headers()["content-type"], "text/plain; version=0.0.4; charset=utf-8");
        String::from_utf8(answer.into_body().to_vec()).unwrap()
    };
    let ready = "harbor_operator_objects{kind=\"Harbor\",state=\"Ready\"} 1\n";
    let deadline = Instant::now() + TIMEOUT;
    let mut text = scrape();
    while !text.contains(ready) {
        assert!(Instant::now() < deadline, "the Harbor is not ready: {text}");
        thread::sleep(Duration::from_millis(100));
        text = scrape();
    }
    let installation = r#"{namespace="registry",name="acme"} "#;
    for line in [
        r#"harbor_operator_installation_info{version="2.15.0",namespace="registry",name="acme"} 1"#
            .to_owned(),
        format!("harbor_operator_installation_ready{installation}1"),
        format!("harbor_operator_installation_certificate_expiry_timestamp_seconds{installation}"),
    ] {
        assert!(text.lines().any(|shown| shown.starts_with(&line)), "{line} in {text}");
    }
    assert_eq!(check_metrics(&text).unwrap(), "");
}
