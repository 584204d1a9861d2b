//! The state of an object outside the cluster, without changes.

use super::{Age, Externals, ensure::check_fault};
use crate::{ReconcileError, error::Verb};
use plan::{Action, Desired, External, Failure, Gate, ObjectKey, Outcome, Resolver};

impl Externals<'_> {
    /// The outcome that the action of the resolver stands for. Write-only fields count as written.
    pub(crate) async fn inspect<N: Copy>(
        &self,
        resolver: &Resolver<'_>,
        desired: &Desired,
        external: &External,
        gate: Gate<N>,
    ) -> Outcome {
        let key = external.key();
        if self.is_kept_away(&key, external, gate).is_some() {
            return Outcome::Blocked;
        }
        if let Err(fault) = check_fault(external) {
            return Outcome::Failed(Failure::from(&fault));
        }
        if !self.systems.has_drivers() {
            return Outcome::Waiting { object: key, why: "is about to change in its system".into() };
        }
        match (self.action(resolver, desired, &key, gate).await, gate.keeps_away()) {
            (Err(_), Some(_)) | (Ok(Action::Blocked { .. }), _) => Outcome::Blocked,
            (Err(error), None) => Outcome::Failed(Failure::from(&error)),
            (Ok(Action::Create), _) => Outcome::Waiting { object: key, why: "does not exist yet".into() },
            (Ok(Action::Update { fields }), _) => {
                Outcome::Waiting { object: key, why: format!("differs in {}", fields.join(", ")) }
            }
            (Ok(Action::Refuse(refusal)), _) => {
                Outcome::Failed(Failure::from(&ReconcileError::refused_outside(&key, external, &refusal)))
            }
            (Ok(_), _) => Outcome::Ready,
        }
    }

    async fn action<N: Copy>(
        &self,
        resolver: &Resolver<'_>,
        desired: &Desired,
        key: &ObjectKey,
        gate: Gate<N>,
    ) -> Result<Action<N>, ReconcileError> {
        self.note(key, None);
        let connection = self.connection(Verb::Read, key).await?;
        let object = self.systems.read(self.reader(), &connection, key, Age::AsListed).await?;
        self.note(key, object.as_deref());
        Ok(self.resolve(resolver, desired, (gate, None), object.as_deref()))
    }
}
