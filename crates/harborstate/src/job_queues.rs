//! The queues of JobService, and the jobs that run. Every Harbor from 2.7 on has the only object, which is never created or
//! deleted.

use crate::state::State;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of the only object.
pub const NAME: &str = "jobservice";

/// The queues, by the type of their jobs, such as `REPLICATION`. Those that are not desired are left to others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobQueues {
    /// The queues.
    pub queues: BTreeMap<String, Queue>,
}

/// A queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Queue {
    /// Whether its jobs wait. One that runs already goes on.
    pub paused: bool,
}

/// What JobService does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// How many jobs run, by their type.
    pub running: BTreeMap<String, usize>,
    /// Why neither the queues nor the jobs are known. It is no error, so that readers can go on without an answer.
    pub problem: Option<String>,
}

impl State for JobQueues {
    type Facts = Facts;
    const COLLECTION: &'static str = "job-queues";
}
