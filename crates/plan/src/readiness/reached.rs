//! How far an object has come, for those that wait for it.

use super::Readiness;
use crate::{Manifest, told};

/// How far an object has come, as far as others wait for that. Each includes those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reached {
    /// It does not serve, or does not exist.
    #[default]
    Nothing,
    /// At least one replica serves, be it of an earlier spec.
    Available,
    /// At least one replica of the newest spec serves.
    Current,
    /// All of it does, and nothing is left of earlier specs.
    Ready,
}

/// What is known of an object from its own status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// Whether it is what was asked for.
    pub readiness: Readiness,
    /// How far it has come.
    pub reached: Reached,
}

/// How much of its words is remembered of each child.
const LONGEST_WORDS: usize = 1024;

impl Health {
    /// Of an object that is ready by existing.
    pub const READY: Self = Self { readiness: Readiness::Ready, reached: Reached::Ready };

    /// Of an observed object.
    pub fn of(object: &impl Manifest) -> Self {
        let readiness = object.readiness();
        let reached = object.reached(&readiness);
        Self::new(readiness, reached)
    }

    /// What an object says of itself, as far as it is remembered: other programs choose the words.
    pub(super) fn new(readiness: Readiness, reached: Reached) -> Self {
        let readiness = match readiness {
            Readiness::Ready => Readiness::Ready,
            Readiness::Progressing(words) => Readiness::Progressing(told(&words, LONGEST_WORDS)),
            Readiness::Failed(words) => Readiness::Failed(told(&words, LONGEST_WORDS)),
        };
        Self { readiness, reached }
    }

    /// Of an object that cannot be decoded: nothing is known but that. The decoder's words would quote the object.
    pub fn undecodable() -> Self {
        let words = "does not have the fields that the operator knows of its kind; compare its status with the \
                     definition of its kind";
        Self { readiness: Readiness::Failed(words.into()), reached: Reached::Nothing }
    }
}
