//! Replication: copies of artifacts to and from other registries.

mod executions;
mod policy;
mod shown;

pub use executions::{ReplicationExecution, ReplicationExecutions, ReplicationTask};
pub use policy::{Direction, Filter, FilterDecoration, NewReplication, Trigger, TriggerType};
pub use shown::ReplicationPolicy;

use crate::{
    Deletion, Harbor, ReplicationId,
    client::{self, Path},
    error::Error,
};

impl Harbor {
    /// Replication policies.
    pub fn replications(&self) -> Replications<'_> {
        Replications { harbor: self }
    }

    /// Runs of replication policies.
    pub fn replication_executions(&self) -> ReplicationExecutions<'_> {
        ReplicationExecutions::new(self)
    }
}

/// Calls about replication policies. A policy is identified by its name.
#[derive(Clone, Copy, Debug)]
pub struct Replications<'h> {
    harbor: &'h Harbor,
}

const POLICIES: &str = "/replication/policies";

impl Replications<'_> {
    /// All policies.
    pub async fn list(&self) -> Result<Vec<ReplicationPolicy>, Error> {
        self.harbor.get(Path::new(POLICIES)).pages().await
    }

    /// The policy with this name.
    pub async fn find(&self, name: &str) -> Result<Option<ReplicationPolicy>, Error> {
        let filter = client::Filter::default().exact("name", name);
        let call = self.harbor.get(Path::new(POLICIES)).filter(&filter);
        let found: Vec<ReplicationPolicy> = call.pages().await?;
        Ok(found.into_iter().find(|policy| policy.name == name))
    }

    /// The policy with this number.
    pub async fn get(&self, id: ReplicationId) -> Result<Option<ReplicationPolicy>, Error> {
        self.harbor.get(Path::new(POLICIES).id(id)).json_if_found().await
    }

    /// Creates a policy.
    pub async fn create(&self, policy: &NewReplication) -> Result<ReplicationId, Error> {
        self.harbor.post(Path::new(POLICIES)).body(policy).reaches_jobservice().created().await
    }

    /// Replaces a policy, and sets its schedule anew.
    pub async fn replace(&self, id: ReplicationId, policy: &NewReplication) -> Result<(), Error> {
        self.harbor.put(Path::new(POLICIES).id(id)).body(policy).reaches_jobservice().done().await
    }

    /// Deletes a policy and its history. Harbor refuses that during a run.
    pub async fn delete(&self, id: ReplicationId) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(POLICIES).id(id)).reaches_jobservice().gone().await
    }
}
