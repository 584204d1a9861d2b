//! A Kubernetes API server on loopback, for tests, that leaves nothing behind.
//!
//! Where `KUBEBUILDER_ASSETS` names their binaries, it is a real etcd and kube-apiserver; otherwise it is the server in
//! memory of the crate `apiserver`. Tests cannot tell, and need not.
//!
//! ```no_run
//! # async fn test() -> Result<(), envtest::StartError> {
//! let cluster = envtest::ControlPlane::shared().await?;
//! let namespace = cluster.create_namespace("tls").await?;
//! # Ok(()) }
//! ```
//!
//! What it guarantees:
//! - Real API semantics: admission, RBAC, server-side apply and pruning are Kubernetes' own, or proved to be alike by
//!   the conformance suite. There are no nodes, and no controller that would make a workload ready; garbage collection
//!   and namespace deletion are opt-in ([`Setup::with_controller_manager`]).
//! - The servers end when the last process that uses them ends, also when that process is killed by a signal.
//! - [`ControlPlane::shared`] is one control plane for all test processes of one run (in memory: for all tests of a
//!   process); tests isolate themselves by namespace. [`ControlPlane::start`] is for a test that needs a server of its own.
//!
//! Real servers need `sh` and util-linux's `flock` and `setsid`, which every Linux has.

mod assets;
mod control_plane;
mod error;
mod folder;
mod in_memory;
mod keeper;
mod kubeconfig;
mod namespace;
mod owners;
mod pki;
mod requests;
mod servers;
mod setup;
mod shared;
mod version;

pub use assets::{Assets, AssetsError};
pub use control_plane::ControlPlane;
pub use error::{ServerLog, StartError};
pub use keeper::Server;
pub use namespace::{Kind, Namespace};
pub use requests::{Requests, writes};
pub use setup::Setup;
pub use version::ServerVersion;

/// Longer than anything may take (Kubernetes' garbage collector looks for new kinds every 30 s): a test that has waited
/// for it has failed.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(90);
