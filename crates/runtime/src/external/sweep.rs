//! Deletes what the operator created outside the cluster and no owner wants any more. It deletes what is recorded, and
//! nothing else.

use super::{Age, Externals, Recorder, SystemError};
use crate::{
    ReconcileError,
    error::Verb,
    report::{ChangeKind, ChildChange},
};
use plan::{DeletionBehavior, ObjectKey, PlanError};
use std::collections::BTreeSet;

/// What it means that an object is missing which is needed to reach a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Missing {
    /// The user may still create it.
    Fails,
    /// It was deleted together with the owner, and the system with it.
    IsGone,
}

/// What becomes of objects.
#[derive(Default)]
struct Swept {
    /// Deleted, or found to be gone.
    done: Vec<ObjectKey>,
    /// Left as they are, since their system is gone.
    abandoned: Vec<ObjectKey>,
    deleted: Vec<ObjectKey>,
}

impl Externals<'_> {
    /// Deletes what is recorded and not `wanted`.
    pub(crate) async fn sweep(
        &self,
        wanted: &BTreeSet<&ObjectKey>,
    ) -> Result<Vec<ChildChange>, ReconcileError> {
        self.sweep_all_but(wanted, Missing::Fails).await
    }

    async fn sweep_all_but(
        &self,
        wanted: &BTreeSet<&ObjectKey>,
        missing: Missing,
    ) -> Result<Vec<ChildChange>, ReconcileError> {
        let mut swept = Swept::default();
        let ended = self.delete_unwanted(wanted, missing, &mut swept).await;
        // Also after a failure: an object of the same name may be created by another program before the next attempt.
        let done: Vec<_> = swept.done.iter().chain(&swept.abandoned).cloned().collect();
        if !done.is_empty() {
            self.recorder.forget(&done).await?;
        }
        ended?;
        let deleted =
            swept.deleted.into_iter().map(|object| ChildChange { object, kind: ChangeKind::Deleted });
        Ok(deleted.chain(swept.abandoned.into_iter().map(abandoned)).collect())
    }

    /// Deletes what the operator created for an owner that is being deleted, and removes the finalizer.
    pub(crate) async fn finalize(&self) -> Result<Vec<ChildChange>, ReconcileError> {
        let changes = self.sweep_all_but(&BTreeSet::new(), Missing::IsGone).await?;
        self.recorder.release().await?;
        Ok(changes)
    }

    async fn delete_unwanted(
        &self,
        wanted: &BTreeSet<&ObjectKey>,
        missing: Missing,
        swept: &mut Swept,
    ) -> Result<(), ReconcileError> {
        let unwanted = self.recorder.record().unwanted(wanted);
        let (owned, kept): (Vec<_>, Vec<_>) =
            unwanted.into_iter().partition(|(_, behavior)| *behavior == DeletionBehavior::Owned);
        swept.done.extend(kept.into_iter().map(|(key, _)| key));
        let mut left: Vec<_> = owned.into_iter().map(|(key, _)| key).collect();
        // An object may be in use by another one that is to be deleted as well.
        loop {
            let (before, mut in_use) = (left.len(), None);
            for key in std::mem::take(&mut left) {
                match self.delete(&key, missing, swept).await {
                    Err(error @ ReconcileError::External { error: SystemError::InUse { .. }, .. }) => {
                        in_use = Some(error);
                        left.push(key);
                    }
                    deleted => deleted?,
                }
            }
            match in_use {
                None => return Ok(()),
                Some(error) if left.len() == before => return Err(error),
                Some(_) => {}
            }
        }
    }

    async fn delete(
        &self,
        key: &ObjectKey,
        missing: Missing,
        swept: &mut Swept,
    ) -> Result<(), ReconcileError> {
        match self.try_delete(key).await {
            Ok(was_there) => {
                swept.deleted.extend(was_there.then(|| key.clone()));
                swept.done.push(key.clone());
                Ok(())
            }
            Err(error) if missing.means_gone(&error) => {
                tracing::warn!(object = %key, %error, "not deleted, its system is gone");
                swept.abandoned.push(key.clone());
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Deletes an object; answers whether it existed.
    async fn try_delete(&self, key: &ObjectKey) -> Result<bool, ReconcileError> {
        let connection = self.connection(Verb::Delete, key).await?;
        let Some(actual) = self.systems.read(self.reader(), &connection, key, Age::Fresh).await? else {
            return Ok(false);
        };
        let deleted = self.systems.delete(self.owner, &connection, key, &actual.data).await;
        deleted.map_err(|error| self.systems.failed(Verb::Delete, key, error))?;
        tracing::info!(object = %key, "deleted, outside the cluster: its owner no longer wants it");
        Ok(true)
    }
}

/// Removes the finalizer of an owner, and leaves what the operator created for it.
pub(crate) async fn abandon(recorder: &Recorder<'_>) -> Result<Vec<ChildChange>, ReconcileError> {
    let unwanted = recorder.record().unwanted(&BTreeSet::new());
    recorder.release().await?;
    let left = unwanted.into_iter().filter(|(_, behavior)| *behavior == DeletionBehavior::Owned);
    Ok(left.map(|(object, _)| abandoned(object)).collect())
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

fn abandoned(object: ObjectKey) -> ChildChange {
    ChildChange { object, kind: ChangeKind::Abandoned }
}
