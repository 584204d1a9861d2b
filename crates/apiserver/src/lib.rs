//! A Kubernetes API in memory, as a [`tower::Service`].
//!
//! It behaves as kube-apiserver does towards a controller or `kubectl`, garbage collection and namespace deletion
//! included, and knows nothing of any particular operator. No node, no scheduler, no kubelet: what makes workloads
//! ready is somebody else's business.
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
//! [`ApiServer::builder`] adds seeds, RBAC, webhooks and a file to continue from, [`serve`] a socket with TLS for
//! `kubectl`, and [`Faults`] is a layer in which requests go wrong.
//!
//! What it guarantees:
//! - Answers are those of a current kube-apiserver: status, headers, objects, the words of a refusal, the events of a
//!   watch. Scenarios recorded from one are the proof; where it answers otherwise, `tests/conformance/differences.yaml`
//!   says so.
//! - One revision counts all changes. A watch sees every one of them, in order, or is told that it comes too late (410).
//!   Garbage collection and the end of namespaces are done before the request that causes them is answered.
//! - With a seed, a start and tokio's paused clock a run can be repeated: names, uids and times are the same, and so is
//!   what goes wrong.
//! - Requests may be hostile: bodies have 3 MiB at most, nesting is limited, and fuzz targets look for what panics.
//!
//! What it does not do:
//! - Run anything: no `exec`, `attach`, `log`, `portforward`, `proxy`.
//! - Answer in protocol buffers, although it reads them.
//! - Enforce quotas, limit ranges, disruption budgets or pod security, or evaluate admission policies; webhooks are
//!   called only in process ([`Webhooks`]), conversion webhooks not at all.
//! - Check the types and the cost of CEL rules.
//! - Let Events expire, or remember anything after its end without [`Builder::file`].

mod access;
mod admission;
mod body;
mod clock;
mod discovery;
mod failure;
mod fault;
mod fields;
mod furnish;
mod go;
mod journal;
mod kinds;
mod lifecycle;
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
pub use admission::{Target as WebhookTarget, Webhooks};
pub use body::Body;
pub use fault::{Faults, Faulty, Incident, Mishap, Plan};
pub use journal::JournalError;
pub use serve::{Authority, AuthorityError, Credential, Endpoint, KubeconfigError, Pems, serve};
pub use server::{ApiServer, Builder};
