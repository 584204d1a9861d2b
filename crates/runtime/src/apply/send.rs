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
use plan::Apply;
use progress::State;
use serde_json::Value;

/// The resource version of etcd's first revision, which no object has.
const NO_OBJECTS_VERSION: &str = "1";

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
