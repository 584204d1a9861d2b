//! Stand-ins for the controllers and kubelets of a cluster, and for the third-party operators that Harbor needs. They
//! are ordinary clients of an API server, in memory or real.
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
//! Guarantees:
//! - A pod becomes ready only if a kubelet could start it: its claims are bound, and the Secrets and `ConfigMap`s
//!   that it needs exist. Certificates are real and can be verified.
//! - When nothing changes, the stand-ins send nothing.
//! - Annotations make an object fail ([`SANDBOX_FAIL_ANNOTATION`](api::names::SANDBOX_FAIL_ANNOTATION)) or take
//!   longer ([`SANDBOX_DELAY_ANNOTATION`](api::names::SANDBOX_DELAY_ANNOTATION)). They also apply to everything that
//!   it owns.
//! - They have no state that they could not read again, so they can be stopped and started at any time.
//!
//! They run no containers, store no data and listen on no address. There are no stand-ins for `DaemonSet`s,
//! `CronJob`s and autoscalers. Of cert-manager's issuers only `selfSigned` and `ca` are supported.

mod behaviour;
mod caches;
mod cert_manager;
mod compare;
mod condition;
mod databases;
pub mod definitions;
mod dependents;
mod kind;
mod minio;
mod network;
mod owned;
mod reconcile;
mod runner;
mod secret;
mod stand_ins;
mod volume;
mod workloads;
mod world;
mod write;

pub use behaviour::Behaviour;
pub use cert_manager::KeySource;
pub use runner::RunError;
pub use stand_ins::{Operator, StandIns};
