//! How far the rollout of an object has come, for objects that wait for it.

use super::Readiness;
use crate::{Manifest, sanitize::sanitized};

/// How far the rollout of an object has come. Each level includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reached {
    /// No replica is available, or the object does not exist.
    #[default]
    Nothing,
    /// At least one replica is available, possibly of an earlier spec; of a certificate, it is issued, possibly not
    /// renewed. Dependents that [need](graph::Edge::Needs) the object may start.
    Available,
    /// At least one replica of the newest spec is available.
    Current,
    /// All replicas are of the newest spec and available.
    Ready,
}

/// The health of an object, according to its own status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Whether it has reached its desired state.
    pub readiness: Readiness,
    /// How far its rollout has come.
    pub reached: Reached,
    /// Why it serves no requests, if the operator keeps it from that.
    pub stopped: Option<String>,
}

/// Longest message that the operator keeps for each child.
const LONGEST_MESSAGE: usize = 1024;

impl Health {
    /// The health of an object that is ready when it exists.
    pub const READY: Self = Self { readiness: Readiness::Ready, reached: Reached::Ready, stopped: None };

    /// The health of an observed object.
    pub fn of(object: &impl Manifest) -> Self {
        let readiness = object.readiness();
        let reached = object.reached(&readiness);
        Self::new(readiness, reached, object.stopped())
    }

    /// The health of an object that serves no requests, and that the operator does not keep from that.
    pub fn not_serving(readiness: Readiness) -> Self {
        Self { readiness, reached: Reached::Nothing, stopped: None }
    }

    /// Health with sanitized messages, because other programs write them.
    pub(super) fn new(readiness: Readiness, reached: Reached, stopped: Option<String>) -> Self {
        let readiness = match readiness {
            Readiness::Ready => Readiness::Ready,
            Readiness::Progressing(message) => Readiness::Progressing(sanitized(&message, LONGEST_MESSAGE)),
            Readiness::Failed(message) => Readiness::Failed(sanitized(&message, LONGEST_MESSAGE)),
        };
        let stopped = stopped
            .filter(|_| reached == Reached::Nothing)
            .map(|message| sanitized(&message, LONGEST_MESSAGE));
        Self { readiness, reached, stopped }
    }

    /// The health of an object that cannot be decoded. The message of the decoder is left out, because it quotes the
    /// object.
    pub fn undecodable() -> Self {
        let message = "does not have the fields that the operator knows of its kind; compare its status with the \
                     definition of its kind";
        Self::not_serving(Readiness::Failed(message.into()))
    }
}
