//! Reconciles owners of one kind.

use super::{
    Context, Owner, Session,
    memo::{Inputs, Memo, Node},
    nodes::{ensure, planned, unplanned},
    planning::{Unplannable, plan},
    sweep::sweep,
};
use crate::{
    ReconcileError,
    apply::{Applier, DigestSource, RestartTurns, RunState, node_span},
    cluster::Cluster,
    external::{Bookkeeping, Externals, Recorder, abandon},
    telemetry::ReconcileMetrics,
};
use api::names::ABANDON_ANNOTATION;
use kube::ResourceExt as _;
use plan::{Aspects, ComponentKind, ComponentObject, ObjectKey, Outcome, OwnerAccess};
use progress::Stage;
use std::{
    collections::HashMap,
    num::NonZeroUsize,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// How many children of one owner are ensured concurrently.
const AT_ONCE: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// The result of one reconcile.
#[derive(Debug)]
pub(crate) struct Findings {
    /// The outcome of each child, or of planning.
    pub(crate) outcomes: Vec<Outcome>,
    /// The verdict on each aspect; `None` if planning failed.
    pub(crate) aspects: Option<Aspects>,
}

impl Findings {
    /// What is found where there is nothing left to do.
    pub(crate) fn nothing() -> Self {
        Self { outcomes: Vec::new(), aspects: None }
    }

    /// What is found where an error prevented all outcomes.
    pub(crate) fn failed(error: &ReconcileError) -> Self {
        Self { outcomes: vec![Outcome::Failed(plan::Failure::from(error))], aspects: None }
    }
}

/// How often an owner is planned in one reconcile, where its plan depends on what was written for it.
const PLANS_AT_ONCE: usize = 3;

/// Reconciles owners of one kind.
pub(crate) struct Reconciler {
    pub(crate) context: Arc<Context>,
    pub(crate) component: ComponentKind,
    pub(crate) metrics: ReconcileMetrics,
    /// The field manager.
    pub(crate) manager: String,
    sessions: Mutex<HashMap<ObjectKey, Session>>,
}

impl Reconciler {
    pub(crate) fn new(context: Arc<Context>, component: ComponentKind) -> Self {
        Self {
            metrics: context.cluster.metrics.reconciles(&component.resource().kind),
            manager: component.field_manager(),
            sessions: Mutex::default(),
            context,
            component,
        }
    }

    /// The owner as its watch last delivered it; `None` if it no longer exists.
    pub(crate) fn owner(&self, key: &ObjectKey) -> Option<Owner> {
        Owner::read(&self.context.cluster, &self.component, key)
    }

    /// Takes the session of an owner out, so that an aborted reconcile leaves no session behind.
    pub(crate) fn take_session(&self, key: &ObjectKey) -> Session {
        self.sessions().remove(key).unwrap_or_default()
    }

    pub(crate) fn keep_session(&self, key: &ObjectKey, session: Session) {
        self.sessions().insert(key.clone(), session);
    }

    /// Forgets an owner that no longer exists.
    pub(crate) fn forget(&self, key: &ObjectKey) {
        self.take_session(key);
        self.context.progress.stage(key, || Stage::Deleted);
        self.context.cluster.router.index.forget(key);
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<ObjectKey, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reconciles an owner. Failures of children are in the outcomes; `Err` is a failure that prevented all outcomes.
    pub(crate) async fn reconcile(
        &self,
        owner: &Owner,
        session: &mut Session,
    ) -> Result<Findings, ReconcileError> {
        let object = owner.object()?;
        if let Some(awaited) = self.awaits_hand_over(owner) {
            return Ok(Findings { outcomes: vec![awaited], aspects: None });
        }
        let Context { cluster, progress, events, clock, .. } = &*self.context;
        let externals = self.context.externals(&self.component, owner, self.bookkeeping(session))?;
        let inputs = Inputs::of(owner.meta());
        let remembered = match session.memo.due() {
            Some(due) if due <= clock() => None,
            _ if session.memo.wholes().any(|whole| externals.holder(whole).is_some()) => None,
            _ => session.memo.outcomes(&inputs, &cluster.router.index),
        };
        let mut outcomes = match remembered {
            Some(outcomes) => {
                let nodes = session.memo.last.as_ref().map_or(&[][..], |run| &run.nodes);
                progress.outcomes(
                    &owner.key,
                    || nodes.iter().map(Node::planned).collect(),
                    &outcomes,
                    |_| true,
                );
                outcomes
            }
            None => self.run_until_planned(owner, object, &externals, inputs, &mut session.memo).await?,
        };
        if let Some(run) = &session.memo.last
            && !outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(_)))
            && !cluster.stop.is_cancelled()
        {
            let wanted = run.nodes.iter().map(|node| &node.key).collect();
            let children = cluster.router.index.owned_by(owner.uid());
            let unwanted = plan::unwanted(children, owner.key.home(), &wanted, &run.replaced);
            let mut changes = sweep(cluster, (&owner.key, owner.uid()), unwanted).await?;
            events.child_changes(&self.reference(owner), &changes);
            let items: Vec<_> = run.nodes.iter().filter_map(|node| node.amended.as_ref()).collect();
            let swept = externals.sweep(&wanted, &items).await?;
            events.child_changes(&self.reference(owner), &swept);
            changes.extend(swept);
            // The plan may depend on what is gone now. Changes that a reconcile makes do not enqueue its owner.
            if !changes.is_empty() && run.inputs.have_changed(&cluster.router.index) {
                cluster.router.wake([owner.key.clone()].into());
            }
        }
        let run = session.memo.last.as_ref();
        let aspects = run.map(|run| plan::aspects(run.nodes.iter().map(|node| node.aspect).zip(&outcomes)));
        let waits = run.and_then(|run| run.waits.clone());
        outcomes.extend(waits.map(|(object, why)| Outcome::Held { object, why }));
        Ok(Findings { outcomes, aspects })
    }

    /// Deletes what the operator created outside the cluster for an owner that is being deleted, and the items that it added to
    /// objects of other programs; the garbage collector deletes the rest.
    pub(crate) async fn finalize(
        &self,
        owner: &Owner,
        session: &Session,
    ) -> Result<Findings, ReconcileError> {
        let changes = if owner.stored.annotations().get(ABANDON_ANNOTATION).is_some_and(|it| it == "true") {
            abandon(&self.recorder(owner, session)).await?
        } else {
            let finalized = async {
                let externals = self.context.externals(&self.component, owner, self.bookkeeping(session))?;
                externals.finalize(&owner.object()?.left_behind()).await
            };
            finalized.await.map_err(|error| ReconcileError::NotFinalized(Box::new(error)))?
        };
        self.context.events.child_changes(&self.reference(owner), &changes);
        Ok(Findings::nothing())
    }

    pub(super) fn recorder<'a>(&'a self, owner: &'a Owner, session: &Session) -> Recorder<'a> {
        let owner = (&owner.key, owner.meta());
        Recorder::new(&self.context.cluster, self.component.resource(), owner, self.bookkeeping(session))
    }

    fn bookkeeping(&self, session: &Session) -> Bookkeeping<'_> {
        Bookkeeping::InOwner { key: &self.context.digest_key, recorded: Arc::clone(&session.recorded) }
    }

    /// The owner that an object of the old operator waits for: that owner is about to write it anew, and to act on what the
    /// object says until then would restart pods twice. Objects of Kubernetes take over nothing.
    fn awaits_hand_over(&self, owner: &Owner) -> Option<Outcome> {
        let cluster = &self.context.cluster;
        let seen = cluster.router.index.child(&owner.key)?;
        let parent = seen.owner.filter(|_| seen.unadopted)?;
        let component = cluster.component(&parent.key().group, &parent.key().kind)?;
        if component.access == OwnerAccess::OnlyRead {
            return None;
        }
        Some(Outcome::Waiting {
            object: parent.key().clone(),
            why: "has not taken this over from the old operator yet".into(),
        })
    }

    /// Runs again while the plan depends on what was written for it, such as a generated Secret.
    async fn run_until_planned(
        &self,
        owner: &Owner,
        object: &Arc<dyn ComponentObject>,
        externals: &Externals<'_>,
        inputs: Inputs,
        memo: &mut Memo,
    ) -> Result<Vec<Outcome>, ReconcileError> {
        let mut outcomes = self.run(owner, object, externals, inputs.clone(), memo).await?;
        for _ in 1..PLANS_AT_ONCE {
            if !memo.is_outdated() {
                return Ok(outcomes);
            }
            outcomes = self.run(owner, object, externals, inputs.clone(), memo).await?;
        }
        if memo.is_outdated() {
            self.context.cluster.router.wake([owner.key.clone()].into());
        }
        Ok(outcomes)
    }

    async fn run(
        &self,
        owner: &Owner,
        object: &Arc<dyn ComponentObject>,
        externals: &Externals<'_>,
        inputs: Inputs,
        memo: &mut Memo,
    ) -> Result<Vec<Outcome>, ReconcileError> {
        let key = &owner.key;
        let Context { cluster, progress, events, .. } = &*self.context;
        let Cluster { router, stop, .. } = &**cluster;
        if let Some((_, longest)) = memo.too_expensive.as_ref().filter(|(owner, _)| *owner == inputs.owner) {
            return Err(ReconcileError::TooExpensive(*longest));
        }
        let Memo { applied, repairs, absences, .. } = memo.clone();
        let mut state = RunState { applied, repairs, absences, ..RunState::default() };
        let read_before = memo.last.take().map(|run| run.inputs.reads).unwrap_or_default();
        let planning = plan(&self.context, key, object, &mut state);
        let answer = match stop.run_until_cancelled(planning).await {
            None => return Ok(vec![Outcome::Blocked]),
            Some(Err(ReconcileError::TooExpensive(longest))) => {
                memo.too_expensive = Some((inputs.owner, longest));
                return Err(ReconcileError::TooExpensive(longest));
            }
            Some(answer) => answer?,
        };
        memo.absences = state.absences.clone();
        let plan = match answer {
            Ok(plan) => plan,
            Err(Unplannable { error, until }) => {
                memo.plannable_at = until;
                router.index.unsubscribe_from_others(key, &state.reads.into_keys().collect());
                return Ok(unplanned(&error));
            }
        };
        progress.stage(key, || Stage::Planned(planned(&plan)));
        let inputs = Inputs { reads: state.reads.clone(), ..inputs };
        let applier = Applier {
            owner: key,
            uid: owner.uid(),
            manager: &self.manager,
            cluster,
            progress,
            digest_source: DigestSource::Key(&self.context.digest_key),
            restart_turns: RestartTurns::Taken,
            now: (self.context.clock)(),
            read_before: &read_before,
            state: Mutex::new(state),
        };
        let report = graph::run(&plan.graph, AT_ONCE, stop, |id, desired| {
            ensure(&applier, externals, desired, applier.gate(&plan.graph, id))
        })
        .await;

        let mut state = applier.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.reads.extend(externals.reads());
        router.index.unsubscribe_from_others(key, &state.reads.keys().cloned().collect());
        events.child_changes(&self.reference(owner), &state.child_changes);
        let nodes = plan.graph.iter().map(|(id, ..)| Node::of(&plan.graph, id, &mut state.done));
        let nodes: Vec<_> = nodes.collect();
        let outcomes: Vec<_> =
            report.iter().zip(&nodes).map(|((_, outcome), node)| node.outcome(outcome)).collect();
        let is_blocked = |outcome: &Outcome| *outcome == Outcome::Blocked;
        progress.outcomes(key, || nodes.iter().map(Node::planned).collect(), &outcomes, is_blocked);
        // A trace shows all nodes, also those that were blocked.
        for (node, _) in nodes.iter().zip(&outcomes).filter(|(_, outcome)| is_blocked(outcome)) {
            node_span(&node.key).record("outcome", "blocked");
        }
        memo.remember(inputs, plan, nodes, state);
        Ok(outcomes)
    }
}
