//! A Kubernetes API in memory, as a [`tower::Service`].
//!
//! It behaves as kube-apiserver does towards a controller or `kubectl`, garbage collection and namespace deletion
//! included, and knows nothing of any particular operator. No node, no scheduler, no kubelet: what makes workloads
//! ready is somebody else's business.

mod access;
mod admission;
mod body;
mod discovery;
mod failure;
mod fault;
mod fields;
mod journal;
mod kinds;
mod patch;
mod present;
mod schema;
mod serve;
mod store;
mod uid;

pub use access::{Access, User};
pub use admission::{Target as WebhookTarget, Webhooks};
pub use body::Body;
pub use fault::{Faults, Faulty, Incident, Mishap, Plan};
pub use journal::JournalError;
pub use serve::{Authority, AuthorityError, Credential, Endpoint, KubeconfigError, Pems, serve};
