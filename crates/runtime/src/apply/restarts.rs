//! Whether the pods of a workload restart now for a value that other workloads use, too, or after those.

use super::{
    DigestSource,
    ensure::{Applier, Child},
};
use crate::{ReconcileError, cluster::Interest};
use api::names::INPUTS_ANNOTATION;
use plan::{ObjectKey, Observation, Reached, RestartOrder, Restarted, Supply};

/// Whether pods wait for those of others before they restart for a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RestartTurns {
    /// They do.
    Taken,
    /// A dry run shows all pods that restart, whenever that is.
    Ignored,
}

/// What a workload restarts for now.
#[derive(Default)]
pub(super) struct Restarts {
    /// What its label says when they do.
    pub(super) restarted: Restarted,
    /// What keeps its pods as they are, if anything does.
    pub(super) kept: Option<Kept>,
}

/// Pods that do not restart yet.
pub(super) struct Kept {
    /// The digest of their inputs, which stays.
    pub(super) inputs: String,
    /// What the label says meanwhile.
    pub(super) restarted: Restarted,
    /// What they wait for, as text for users.
    pub(super) why: String,
}

impl Applier<'_> {
    /// Decides for a workload that was `seen` like this. Pods that do not serve have nothing to lose, and restart at once. Without
    /// a key, as in a dry run, what the workload has is left as it is.
    pub(super) async fn restarts(
        &self,
        child: Child<'_>,
        seen: Option<&Observation>,
    ) -> Result<Restarts, ReconcileError> {
        let orders = &child.desired.restarts;
        let before = seen.map(|seen| seen.restarted.clone()).unwrap_or_default();
        let key = match self.digest_source {
            DigestSource::Key(key) if !orders.is_empty() => key,
            DigestSource::Key(_) => return Ok(Restarts::default()),
            DigestSource::Unknown { .. } => return Ok(Restarts { restarted: before, kept: None }),
        };
        let all = {
            let state = self.state();
            let digest =
                |order: &RestartOrder| state.contents.get(&order.secret)?.as_ref()?.digest_of(&order.key);
            Restarted::now(orders, key, digest).map_err(|error| ReconcileError::Bug(error.to_string()))?
        };
        let serves = seen.is_some_and(|seen| seen.health.reached > Reached::Nothing);
        let restarted = all.clone().supplied(&before, orders);
        // A value that does not reach the pods yet keeps them only from restarting for another one.
        let restart = before.first_change(&restarted, orders).is_some();
        let waits = restart && serves && self.restart_turns == RestartTurns::Taken;
        if let Some(order) = before.first_change(&all, orders).filter(|_| waits)
            && let Some(why) = self.waits_for(child, order, &all).await?
            && let Some(inputs) = self.stored_inputs(child).await?
        {
            return Ok(Restarts { restarted, kept: Some(Kept { inputs, restarted: before, why }) });
        }
        Ok(Restarts { restarted, kept: None })
    }

    /// The workload whose restart a workload waits for, as text. Subscribes the owner to it.
    async fn waits_for(
        &self,
        Child { kind, .. }: Child<'_>,
        order: &RestartOrder,
        now: &Restarted,
    ) -> Result<Option<String>, ReconcileError> {
        let why = |before: &ObjectKey| {
            format!("{} has changed; its pods restart when those of {before} have", order.secret)
        };
        if order.supply == Supply::Earlier {
            return Ok(order.after.last().map(why));
        }
        let keys = order.after.iter().cloned().collect();
        let found = self.cluster.fetch(self.owner, &keys, Interest::SpecAndStatus).await?;
        self.state().note(&found, Interest::SpecAndStatus)?;
        for before in &order.after {
            let Some(object) = found.get(before).and_then(Option::as_ref) else { continue };
            let undecodable = |_| ReconcileError::Bug(format!("{before} cannot be decoded"));
            let health = serde_json::to_value(&**object).and_then(kind.health).map_err(undecodable)?;
            let theirs = Restarted::of(object.metadata.labels.as_ref());
            if !theirs.has_restarted(&health, now, order) {
                return Ok(Some(why(before)));
            }
        }
        Ok(None)
    }

    /// The digest of the inputs that the pods of a workload have.
    async fn stored_inputs(&self, Child { key, .. }: Child<'_>) -> Result<Option<String>, ReconcileError> {
        let stored = self.cluster.stored(key).await?;
        let annotation = |stored: &kube::core::DynamicObject| {
            let annotations = stored.data.pointer("/spec/template/metadata/annotations")?;
            annotations.get(INPUTS_ANNOTATION)?.as_str().map(str::to_owned)
        };
        Ok(stored.as_ref().and_then(annotation))
    }
}
