//! Ensures that one child exists as desired.

use super::{
    DigestSource, Done, Read, RestartTurns, RunState,
    perform::{Exists, Performed},
};
use crate::{
    ReconcileError,
    cluster::{Cluster, Interest, is_input},
    report::ProgressSink,
};
use graph::{Graph, NodeId, Step};
use jiff::Timestamp;
use kube::{Api, api::ListParams, core::DynamicObject};
use plan::{
    ChildKind, Content, Desired, Gate, Health, ObjectKey, ObjectVersion, Observation, ObservedObject,
    PlanError, Reached, Readiness, Resolver,
};
use progress::State;
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};
use tracing::{Instrument as _, Span, field::Empty};

/// Ensures the children of one owner.
pub(crate) struct Applier<'a> {
    pub(crate) owner: &'a ObjectKey,
    /// The owner's uid.
    pub(crate) uid: &'a str,
    /// The field manager.
    pub(crate) manager: &'a str,
    pub(crate) cluster: &'a Cluster,
    pub(crate) progress: &'a ProgressSink,
    pub(crate) digest_source: DigestSource<'a>,
    pub(crate) restart_turns: RestartTurns,
    pub(crate) now: Timestamp,
    /// The reads of the previous reconcile.
    pub(crate) read_before: &'a BTreeMap<ObjectKey, Read>,
    pub(crate) state: Mutex<RunState>,
}

/// A child to ensure.
#[derive(Clone, Copy)]
pub(super) struct Child<'a> {
    pub(super) key: &'a ObjectKey,
    pub(super) kind: &'a ChildKind,
    pub(super) desired: &'a Desired,
}

impl Applier<'_> {
    /// The changes of a node that wait for its dependencies.
    pub(crate) fn gate(&self, graph: &Graph<Desired>, id: NodeId) -> Gate<NodeId> {
        let reached = |id: NodeId| {
            let key = graph.get(id).object.key();
            let known = self.state().reached.get(&key).copied();
            let seen = || self.cluster.router.index.child(&key).map(|seen| seen.health.reached);
            known.or_else(seen).unwrap_or_default()
        };
        Gate::of(graph.edges(id), reached)
    }

    /// Ensures that a child is as desired, as far as the gate permits, and returns whether it is ready.
    pub(crate) async fn ensure(&self, desired: &Desired, gate: Gate<NodeId>) -> Result<Step, ReconcileError> {
        let (key, kind) = (desired.object.key(), desired.object.child_kind());
        let child = Child { key: &key, kind: &kind, desired };
        let step = async {
            match self.step(child, gate).await {
                Err(error) if error.is_not_found() => Err(self.or_unserved(error, child).await),
                step => step,
            }
        };
        self.reported(&key, step).await
    }

    /// Works on one node, with a span of its own, and reports its progress.
    pub(crate) async fn reported(
        &self,
        key: &ObjectKey,
        step: impl Future<Output = Result<Step, ReconcileError>>,
    ) -> Result<Step, ReconcileError> {
        let span = node_span(key);
        let step = step.instrument(span.clone()).await;
        match &step {
            Ok(Step::Ready) => span.record("outcome", "ready"),
            Ok(Step::Waiting(why) | Step::Usable(why)) => {
                span.record("outcome", "waiting").record("why", why)
            }
            // Reported with all other blocked children at the end of the reconcile.
            Ok(Step::Blocked { .. }) => return step,
            Err(error) => span
                .record("outcome", "failed")
                .record("why", plan::one_line(error))
                .record("otel.status_code", "ERROR"),
        };
        self.progress.child(self.owner, key, || match &step {
            Ok(Step::Ready) => State::Ready,
            Ok(Step::Waiting(why) | Step::Usable(why)) => State::Waiting(why.clone()),
            Ok(Step::Blocked { .. }) => State::Applying,
            Err(error) => State::Failed(plan::Failure::from(error)),
        });
        step
    }

    async fn step(&self, child: Child<'_>, gate: Gate<NodeId>) -> Result<Step, ReconcileError> {
        let Child { key, kind, .. } = child;
        self.served(kind).await?;
        let performed = match self.perform(child, gate).await? {
            Performed::Blocked { by } => return Ok(Step::Blocked { by }),
            Performed::Exists(performed) => performed,
        };
        let Exists { applied, health: Health { readiness, reached, .. }, held } = performed;
        self.state().left(key, applied, Done::all_permitted(gate, held.as_ref()), reached);
        match (readiness, held) {
            (Readiness::Ready, None) => Ok(Step::Ready),
            (Readiness::Ready, Some(why)) => Ok(Step::Usable(why)),
            (Readiness::Progressing(why), _) if reached >= Reached::Available => Ok(Step::Usable(why)),
            (Readiness::Progressing(why), _) => Ok(Step::Waiting(why)),
            (Readiness::Failed(words), _) => Err(ReconcileError::ChildFailed { object: key.clone(), words }),
        }
    }

    /// Fails without a request if the API server does not serve a kind. The owner is reconciled when it does.
    async fn served(&self, kind: &ChildKind) -> Result<(), ReconcileError> {
        let (kind, provider) = (ObjectKey::kind(&kind.resource), kind.provider);
        if self.cluster.router.index.serves(&kind) || self.read(&kind).await? {
            return Ok(());
        }
        Err(PlanError::Unserved([(kind, provider.to_owned())].into()).into())
    }

    /// The given error, or [`PlanError::Unserved`] if the API server no longer serves the kind: the watch notices
    /// that only when it reconnects. Also enqueues all owners that depend on the kind.
    async fn or_unserved(&self, error: ReconcileError, Child { key, kind, .. }: Child<'_>) -> ReconcileError {
        let api = match self.api(key, kind) {
            Ok(api) => api,
            Err(misnamed) => return misnamed,
        };
        // A list succeeds even in a namespace that does not exist, so 404 means that the kind does not exist.
        let listed = api.list_metadata(&ListParams::default().limit(1)).await;
        if !matches!(&listed, Err(kube::Error::Api(status)) if status.code == 404) {
            return error;
        }
        let (resource, router) = (ObjectKey::kind(&kind.resource), &self.cluster.router);
        tracing::info!(kind = %resource, "the API server no longer serves this kind; the operator continues without it");
        router.wake(router.unserved(&resource));
        PlanError::Unserved([(resource, kind.provider.to_owned())].into()).into()
    }

    /// Records the answer to a write in the index, because the watch delivers it later.
    pub(crate) fn record(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        stored: &DynamicObject,
    ) -> Result<Observation, ReconcileError> {
        let undecodable = |_| ReconcileError::Bug(format!("{key} cannot be decoded"));
        let value = serde_json::to_value(stored).map_err(undecodable)?;
        let Self { cluster, .. } = self;
        let router = &cluster.router;
        let input = is_input(&key.group, &key.kind);
        // If the child is an owner itself, a component reads it when it reconciles it.
        if input || router.index.is_owner(key) || router.index.is_read(key) {
            cluster.cache.put(key, Some(stored.clone()));
        }
        let mut state = self.state();
        // Of an object whose status was read as well, the watch delivers a change of the status, which wakes the owner.
        let is_planned_from = |read: &&mut Read| input || read.interest == Interest::Spec;
        if let Some(read) = state.reads.get_mut(key).filter(is_planned_from) {
            read.state = Some(ObjectVersion::of(&stored.metadata));
            if input {
                state.contents.insert(key.clone(), Some(Content::of(&value)));
            }
        }
        drop(state);
        let health = (kind.health)(value).map_err(undecodable)?;
        let observed = ObservedObject::of(&kind.resource, &stored.metadata, health, &cluster.predecessors)
            .ok_or_else(|| ReconcileError::Bug(format!("{key} was stored without a name")))?
            .with_status(stored)
            .with_applied(stored, &kind.resource);
        let observation = observed.observation.clone();
        router.wake_others(router.index.seen(observed), self.owner);
        Ok(observation)
    }

    /// The API of a child's kind, in its namespace, for requests for that child.
    pub(super) fn api(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
    ) -> Result<Api<DynamicObject>, ReconcileError> {
        crate::cluster::api_of(&self.cluster.client, &kind.resource, key)
    }

    pub(crate) fn resolver(&self) -> Resolver<'_> {
        let Self { owner, uid, now, cluster, .. } = *self;
        Resolver { owner, uid, predecessors: &cluster.predecessors, now }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The span of one node of the graph.
pub(crate) fn node_span(key: &ObjectKey) -> Span {
    tracing::debug_span!(
        "ensure",
        kind = key.kind,
        namespace = key.namespace,
        object_name = key.name,
        outcome = Empty,
        why = Empty,
        otel.status_code = Empty
    )
}
