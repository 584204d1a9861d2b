//! Whether a Harbor works for its clients. It is only read: nothing of what Harbor is asked changes anything.

use crate::state::{NoFacts, State};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which questions Harbor is asked. Each is an object, so that no more is asked than an owner reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verified {
    /// Its health, a token, and the entrance of the registry with that token.
    Tokens,
    /// The same, and a manifest that Core gets from the registry, if there is any image.
    Images,
    /// The same as the first, and the workers of JobService.
    Jobs,
    /// All of these, over TLS as the operator trusts it: a certificate that it does not trust is an answer.
    Everything,
}

impl Verified {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tokens, Self::Images, Self::Jobs, Self::Everything];

    /// The name of the object.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Images => "images",
            Self::Jobs => "jobs",
            Self::Everything => "everything",
        }
    }

    /// Whether a manifest is asked for.
    pub const fn has_images(self) -> bool {
        matches!(self, Self::Images | Self::Everything)
    }

    /// Whether JobService is asked for its workers.
    pub const fn has_jobs(self) -> bool {
        matches!(self, Self::Jobs | Self::Everything)
    }

    /// The questions of the object with this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// What Harbor has answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Verification {
    /// The components that say of themselves that they are not healthy.
    pub unhealthy: Vec<String>,
    /// What was asked, such as `GET /v2/ with a token`, and why it failed.
    pub failed: BTreeMap<String, String>,
    /// Why Harbor could not be asked. It is no error, so that readers can go on without an answer.
    pub problem: Option<String>,
}

impl State for Verification {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "verification";
}
