//! A Kubernetes API in memory, as a [`tower::Service`].
//!
//! It behaves as kube-apiserver does towards a controller or `kubectl`, garbage collection and namespace deletion
//! included, and knows nothing of any particular operator. No node, no scheduler, no kubelet: what makes workloads
//! ready is somebody else's business.

mod access;
mod admission;
mod body;
mod clock;
mod discovery;
mod failure;
mod fault;
mod fields;
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
