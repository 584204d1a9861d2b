//! Tag retention: which artifacts of a project are kept when it is cleaned.

mod policy;
mod runs;

pub use policy::{RetentionPolicy, RetentionRule, Template};
pub use runs::{RetentionExecution, RetentionMetadata, RetentionTask, TemplateMetadata};

use crate::{Deletion, ExecutionId, Harbor, RetentionId, client::Path, error::Error};
use serde::Serialize;

impl Harbor {
    /// Retention policies.
    pub fn retentions(&self) -> Retentions<'_> {
        Retentions { harbor: self }
    }
}

/// Calls about retention policies. A project has at most one; its metadata has the number.
#[derive(Clone, Copy, Debug)]
pub struct Retentions<'h> {
    harbor: &'h Harbor,
}

const RETENTIONS: &str = "/retentions";

impl Retentions<'_> {
    /// The policy with this number.
    pub async fn get(&self, id: RetentionId) -> Result<Option<RetentionPolicy>, Error> {
        self.harbor.get(Path::new(RETENTIONS).id(id)).json_if_found().await
    }

    /// Creates the policy of a project. A proxy cache has one from the start.
    pub async fn create(&self, policy: &RetentionPolicy) -> Result<RetentionId, Error> {
        self.harbor.post(Path::new(RETENTIONS)).body(policy).reaches_jobservice().created().await
    }

    /// Replaces a policy.
    pub async fn replace(&self, id: RetentionId, policy: &RetentionPolicy) -> Result<(), Error> {
        self.harbor.put(Path::new(RETENTIONS).id(id)).body(policy).reaches_jobservice().done().await
    }

    /// Deletes a policy.
    pub async fn delete(&self, id: RetentionId) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(RETENTIONS).id(id)).reaches_jobservice().gone().await
    }

    /// The rules that this version offers.
    pub async fn metadata(&self) -> Result<RetentionMetadata, Error> {
        self.harbor.get(Path::new(RETENTIONS).then("metadatas")).answers_anyone().json().await
    }

    /// Cleans a project now.
    pub async fn start(&self, id: RetentionId, run: Run) -> Result<ExecutionId, Error> {
        #[derive(Serialize)]
        struct Start {
            dry_run: bool,
        }
        let path = Path::new(RETENTIONS).id(id).then("executions");
        let body = Start { dry_run: run == Run::Dry };
        self.harbor.post(path).body(&body).reaches_jobservice().accepts_text().created().await
    }

    /// The runs of a policy.
    pub async fn executions(&self, id: RetentionId) -> Result<Vec<RetentionExecution>, Error> {
        self.harbor.get(Path::new(RETENTIONS).id(id).then("executions")).pages().await
    }

    /// The tasks of a run, one per repository.
    pub async fn tasks(&self, id: RetentionId, run: ExecutionId) -> Result<Vec<RetentionTask>, Error> {
        let path = Path::new(RETENTIONS).id(id).then("executions").id(run).then("tasks");
        self.harbor.get(path).pages().await
    }
}

/// Whether a run deletes anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// It does.
    Real,
    /// It only finds out what it would delete.
    Dry,
}
