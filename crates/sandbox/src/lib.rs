//! Stand-ins for what a cluster would have: its controllers, its kubelets, and the operators of others that Harbor
//! needs. They are ordinary clients of an API server, ours or a real one.
//!
//! What they guarantee:
//! - A pod becomes ready only if a kubelet could start it: its claims are bound, the Secrets and `ConfigMap`s it needs
//!   exist. Certificates are real and verify.
//! - When nothing changes, nothing is sent.
//! - An object can be told to fail ([`FAIL`]) or to be slow ([`DELAY`]); what it owns follows.

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

pub use behaviour::{Behaviour, DELAY, FAIL};
pub use runner::RunError;
pub use stand_ins::{Operator, StandIns};
