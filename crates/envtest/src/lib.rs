//! A Kubernetes API server on loopback for tests. It leaves no processes and no files behind.
//!
//! If `KUBEBUILDER_ASSETS` is set to a folder with their binaries, it is a real etcd and kube-apiserver. Otherwise it
//! is the in-memory server of crate `apiserver`. Tests run on both without a change.
//!
//! ```no_run
//! # async fn test() -> Result<(), envtest::StartError> {
//! let cluster = envtest::ControlPlane::shared().await?;
//! let namespace = cluster.create_namespace("tls").await?;
//! # Ok(()) }
//! ```
//!
//! Guarantees:
//! - Real API semantics: admission, RBAC, server-side apply and pruning are those of Kubernetes, or the conformance
//!   suite proves them to be equal. There are no nodes, and no controllers that make workloads ready. Garbage
//!   collection and namespace deletion are opt-in ([`Setup::with_controller_manager`]).
//! - The servers end when the last process that uses them ends, also when a signal kills that process.
//! - [`ControlPlane::shared`] is one control plane for all test processes of one run (in memory: for all tests of a
//!   process). Tests isolate themselves by namespace. Those that change the whole cluster share another one
//!   ([`Setup::apart`]) and take turns ([`ControlPlane::turn`]). [`ControlPlane::start`] is for a test that needs its own
//!   server.
//!
//! [`HarborApi`] is a Harbor API on loopback, for operators that are processes of their own.
//!
//! Real servers need `sh`, and `flock` and `setsid` of util-linux, which every Linux has.

mod assets;
mod clock;
mod control_plane;
mod definitions;
mod error;
mod folder;
mod generated;
mod harbor;
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
mod turn;
mod version;

pub use assets::{Assets, AssetsError};
pub use clock::clock;
pub use control_plane::ControlPlane;
pub use definitions::accepted;
pub use error::{ServerLog, StartError};
pub use generated::generated;
pub use harbor::HarborApi;
pub use keeper::Server;
pub use namespace::{Kind, Namespace};
pub use requests::{Requests, writes};
pub use setup::Setup;
pub use turn::Turn;
pub use version::ServerVersion;

/// How long tests wait before they fail. It is longer than any operation takes: Kubernetes' garbage collector
/// discovers new kinds only every 30 s.
pub const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(90);
