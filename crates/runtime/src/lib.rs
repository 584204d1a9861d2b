//! The only crate that talks to a cluster: one generic controller for every [`plan::Component`].
//!
//! The way of a change: a watch (`watch`) tells the `Index`, which knows whose child or input the object is and
//! wakes those owners; the `Reconciler` plans, applies what differs from what it last sent, sweeps, and writes the
//! status if that differs. Nothing changed means nothing sent, and nothing read either.

mod absences;
mod address;
mod adopt;
mod agreement;
mod amend;
mod apply;
mod backoff;
mod cache;
mod components;
mod contention;
mod controller;
mod dice;
mod digest_key;
mod emptied;
mod error;
mod events;
mod forbidden;
mod gate;
mod generate;
mod glance;
mod happenings;
mod health;
mod index;
mod issue;
mod learned;
mod lease;
mod line;
mod log;
mod memo;
mod metrics;
mod operator;
mod ownership;
mod patch;
mod permissions;
mod planning;
mod progress;
mod queue;
mod reconcile;
mod rehash;
mod rehearsal;
mod release;
mod report;
mod review;
mod router;
mod seal;
mod send;
mod session;
mod shared;
mod source;
mod spectator;
mod status;
mod sweep;
mod tally;
mod tie;
mod watch;

pub use components::Components;
pub use dice::{Dice, SystemDice};
pub use digest_key::{DIGEST_KEY, NoDigestKey, digest_key_rules, find_digest_key, make_digest_key};
pub use error::with_sources;
pub use health::{Health, Unwell};
pub use lease::{Election, Leadership, Lost, Timing, TimingError};
pub use metrics::{Build, Format, Metrics};
pub use operator::{Ended, Operator, Options, Scope};
pub use patch::server_side_apply;
pub use permissions::Permissions;
pub use progress::{Observer, Planned, Progress, Stage, State};
pub use rehearsal::{Rehearsal, Rehearsed, Remark, What};
pub use review::{Access, ReviewError, Reviewer};
pub use spectator::Spectator;
pub use tally::Tally;

use error::Failure;
use index::Sighting;
