//! Stand-ins for what a cluster would have: its controllers, its kubelets, and the operators of others that Harbor
//! needs. They are ordinary clients of an API server, ours or a real one.
//!
//! ```
//! use apiserver::ApiServer;
//! use k8s_openapi::api::core::v1::Pod;
//! use kube::{Api, Client, api::PostParams, runtime::{conditions::is_pod_running, wait::await_condition}};
//! use sandbox::StandIns;
//! use serde_json::json;
//! use tokio_util::sync::CancellationToken;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new(ApiServer::new(), "default");
//! let stop = CancellationToken::new();
//! let cluster = tokio::spawn(StandIns::new(client.clone()).run(stop.clone()));
//!
//! let pods: Api<Pod> = Api::default_namespaced(client);
//! let spec = json!({"containers": [{"name": "web", "image": "web:1"}]});
//! let pod = serde_json::from_value(json!({"metadata": {"name": "web"}, "spec": spec}))?;
//! pods.create(&PostParams::default(), &pod).await?;
//! await_condition(pods, "web", is_pod_running()).await?;
//!
//! stop.cancel();
//! cluster.await??;
//! # Ok(()) }
//! ```
//!
//! What they guarantee:
//! - A pod becomes ready only if a kubelet could start it: its claims are bound, the Secrets and `ConfigMap`s it needs
//!   exist. Certificates are real and verify.
//! - When nothing changes, nothing is sent.
//! - Annotations make an object fail ([`SANDBOX_FAIL_ANNOTATION`](api::names::SANDBOX_FAIL_ANNOTATION)) or take longer
//!   ([`SANDBOX_DELAY_ANNOTATION`](api::names::SANDBOX_DELAY_ANNOTATION)), and everything it owns with it.
//! - They keep nothing they could not find out again: they can be stopped and started at any time.
//!
//! What they do not do: run a container, store a byte, listen at an address. Nothing stands in for `DaemonSet`s,
//! `CronJob`s and autoscalers, and of cert-manager's issuers only `selfSigned` and `ca` sign.

mod behaviour;
mod caches;
mod cert_manager;
mod condition;
mod databases;
pub mod definitions;
mod dependents;
mod kind;
mod made;
mod minio;
mod network;
mod react;
mod runner;
mod same;
mod secret;
mod stand_ins;
mod volume;
mod workloads;
mod world;
mod write;

pub use behaviour::Behaviour;
pub use runner::RunError;
pub use stand_ins::{Operator, StandIns};
