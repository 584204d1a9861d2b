//! A process whose log can be read.

use envtest::TIMEOUT;
use serde_json::Value;
use std::{fs, net::SocketAddr, path::Path, process::Stdio, time::Duration};
use tempfile::NamedTempFile;
use tokio::{
    process::{Child, Command},
    time::timeout,
};

/// A process whose log is JSON.
pub struct Process {
    log: NamedTempFile,
    _child: Child,
}

impl Process {
    /// An operator with this kubeconfig, on free ports.
    pub fn start(kubeconfig: &Path, flags: &[&str]) -> Self {
        let log = NamedTempFile::new().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
            .args(["run", "--log", "json"])
            .args(["--health-address", "127.0.0.1:0", "--metrics-address", "127.0.0.1:0"])
            .args(flags)
            .env("KUBECONFIG", kubeconfig)
            .env_remove("RUST_LOG")
            .stdout(Stdio::null())
            .stderr(log.reopen().unwrap())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { log, _child: child }
    }

    /// The lines written so far; the last may not be complete yet.
    pub fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.log.path()).unwrap();
        text.split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The first line that is about this; it may be yet to come.
    pub async fn line(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        let said = async {
            loop {
                if let Some(line) = self.lines().into_iter().find(&is_it) {
                    return line;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(TIMEOUT, said).await.expect("it says so")
    }

    /// The address that it logs.
    pub async fn address(&self, what: &str) -> SocketAddr {
        self.line(|line| line["what"] == what).await["address"].as_str().unwrap().parse().unwrap()
    }
}
