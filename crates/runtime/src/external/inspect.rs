//! The state of an object outside the cluster, for those who only look.

use super::{Age, Externals};
use crate::{ReconcileError, error::Verb};
use plan::{Action, Desired, External, Failure, Gate, ObjectKey, Outcome, Resolver};

impl Externals<'_> {
    /// The outcome of an object; `None` where it does not exist. Write-only fields count as written.
    pub(crate) async fn inspect(
        &self,
        resolver: &Resolver<'_>,
        desired: &Desired,
        external: &External,
    ) -> Option<Outcome> {
        let key = external.key();
        let action = match self.action(resolver, desired, &key).await {
            Ok(action) => action,
            Err(error) => return Some(Outcome::Failed(Failure::from(&error))),
        };
        match action {
            Action::Create => None,
            Action::Update { fields } => {
                Some(Outcome::Waiting { object: key, why: format!("differs in {}", fields.join(", ")) })
            }
            Action::Refuse(_) => {
                let error = ReconcileError::exists_outside(&key, external);
                Some(Outcome::Failed(Failure::from(&error)))
            }
            _ => Some(Outcome::Ready),
        }
    }

    async fn action(
        &self,
        resolver: &Resolver<'_>,
        desired: &Desired,
        key: &ObjectKey,
    ) -> Result<Action<()>, ReconcileError> {
        self.note(key, None);
        let connection = self.connection(Verb::Read, key).await?;
        let object = self.systems.read(self.reader(), &connection, key, Age::AsListed).await?;
        self.note(key, object.as_deref());
        Ok(self.resolve(resolver, desired, (Gate::OPEN, None), object.as_deref()))
    }
}
