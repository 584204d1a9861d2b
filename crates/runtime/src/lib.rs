//! The only crate that talks to a cluster: one engine for every [`plan::ComponentKind`].
//!
//! How a change flows, folder by folder:
//!
//! 1. `cluster`: a watch delivers a changed object; the index returns the owners that it affects, and they are
//!    enqueued;
//! 2. `schedule`: the controller of the owner's kind takes the owner from its queue and reconciles it, with a
//!    deadline;
//! 3. `reconcile`: plans the owner, ensures its children in the order of the graph, sweeps, and remembers the result;
//! 4. `apply`: ensures one object of the graph in the cluster, `external` one outside of it;
//! 5. `report`: writes the status if it differs, sends events, reports progress.
//!
//! `dry_run` is the same reconcile with a client that writes nothing, `inspect` only compares the plan with the
//! cluster. When nothing has changed, the operator sends and reads nothing.

mod apply;
mod cluster;
mod digest_key;
mod driver;
mod dry_run;
mod entropy;
mod error;
mod external;
mod inspect;
mod operator;
mod options;
mod permissions;
mod reconcile;
mod report;
mod schedule;
mod telemetry;

pub use apply::server_side_apply;
pub use cluster::Lists;
pub use digest_key::{DIGEST_KEY, NoDigestKey, digest_key_rules, ensure_digest_key, find_digest_key};
pub use driver::{Answer, At, Collection, ExternalDriver};
pub use dry_run::{DryRun, DryRunReport, Remark, RemarkKind};
pub use entropy::{Entropy, SystemEntropy};
pub use error::with_sources;
pub use inspect::{Inspector, Unlisted};
pub use operator::{Ended, Operator};
pub use options::{Options, Scope};
pub use permissions::Permissions;
pub use report::EventRecorder;
pub use telemetry::{
    AdmissionOutcome, Build, ConversionOutcome, Format, Health, HealthError, Metrics, ReviewDecision,
    ReviewError, Reviewer,
};

use error::ReconcileError;
