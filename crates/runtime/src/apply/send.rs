//! Applies one child, and adopts an existing object of its name if the resolver permits it.

use super::{
    ensure::{Applier, Child},
    hand_over::hand_over,
    perform::Reading,
    release::release,
    server_side_apply::server_side_apply,
};
use crate::{ReconcileError, report::ChangeKind};
use kube::core::{DynamicObject, Status};
use plan::{Apply, Observation};
use progress::State;
use serde_json::Value;

/// The resource version of etcd's first revision, which no object has.
const NO_OBJECTS_VERSION: &str = "1";

/// How often the operator retries a write while other programs create and delete the object.
const ROUNDS: usize = 4;

impl Applier<'_> {
    /// Applies an object; `None` if it should be created, but an object of its name exists.
    pub(super) async fn send(
        &self,
        child: Child<'_>,
        json: &Value,
        how: &Apply,
        reading: &Reading,
    ) -> Result<Option<DynamicObject>, ReconcileError> {
        let Child { key, kind, .. } = child;
        let Self { cluster, manager, .. } = self;
        self.progress.child(self.owner, key, || State::Applying);
        match (how, reading) {
            (Apply::New, Reading::NotRead) => {
                let mut created = json.clone();
                // Every existing object has another version, so the API server answers with a conflict and does not
                // change it.
                created["metadata"]["resourceVersion"] = NO_OBJECTS_VERSION.into();
                match self.patch(child, &created).await {
                    Err(ReconcileError::Refused { status, .. })
                        if status.code == 409 || is_confused(&status) =>
                    {
                        return Ok(None);
                    }
                    answer => return answer.map(Some),
                }
            }
            (Apply::New, _) => return self.patch(child, json).await.map(Some),
            (Apply::HandOver(owners), Reading::Stored(stored)) => {
                let found = (key, &stored.metadata);
                let predecessors = &cluster.predecessors;
                hand_over(&cluster.client, &kind.resource, found, manager, predecessors, owners).await?;
                self.state().changed_child(key, ChangeKind::Adopted);
            }
            (Apply::HandOver(_) | Apply::Child | Apply::Repair, _) => {}
        }
        let left_to_others = child.desired.left_to_others;
        if !left_to_others.is_empty() {
            release(&cluster.client, &kind.resource, key, manager, left_to_others).await?;
        }
        self.patch(child, json).await.map(Some)
    }

    /// Applies content that the resolver does not compare. Adopts an existing object of the same name, if permitted.
    pub(super) async fn write(
        &self,
        child: Child<'_>,
        json: &Value,
        seen: Option<&Observation>,
    ) -> Result<DynamicObject, ReconcileError> {
        let Child { key, desired, .. } = child;
        let mut reading = Reading::NotRead;
        for _ in 0..ROUNDS {
            let how = match (&reading, seen) {
                (Reading::NotRead, Some(seen)) if self.resolver().is_child(seen) => Apply::Child,
                (Reading::NotRead, None) if !self.cluster.router.index.has(key) => Apply::New,
                (Reading::NotRead, _) => {
                    reading = self.reading(child).await?;
                    continue;
                }
                (Reading::Absent, _) => Apply::New,
                (Reading::Stored(stored), _) => match self.resolver().adopt(desired, stored) {
                    Ok(how) => how,
                    Err(refusal) => return Err(self.refused(child, refusal, &reading)?),
                },
            };
            match self.send(child, json, &how, &reading).await? {
                Some(stored) => return Ok(stored),
                None => reading = self.reading(child).await?,
            }
        }
        Err(ReconcileError::Contended { object: key.clone() })
    }

    async fn patch(
        &self,
        Child { key, kind, .. }: Child<'_>,
        object: &Value,
    ) -> Result<DynamicObject, ReconcileError> {
        server_side_apply(&self.api(key, kind)?, key, self.manager, object).await
    }
}

/// Kubernetes 1.20 refuses to create Services by an apply with a resource version. It creates all other kinds.
fn is_confused(status: &Status) -> bool {
    status.message.contains("resourceVersion should not be set on objects to be created")
}
