//! Runs of replication policies. Starting one is not idempotent.

use crate::{ExecutionId, Harbor, ReplicationId, TaskId, client::Path, error::Error};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Calls about runs of replication policies.
#[derive(Clone, Copy, Debug)]
pub struct ReplicationExecutions<'h> {
    harbor: &'h Harbor,
}

const EXECUTIONS: &str = "/replication/executions";

impl<'h> ReplicationExecutions<'h> {
    pub(super) fn new(harbor: &'h Harbor) -> Self {
        Self { harbor }
    }

    /// Starts a run. Harbor refuses that for a disabled policy.
    pub async fn start(&self, policy: ReplicationId) -> Result<ExecutionId, Error> {
        #[derive(Serialize)]
        struct Start {
            policy_id: ReplicationId,
        }
        let call = self.harbor.post(Path::new(EXECUTIONS)).body(&Start { policy_id: policy });
        call.reaches_jobservice().created().await
    }

    /// The runs of a policy.
    pub async fn list(&self, policy: ReplicationId) -> Result<Vec<ReplicationExecution>, Error> {
        self.harbor.get(Path::new(EXECUTIONS)).query("policy_id", policy).pages().await
    }

    /// A run.
    pub async fn get(&self, id: ExecutionId) -> Result<Option<ReplicationExecution>, Error> {
        self.harbor.get(Path::new(EXECUTIONS).id(id)).json_if_found().await
    }

    /// Stops a run.
    pub async fn stop(&self, id: ExecutionId) -> Result<(), Error> {
        self.harbor.put(Path::new(EXECUTIONS).id(id)).reaches_jobservice().done().await
    }

    /// The tasks of a run.
    pub async fn tasks(&self, id: ExecutionId) -> Result<Vec<ReplicationTask>, Error> {
        self.harbor.get(Path::new(EXECUTIONS).id(id).then("tasks")).pages().await
    }
}

/// A run of a replication policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ReplicationExecution {
    /// Its number.
    pub id: ExecutionId,
    /// The policy.
    pub policy_id: ReplicationId,
    /// `InProgress`, `Succeed`, `Failed` or `Stopped`.
    pub status: String,
    /// More about the status.
    pub status_text: String,
    /// What started it.
    pub trigger: String,
    /// How many tasks it has.
    pub total: i64,
    /// How many of them failed.
    pub failed: i64,
    /// How many of them succeeded.
    pub succeed: i64,
    /// How many of them run.
    pub in_progress: i64,
    /// How many of them were stopped.
    pub stopped: i64,
    /// When it began.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub start_time: Option<Timestamp>,
    /// When it ended.
    #[serde(deserialize_with = "crate::time::lenient")]
    pub end_time: Option<Timestamp>,
}

impl ReplicationExecution {
    /// Whether it has ended. Until then, its policy cannot be deleted.
    pub fn has_ended(&self) -> bool {
        !self.status.is_empty() && self.status != "InProgress"
    }
}

/// A task of a run: a copy or a deletion of artifacts of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ReplicationTask {
    /// Its number.
    pub id: TaskId,
    /// The run.
    pub execution_id: ExecutionId,
    /// How it stands.
    pub status: String,
    /// `copy` or `deletion`.
    pub operation: String,
    /// The kind of artifact.
    pub resource_type: String,
    /// What is copied.
    pub src_resource: String,
    /// Where it is copied to.
    pub dst_resource: String,
}
