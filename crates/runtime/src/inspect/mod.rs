//! Compares a plan with the cluster, without changes.
//!
//! Uses the same planning and the same watches as the operator, so `status` shows what a controller would wait for,
//! whether an operator runs or not. For a user who may not read what a plan reads, it shows the children that exist, and the
//! condition that the operator reported.
//!
//! Uses: cluster, apply, external, reconcile, report.

mod unlisted;

pub use unlisted::Unlisted;

use self::unlisted::unlisted;
use crate::{
    Options, ReconcileError, Scope,
    apply::{RunState, awaited, certificate_in},
    cluster::{Classes, Cluster, Interest, MAX_OWNER_DEPTH, start_watches},
    external::{Bookkeeping, Systems},
    reconcile::{Context, Node, Owner, outcome, plan, planned, unplanned},
    report::Events,
};
use election::Leadership;
use futures::future::join_all;
use graph::NodeId;
use jiff::Timestamp;
use kube::{Client, core::DynamicObject};
use plan::{
    Action, Apply, Class, Classify as _, ComponentKind, Desired, Gate, Health, Known, ObjectKey, Observed,
    ObservedObject, Outcome, OwnerAccess, Placement, Policy, Reached, Readiness, Resolver, ServedCertificate,
    Verdict,
};
use progress::{Planned, Stage};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex as StdMutex, MutexGuard, PoisonError},
};
use tokio::{
    sync::{Mutex, mpsc},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// Watches a scope of the cluster until it is dropped, and reports the progress of owners to the observer of its
/// options.
pub struct Inspector {
    pub(crate) context: Context,
    unlisted: Vec<Unlisted>,
    unreadable: StdMutex<BTreeSet<String>>,
    /// The certificates that clients of the inspected owners see.
    certificates: StdMutex<BTreeMap<ObjectKey, ServedCertificate>>,
    woken: Mutex<mpsc::UnboundedReceiver<ObjectKey>>,
    _watches: JoinSet<()>,
}

impl Inspector {
    /// Starts to watch one scope, and returns when all kinds have been listed that the user may list. Of the `options`, it
    /// ignores the limits and the scopes.
    ///
    /// # Errors
    /// When a kind cannot be listed for another reason than a missing permission, or no kind of owner can be listed.
    pub async fn start(
        client: Client,
        scope: Scope,
        components: Arc<[ComponentKind]>,
        options: &Options,
    ) -> Result<Self, plan::Failure> {
        let stop = CancellationToken::new();
        // No task sends the events of an inspector.
        let (events, _) = Events::new(client.clone(), Arc::clone(&options.metrics), stop.clone());
        // An inspector must not change the health of the process.
        let options = &Options { health: Arc::default(), ..options.clone() };
        let systems = Arc::new(Systems::new(options, Leadership::permanent()));
        let mut cluster =
            Cluster::new(client, components, Classes::All, options, Arc::default(), stop.clone());
        cluster.digest_key = None;
        let cluster = Arc::new(cluster);
        let woken = cluster.router.queue(cluster.components.iter().map(ComponentKind::resource));
        let mut watches = JoinSet::new();
        let kinds = start_watches(&cluster, &scope, &mut watches);
        join_all(kinds.iter().map(|it| it.first.settled().cancelled_owned())).await;
        let unlisted = unlisted(&cluster, &kinds).await?;
        watches.spawn(Arc::clone(&systems).refresh(stop));
        let context = Context::new(cluster, systems, options, events);
        Ok(Self {
            context,
            unlisted,
            unreadable: StdMutex::default(),
            certificates: StdMutex::default(),
            woken: Mutex::new(woken),
            _watches: watches,
        })
    }

    /// The kinds that the user may not list.
    pub fn unlisted(&self) -> &[Unlisted] {
        &self.unlisted
    }

    /// What the API server refused to read for the owners that were inspected so far.
    pub fn unreadable(&self) -> BTreeSet<String> {
        self.refused_reads().clone()
    }

    /// When the certificate that clients of an inspected owner see expires; `None` also if the user may not read it.
    pub async fn served_until(&self, owner: &ObjectKey) -> Option<Timestamp> {
        let ServedCertificate { secret, expires } = self.served().get(owner)?.clone();
        if expires.is_some() {
            return expires;
        }
        let stored = self.cluster().stored(&secret).await.ok()??;
        certificate_in(&stored)?.expires()
    }

    fn served(&self) -> MutexGuard<'_, BTreeMap<ObjectKey, ServedCertificate>> {
        self.certificates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refused_reads(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.unreadable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All owners.
    pub fn owners(&self) -> BTreeMap<ObjectKey, DynamicObject> {
        let owners = &self.cluster().owners;
        owners.keys().into_iter().filter_map(|key| Some((key.clone(), owners.get(&key)?))).collect()
    }

    /// An object, its owner, the owner of that, and so on.
    pub fn lineage(&self, key: &ObjectKey) -> Vec<ObjectKey> {
        let owner = |key: &ObjectKey| Some(self.cluster().router.index.child(key)?.owner?.key().clone());
        std::iter::successors(Some(key.clone()), |key| owner(key)).take(MAX_OWNER_DEPTH).collect()
    }

    /// Waits until objects should be inspected again.
    pub async fn changed(&self) -> BTreeSet<ObjectKey> {
        let mut woken = self.woken.lock().await;
        let mut all: BTreeSet<_> = woken.recv().await.into_iter().collect();
        while let Ok(key) = woken.try_recv() {
            all.insert(key);
        }
        all
    }

    /// Reports the plan of an owner, the state of each of its children, and the verdict to the observer.
    pub async fn inspect(&self, key: &ObjectKey) {
        let progress = &self.context.progress;
        let Some((component, owner)) = self.owner(key) else {
            return progress.stage(key, || Stage::Deleted);
        };
        if owner.is_paused() {
            return progress.stage(key, || Stage::Paused);
        }
        if self.is_out_of_reach(component) {
            progress.stage(key, || Stage::Planned(Vec::new()));
            return progress.stage(key, || Stage::Concluded(confirmed(&owner, Verdict::Ready)));
        }
        if !self.unlisted.is_empty() {
            return self.report_existing(&owner);
        }
        let verdict = match self.outcomes(component, &owner).await {
            Err(error) if error.class() == Class::Forbidden => {
                self.refused_reads().insert(plan::Failure::from(&error).message);
                return self.report_existing(&owner);
            }
            Ok(outcomes) if component.access == OwnerAccess::OnlyRead => Verdict::of(&outcomes),
            Ok(outcomes) => confirmed(&owner, Verdict::of(&outcomes)),
            Err(error) => Verdict::of(&[Outcome::Failed(plan::Failure::from(&error))]),
        };
        progress.stage(key, || Stage::Concluded(verdict));
    }

    /// Reports the children that exist, and the condition that the operator reported, without a plan.
    fn report_existing(&self, owner: &Owner) {
        let (key, progress) = (&owner.key, &self.context.progress);
        let children = self.cluster().router.index.owned_by(owner.uid());
        let nodes =
            || children.iter().map(|it| Planned { object: it.key.clone(), after: Vec::new() }).collect();
        let health = |it: &ObservedObject| outcome(&it.key, it.observation.health.readiness.clone());
        let outcomes: Vec<_> = children.iter().map(health).collect();
        progress.stage(key, || Stage::Planned(nodes()));
        progress.outcomes(key, nodes, &outcomes, |_| true);
        progress.stage(key, || Stage::Concluded(confirmed(owner, Verdict::Ready)));
    }

    /// Whether what an owner describes lives outside the cluster, where an inspector without drivers cannot look. Then only
    /// the status of the owner says how it is.
    fn is_out_of_reach(&self, component: &ComponentKind) -> bool {
        let has_status = component.access != OwnerAccess::OnlyRead;
        let is_about_others = component.children.live_outside()
            || (has_status && component.placement() == Placement::ClusterWide);
        is_about_others && !self.context.systems.has_drivers()
    }

    async fn outcomes(
        &self,
        component: &ComponentKind,
        owner: &Owner,
    ) -> Result<Vec<Outcome>, ReconcileError> {
        let Context { progress, cluster, .. } = &self.context;
        let (key, index) = (&owner.key, &cluster.router.index);
        let mut state = RunState::default();
        let answer = match owner.object() {
            Ok(object) => plan(&self.context, key, object, &mut state).await?.map_err(ReconcileError::from),
            Err(undecodable) => Err(undecodable),
        };
        let plan = match answer {
            Ok(plan) => plan,
            Err(error) => {
                progress.stage(key, || Stage::Planned(Vec::new()));
                index.unsubscribe_from_others(key, &state.reads.into_keys().collect());
                return Ok(unplanned(&error));
            }
        };
        if let Some(certificate) = plan.outlook.certificate.clone() {
            self.served().insert(key.clone(), certificate);
        }
        progress.stage(key, || Stage::Planned(planned(&plan)));
        let now = (self.context.clock)();
        let resolver = Resolver { owner: key, uid: owner.uid(), predecessors: &cluster.predecessors, now };
        let externals = self.context.externals(component, owner, Bookkeeping::InMemory)?;
        let (mut nodes, mut outcomes, mut reached) =
            (Vec::new(), Vec::<Outcome>::new(), Vec::<Reached>::new());
        for (id, desired, _) in plan.graph.iter() {
            let node = Node::of(&plan.graph, id, &mut BTreeMap::new());
            let gate = Gate::of(plan.graph.edges(id), |before| reached[before.index()]);
            let found = match &desired.policy {
                _ if node.is_in_need(&outcomes, |before| reached[before]) => Found::from(Outcome::Blocked),
                Policy::External(external) => {
                    let outcome = externals.inspect(&resolver, desired, external, gate).await;
                    let reached = (outcome == Outcome::Ready).then_some(Reached::Ready);
                    Found { outcome, reached }
                }
                _ => self.outcome(&resolver, desired, gate, &mut state).await?,
            };
            let seen = || index.child(&node.key).map(|seen| seen.health.reached);
            reached.push(found.reached.or_else(seen).unwrap_or_default());
            outcomes.push(found.outcome);
            nodes.push(node.planned());
        }
        progress.outcomes(key, || nodes, &outcomes, |_| true);
        let reads = state.reads.into_keys().chain(externals.reads().into_keys());
        index.unsubscribe_from_others(key, &reads.collect());
        outcomes.extend(plan.outlook.waits.map(|(object, why)| Outcome::Held { object, why }));
        Ok(outcomes)
    }

    /// The outcome that the action of the resolver stands for. Content is not compared: a child counts as applied.
    async fn outcome(
        &self,
        resolver: &Resolver<'_>,
        desired: &Desired,
        gate: Gate<NodeId>,
        state: &mut RunState,
    ) -> Result<Found, ReconcileError> {
        let (key, kind) = (desired.object.key(), desired.object.child_kind());
        let cluster = self.cluster();
        let itself = ObjectKey::kind(&kind.resource);
        if !cluster.router.index.serves(&itself) {
            let unserved = plan::PlanError::Unserved([(itself, kind.provider.to_owned())].into());
            return Ok(Found::failed(&ReconcileError::Plan(unserved)));
        }
        let seen = cluster.router.index.child(&key);
        let mut observed = match &seen {
            Some(seen) => Observed::Watched(seen),
            None if cluster.router.index.has(&key) => Observed::Named,
            None => Observed::Absent,
        };
        let known = Known { digest: seen.as_ref().and_then(|seen| seen.applied), ..Known::default() };
        let mut health = seen.as_ref().map_or(Health::READY, |seen| seen.health.clone());
        let mut action = resolver.resolve(desired, observed, gate, known);
        let stored;
        // A user's Secret of a child's name is used; any other object of that name may be refused. The watches of most
        // kinds do not show it.
        let is_foreign = !seen.as_ref().is_some_and(|seen| resolver.is_child(seen))
            && (seen.is_some() || desired.policy == Policy::Apply);
        if is_foreign && matches!(action, Action::Read | Action::Apply(Apply::New)) {
            stored = cluster.stored(&key).await?;
            observed = stored.as_ref().map_or(Observed::Absent, Observed::Stored);
            action = resolver.resolve(desired, observed, gate, known);
            if let (None, Some(stored)) = (&seen, &stored) {
                let found = serde_json::to_value(stored).and_then(kind.health);
                health = found.unwrap_or_else(|_| Health::undecodable());
            }
        }
        Ok(match (action, &desired.policy) {
            (Action::Await, Policy::Await { why, absence }) => {
                let keys = [key.clone()].into();
                let found = cluster.fetch(resolver.owner, &keys, Interest::SpecAndStatus).await?;
                state.note(&found, Interest::SpecAndStatus)?;
                let Health { readiness, reached, .. } = awaited(&key, &kind, (why, *absence), &found)?;
                Found { outcome: outcome(&key, readiness), reached: Some(reached) }
            }
            (Action::Blocked { .. }, _) => Outcome::Blocked.into(),
            (Action::Refuse(refusal), _) => Found::failed(&ReconcileError::refused(&key, refusal)),
            (Action::Create | Action::Apply(Apply::New) | Action::Issue(Apply::New), _) => {
                Outcome::Waiting { object: key, why: "does not exist yet".into() }.into()
            }
            (
                Action::Nothing
                | Action::Hold
                | Action::Read
                | Action::Await
                | Action::Apply(_)
                | Action::Issue(_)
                | Action::Update { .. }
                | Action::Amend
                | Action::Rehash
                | Action::SetOwner,
                _,
            ) => match plan::held(desired, observed, gate) {
                Some(held) if health.readiness == Readiness::Ready => {
                    Outcome::Held { object: key, why: held.why.clone() }.into()
                }
                _ => outcome(&key, health.readiness).into(),
            },
        })
    }

    pub(crate) fn cluster(&self) -> &Arc<Cluster> {
        &self.context.cluster
    }

    /// An owner and its component, unless there is nothing to do for it.
    pub(crate) fn owner(&self, key: &ObjectKey) -> Option<(&ComponentKind, Owner)> {
        let component = self.cluster().component(&key.group, &key.kind)?;
        let owner = Owner::read(self.cluster(), component, key)?;
        (!owner.is_idle(self.cluster())).then_some((component, owner))
    }
}

/// The state of one node.
struct Found {
    outcome: Outcome,
    /// How far its rollout has come, if the index does not say that.
    reached: Option<Reached>,
}

impl Found {
    fn failed(error: &ReconcileError) -> Self {
        Outcome::Failed(plan::Failure::from(error)).into()
    }
}

impl From<Outcome> for Found {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, reached: None }
    }
}

/// The verdict, and if all children are ready, the readiness of the owner itself: the operator may not have
/// reconciled its newest spec yet.
fn confirmed(owner: &Owner, verdict: Verdict) -> Verdict {
    let health = serde_json::to_value(&owner.stored).and_then(Health::by_conditions);
    match (verdict, health.unwrap_or_else(|_| Health::undecodable()).readiness) {
        (Verdict::Ready, Readiness::Progressing(message)) => {
            Verdict::Progressing { reason: Verdict::WAITING, message }
        }
        (Verdict::Ready, Readiness::Failed(message)) => Verdict::Stalled { reason: "Stalled", message },
        (verdict, _) => verdict,
    }
}
