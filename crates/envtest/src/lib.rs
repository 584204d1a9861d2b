//! Runs a real etcd and kube-apiserver on loopback, for tests, and leaves nothing behind.
//!
//! ```no_run
//! # async fn test() -> Result<(), envtest::StartError> {
//! let cluster = envtest::ControlPlane::shared().await?;
//! let namespace = cluster.create_namespace("tls").await?;
//! # Ok(()) }
//! ```
//!
//! What it guarantees:
//! - Real API semantics: admission, RBAC, server-side apply and pruning are Kubernetes' own. There are no nodes, and
//!   no controller that would make a workload ready; garbage collection and namespace deletion are opt-in
//!   ([`Setup::with_controller_manager`]).
//! - The servers end when the last process that uses them ends, also when that process is killed by a signal.
//! - [`ControlPlane::shared`] is one control plane for all test processes of one run; tests isolate themselves by
//!   namespace. [`ControlPlane::start`] is for a test that needs a server of its own.
//!
//! Needs `sh` and util-linux's `flock` and `setsid`, which every Linux has.

mod assets;
mod control_plane;
mod error;
mod folder;
mod keeper;
mod kubeconfig;
mod namespace;
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
