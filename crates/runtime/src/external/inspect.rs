//! The state of an object outside the cluster, without changes.

use super::{Age, Externals};
use crate::ReconcileError;
use plan::{Action, Desired, External, Failure, Gate, Observed, Outcome, Resolver};

impl Externals<'_> {
    /// The outcome that the action of the resolver stands for. Write-only fields count as written.
    pub(crate) async fn inspect<N: Copy + PartialEq>(
        &self,
        resolver: &Resolver<'_>,
        desired: &Desired,
        external: &External,
        gate: Gate<N>,
    ) -> Outcome {
        let object = external.key();
        let (wanted, given) = ((desired, external), (gate, None));
        let decided = if self.systems.has_drivers() {
            self.decide(resolver, wanted, given, Age::AsListed).await.map(|(action, _)| action)
        } else {
            Ok(self.resolve(resolver, wanted, given, Observed::Named))
        };
        match decided {
            Err(error) => Outcome::Failed(Failure::from(&error)),
            Ok(Action::Blocked { .. }) => Outcome::Blocked,
            Ok(Action::Read) => Outcome::Waiting { object, why: "is about to change in its system".into() },
            Ok(Action::Create) => Outcome::Waiting { object, why: "does not exist yet".into() },
            Ok(Action::Update { fields }) => {
                Outcome::Waiting { object, why: format!("differs in {}", fields.join(", ")) }
            }
            Ok(Action::Refuse(refusal)) => {
                Outcome::Failed(Failure::from(&ReconcileError::refused_outside(&object, external, refusal)))
            }
            Ok(_) => Outcome::Ready,
        }
    }
}
