//! A Kubernetes API in memory, as a [`tower::Service`].
//!
//! It behaves like kube-apiserver towards a controller or `kubectl`, including garbage collection and namespace
//! deletion, and knows nothing about any particular operator. There is no node, no scheduler and no kubelet: crate
//! `sandbox` makes workloads ready.
//!
//! ```
//! use apiserver::ApiServer;
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::{Api, Client, api::{Patch, PatchParams}};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> kube::Result<()> {
//! let server = ApiServer::new();
//! let client = Client::new(server.clone(), "default");
//! let maps: Api<ConfigMap> = Api::default_namespaced(client);
//!
//! let wanted = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"colour": "blue"}});
//! let ours = PatchParams::apply("us");
//! maps.patch("settings", &ours, &Patch::Apply(&wanted)).await?;
//! let before = server.revision();
//! maps.patch("settings", &ours, &Patch::Apply(&wanted)).await?;
//! assert_eq!(server.revision(), before, "what changes nothing writes nothing");
//!
//! let theirs = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"colour": "red"}});
//! let refused = maps.patch("settings", &PatchParams::apply("them"), &Patch::Apply(&theirs)).await;
//! assert!(matches!(refused, Err(kube::Error::Api(status)) if status.is_conflict()));
//! # Ok(()) }
//! ```
//!
//! [`ApiServer::builder`] adds seeds, RBAC, webhooks and a file for persistence. [`serve`] listens on a socket with
//! TLS for `kubectl`. [`Faults`] is a layer that injects faults.
//!
//! Guarantees:
//! - Answers are those of a current kube-apiserver: status, headers, objects, error messages, the events of a watch.
//!   Scenarios recorded from one prove it. `tests/conformance/differences.yaml` lists where it answers differently.
//! - One revision counts all changes. A watch gets every change, in order, or fails because it starts too late (410).
//!   Garbage collection and namespace deletion are complete before the server answers the request that causes them.
//! - With a seed, a start time and tokio's paused clock a run can be repeated: names, uids, times and faults are the
//!   same.
//! - Requests may be hostile: bodies have at most 3 MiB, nesting is limited, and fuzz targets search for panics.
//!
//! Not supported:
//! - Running containers: no `exec`, `attach`, `portforward`, `proxy`. The log of a container is an annotation of its pod,
//!   see [`LOG_ANNOTATIONS`].
//! - Answers in protocol buffers. Requests may use them.
//! - Quotas, limit ranges, disruption budgets, pod security and admission policies. Webhooks of admission and
//!   conversion are called ([`RemoteWebhooks`]).
//! - Checks of the types and the cost of CEL rules.
//! - Expiry of Events, and persistence without [`Builder::file`].

mod access;
mod admission;
mod body;
mod bootstrap;
mod clock;
mod conversion;
mod discovery;
mod failure;
mod fault;
mod fields;
mod go;
mod journal;
mod kinds;
mod lifecycle;
mod log_annotations;
mod patch;
mod present;
mod protobuf;
mod read;
mod request;
mod schema;
mod serve;
mod server;
mod service;
mod state;
mod store;
mod uid;
mod write;

pub use access::{Access, User};
pub use admission::{RemoteWebhooks, Target as WebhookTarget, Webhooks};
pub use body::Body;
pub use fault::{Faults, Faulty, Incident, Mishap, Plan};
pub use journal::JournalError;
pub use log_annotations::LOG_ANNOTATIONS;
pub use serve::{Authority, AuthorityError, Credential, Endpoint, KubeconfigError, Pems, serve};
pub use server::{ApiServer, Builder};
