//! Items that the operator adds to objects of other programs. It records them in the owner before it adds them, as objects
//! outside the cluster, because no garbage collector removes them.

use super::{Externals, recorder::MANAGER};
use crate::{
    ReconcileError,
    apply::{Applier, Done, amend},
    cluster::api_of,
    error::Verb,
    report::ChangeKind,
};
use graph::{NodeId, Step};
use kube::core::DynamicObject;
use plan::{Action, Amended, Amendment, Applied, Desired, Gate, Known, ObjectKey, Observed, Reached};

impl Externals<'_> {
    /// Adds an item to an object of another program, and answers whether it is there.
    pub(crate) async fn amend(
        &self,
        applier: &Applier<'_>,
        desired: &Desired,
        (amendment, note): (&Amendment, &str),
        gate: Gate<NodeId>,
    ) -> Result<Step, ReconcileError> {
        let key = desired.object.key();
        let step = async {
            let found = applier.find(&key).await?;
            let observed = found.as_deref().map_or(Observed::Absent, Observed::Stored);
            let action = applier.resolver().resolve(desired, observed, gate, Known::default());
            let (added, object) = match (action, &found) {
                (Action::Blocked { by }, _) => return Ok(Step::Blocked { by }),
                (Action::Refuse(refusal), _) => return Err(ReconcileError::refused(&key, refusal)),
                (Action::Nothing, Some(object)) => (Vec::new(), object),
                (Action::Amend, Some(object)) => (amendment.addition(&object.data), object),
                (action, _) => {
                    return Err(ReconcileError::Bug(format!("{key} is of another program: {action:?}")));
                }
            };
            // Only that order leaves nothing behind that no owner knows.
            self.recorder.amend(Amended::new(&key, amendment.clone())).await?;
            if !added.is_empty() {
                if !applier.state().repairs.allow(&key, applier.now) {
                    return Err(ReconcileError::Contended { object: key.clone() });
                }
                let stored = self.patch(Verb::Apply, &key, object, added).await?;
                applier.record(&key, &desired.object.child_kind(), &stored)?;
                tracing::info!(object = %key, item = %amendment.item, "added an item to an object of another program");
                let what = format!("added {} to {}", amendment.item, field(amendment));
                applier.state().changed_child(&key, ChangeKind::Amended(format!("{what}; {note}")));
            }
            applier.state().left(&key, Applied::Amended, Done::Everything, Reached::Ready);
            Ok(Step::Ready)
        };
        applier.reported(&key, step).await
    }

    /// Removes the items that are recorded and not `wanted`.
    pub(super) async fn remove_items_but(&self, wanted: &[&Amended]) -> Result<(), ReconcileError> {
        let record = self.recorder.record();
        for item in record.amended().iter().filter(|item| !wanted.contains(item)) {
            self.remove_item(item).await?;
            self.recorder.forget_amended(item).await?;
        }
        Ok(())
    }

    /// Removes an item, if it and its object are still there.
    pub(super) async fn remove_item(&self, item: &Amended) -> Result<(), ReconcileError> {
        let key = item.object(&self.owner.namespace);
        let Some(stored) = self.cluster.stored(&key).await? else { return Ok(()) };
        let removed = item.amendment.removal(&stored.data);
        if removed.is_empty() {
            return Ok(());
        }
        match self.patch(Verb::Release, &key, &stored, removed).await {
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) => Err(error),
            Ok(_) => {
                tracing::info!(object = %key, item = %item.amendment.item, "removed an item from an object of another program");
                Ok(())
            }
        }
    }

    async fn patch(
        &self,
        verb: Verb,
        key: &ObjectKey,
        object: &DynamicObject,
        operations: Vec<serde_json::Value>,
    ) -> Result<DynamicObject, ReconcileError> {
        let api = api_of(&self.cluster.client, self.cluster.resource(key)?, key)?;
        amend(&api, (verb, key), MANAGER, object.metadata.resource_version.as_deref(), operations).await
    }
}

/// The list, as users write it.
fn field(amendment: &Amendment) -> String {
    amendment.list.trim_start_matches('/').replace('/', ".")
}
