//! The nodes of a plan: ensures one, and returns its outcome.

use crate::{ReconcileError, apply::Applier, external::Externals};
use graph::{NodeId, Step};
use plan::{Desired, Gate, ObjectKey, Outcome, Plan, PlanError, Policy};
use progress::Planned;

/// Ensures one node: an object in the cluster or outside of it, or an item of another program's object.
pub(crate) async fn ensure(
    applier: &Applier<'_>,
    externals: &Externals<'_>,
    desired: &Desired,
    gate: Gate<NodeId>,
) -> Result<Step, ReconcileError> {
    match &desired.policy {
        Policy::External(external) => externals.ensure(applier, desired, external, gate).await,
        Policy::Amend { amendment, note } => externals.amend(applier, desired, (amendment, note), gate).await,
        Policy::Apply | Policy::CreateOnce { .. } | Policy::Issue(_) | Policy::Await { .. } => {
            applier.ensure(desired, gate).await
        }
    }
}

/// The outcomes when planning failed.
pub(crate) fn unplanned(error: &ReconcileError) -> Vec<Outcome> {
    match error {
        ReconcileError::Plan(PlanError::Unsettled(objects)) => objects
            .iter()
            .map(|(object, why)| Outcome::Waiting { object: object.clone(), why: why.clone() })
            .collect(),
        error => vec![Outcome::Failed(plan::Failure::from(error))],
    }
}

/// The graph without its objects, which may be Secrets.
pub(crate) fn planned(plan: &Plan) -> Vec<Planned> {
    let nodes = plan.graph.iter().map(|(_, desired, after)| Planned {
        object: desired.object.key(),
        after: after.iter().map(|id| id.index()).collect(),
    });
    nodes.collect()
}

/// The outcome of a node, as the status reports it.
pub(crate) fn to_outcome(key: &ObjectKey, outcome: &graph::Outcome<ReconcileError>) -> Outcome {
    match outcome {
        graph::Outcome::Ready => Outcome::Ready,
        graph::Outcome::Waiting(why) | graph::Outcome::Usable(why) => {
            Outcome::Waiting { object: key.clone(), why: why.clone() }
        }
        graph::Outcome::Failed(error) => Outcome::Failed(plan::Failure::from(error)),
        graph::Outcome::Blocked { .. } | graph::Outcome::Cancelled => Outcome::Blocked,
    }
}
