//! Owners in a namespace that is being deleted. Nothing outside the cluster keeps the namespace: what the operator cannot
//! delete there stays, and an event says so.

use super::{Owner, Reconciler, Session};
use crate::{ReconcileError, external::abandon};
use plan::{Class, Classify, ObjectKey, SystemError};
use std::fmt;

/// How often the operator tries to delete what another object uses, within 15 seconds: that object may be deleted with the
/// same namespace.
const ATTEMPTS_IN_USE: u32 = 5;

/// How many objects an event names.
const NAMED: usize = 5;

impl Reconciler {
    /// After a deletion outside the cluster has failed: removes the finalizer of an owner whose namespace is being deleted.
    /// Returns whether it did.
    pub(crate) async fn leave_behind(
        &self,
        owner: &Owner,
        session: &Session,
        error: &ReconcileError,
    ) -> Result<bool, ReconcileError> {
        let error = match error {
            ReconcileError::NotFinalized(error) => error,
            error => error,
        };
        let key = &owner.key;
        if may_pass(error, session.attempts) || !self.context.cluster.is_namespace_ending(key).await? {
            return Ok(false);
        }
        let left = abandon(&self.recorder(owner, session)).await?;
        let mut left: Vec<_> = left.into_iter().map(|change| change.object).collect();
        let why = why(error);
        tracing::warn!(objects = %Named(&left), error = why, "not deleted outside the cluster: the namespace is being deleted");
        // A system of the same namespace is deleted with it.
        left.retain(|object| object.system().is_some_and(|system| system.namespace != key.namespace));
        if !left.is_empty() || matches!(error, ReconcileError::Unrecorded(_)) {
            let note =
                format!("left {} behind when {key} was deleted with its namespace: {why}", Named(&left));
            self.context.events.left_behind(key, note);
        }
        Ok(true)
    }
}

/// Whether another attempt may succeed soon, after so many failed ones.
fn may_pass(error: &ReconcileError, attempts: u32) -> bool {
    match error {
        ReconcileError::External { error: SystemError::InUse { .. }, .. } => attempts + 1 < ATTEMPTS_IN_USE,
        ReconcileError::Unreachable { .. } => true,
        ReconcileError::Refused { .. } => matches!(error.class(), Class::Transient | Class::Conflict),
        _ => false,
    }
}

/// The message of an error that ends the attempts. That of [`SystemError::ReadOnly`] announces another one.
fn why(error: &ReconcileError) -> String {
    match error {
        ReconcileError::External { verb, object, system, error: SystemError::ReadOnly(why), .. } => {
            plan::one_line(&format_args!("cannot {verb} {object} in {system}: {why}"))
        }
        error => plan::one_line(error),
    }
}

/// Objects in a sentence. There are none if the record of them cannot be read.
struct Named<'a>(&'a [ObjectKey]);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("what it describes");
        }
        let names: Vec<_> = self.0.iter().take(NAMED).map(ToString::to_string).collect();
        f.write_str(&names.join(", "))?;
        match self.0.len().saturating_sub(NAMED) {
            0 => Ok(()),
            others => write!(f, " and {others} more"),
        }
    }
}
