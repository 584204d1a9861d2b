//! Deletes what the operator created outside the cluster and no owner wants any more: what is recorded, and nothing else.

use super::{Age, Externals, Recorder};
use crate::{
    ReconcileError,
    error::Verb,
    report::{ChangeKind, ChildChange},
};
use plan::{Amended, Contents, DeletionBehavior, ObjectKey, PlanError, SystemError};
use std::collections::BTreeSet;

/// What it means that an object is missing which is needed to reach a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    /// The user may still create it.
    Fails,
    /// It was deleted together with the owner, and the system with it.
    IsGone,
}

/// Objects that are done with, each with what a user should know about it.
type Swept = Vec<(ObjectKey, Option<ChangeKind>)>;

impl Externals<'_> {
    /// Deletes what is recorded and not `wanted`, and removes the items that are recorded and not among `items`.
    pub(crate) async fn sweep(
        &self,
        wanted: &BTreeSet<&ObjectKey>,
        items: &[&Amended],
    ) -> Result<Vec<ChildChange>, ReconcileError> {
        self.remove_items_but(items).await?;
        self.sweep_all_but(wanted, Missing::Fails).await
    }

    /// Deletes what the operator created for an owner that is being deleted, removes the items that it or the old operator
    /// added, and removes the finalizer.
    pub(crate) async fn finalize(&self, left_behind: &[Amended]) -> Result<Vec<ChildChange>, ReconcileError> {
        let changes = self.sweep_all_but(&BTreeSet::new(), Missing::IsGone).await?;
        for item in self.recorder.record().amended().iter().chain(left_behind) {
            self.remove_item(item).await?;
        }
        self.recorder.release().await?;
        Ok(changes)
    }

    async fn sweep_all_but(
        &self,
        wanted: &BTreeSet<&ObjectKey>,
        missing: Missing,
    ) -> Result<Vec<ChildChange>, ReconcileError> {
        let mut swept = Swept::new();
        let ended = self.delete_all_but(wanted, missing, &mut swept).await;
        if !swept.is_empty() {
            // Also after a failure: another program may create an object of the same name before the next attempt.
            self.recorder.forget(swept.iter().map(|(key, _)| key)).await?;
        }
        ended?;
        let change = |(object, kind): (ObjectKey, Option<_>)| Some(ChildChange { object, kind: kind? });
        Ok(swept.into_iter().filter_map(change).collect())
    }

    async fn delete_all_but(
        &self,
        wanted: &BTreeSet<&ObjectKey>,
        missing: Missing,
        swept: &mut Swept,
    ) -> Result<(), ReconcileError> {
        let mut left = Vec::new();
        for (key, behavior) in self.recorder.record().unwanted(wanted) {
            match behavior {
                DeletionBehavior::Owned => left.push(key),
                DeletionBehavior::Kept => swept.push((key, None)),
            }
        }
        // An object may be in use by another one that is to be deleted as well.
        loop {
            let (before, mut in_use) = (left.len(), None);
            for key in std::mem::take(&mut left) {
                match self.delete(&key).await {
                    Ok(change) => swept.push((key, change)),
                    Err(error) if missing.means_gone(&error) => {
                        let error = plan::one_line(&error);
                        tracing::warn!(object = %key, error, "not deleted, its system is gone");
                        swept.push((key, Some(ChangeKind::Abandoned)));
                    }
                    Err(
                        error @ ReconcileError::External {
                            error: SystemError::InUse { .. } | SystemError::NotEmpty { .. },
                            ..
                        },
                    ) => {
                        in_use = Some(error);
                        left.push(key);
                    }
                    Err(error) => return Err(error),
                }
            }
            match in_use {
                None => return Ok(()),
                Some(error) if left.len() == before => return Err(error),
                Some(_) => {}
            }
        }
    }

    async fn delete(&self, key: &ObjectKey) -> Result<Option<ChangeKind>, ReconcileError> {
        let connection = self.connection(Verb::Delete, key).await?;
        let Some(actual) = self.systems.read(self.reader(), &connection, key, Age::Fresh).await? else {
            return Ok(None);
        };
        let contents = self.recorder.claim(key).map_or(Contents::Kept, |claim| claim.contents);
        let deleted = self.systems.delete(self.owner, &connection, key, &actual.data, contents).await;
        deleted.map_err(|error| self.systems.failed(Verb::Delete, key, error))?;
        tracing::info!(object = %key, "deleted, outside the cluster: its owner no longer wants it");
        Ok(Some(ChangeKind::Deleted))
    }
}

/// Removes the finalizer of an owner, and leaves what the operator created for it.
pub(crate) async fn abandon(recorder: &Recorder<'_>) -> Result<Vec<ChildChange>, ReconcileError> {
    let unwanted = recorder.record().unwanted(&BTreeSet::new());
    recorder.release().await?;
    let left = unwanted.into_iter().filter(|(_, behavior)| *behavior == DeletionBehavior::Owned);
    Ok(left.map(|(object, _)| ChildChange { object, kind: ChangeKind::Abandoned }).collect())
}

impl Missing {
    /// Whether an error says that the system is gone.
    fn means_gone(self, error: &ReconcileError) -> bool {
        match error {
            ReconcileError::External { error, .. } => *error == SystemError::Gone,
            ReconcileError::Plan(PlanError::Missing(_)) => self == Self::IsGone,
            _ => false,
        }
    }
}
