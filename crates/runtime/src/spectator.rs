//! Looks at a cluster as the operator does, and leaves everything as it is.
//!
//! What should exist is planned by the same functions, what exists is known from the same watches; so whoever looks
//! sees what a controller would wait for, whether one runs or not.

mod owners;

use crate::{
    Failure, Options, Scope,
    apply::awaited,
    components::Components,
    error::Verb,
    events::Events,
    index::{GENERATIONS, Interest, Sighting},
    learned::Learned,
    memo::{self, outcome},
    progress::Stage,
    reconcile::{planned, unplanned},
    router::Router,
    shared::Shared,
    source::Source,
    watch::watch,
};
use api::names::PAUSE_ANNOTATION;
use futures::future::join_all;
use kube::{
    Client, ResourceExt as _,
    api::ListParams,
    core::{ApiResource, DynamicObject},
};
use owners::Owners;
use plan::{Desired, Health, ObjectKey, Outcome, Policy, Readiness, Verdict};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use tokio::{
    sync::{Mutex, mpsc},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;

/// Watches a part of the cluster until it is dropped, and tells the observer of its options what there is to see.
pub struct Spectator {
    pub(crate) shared: Arc<Shared>,
    pub(crate) components: Arc<Components>,
    owners: Arc<Owners>,
    woken: Mutex<mpsc::UnboundedReceiver<ObjectKey>>,
    _watches: JoinSet<()>,
}

impl Spectator {
    /// Starts to watch one scope, and returns when everything in it has been listed. Of the `options`, the limits and
    /// the scopes are of no importance.
    ///
    /// # Errors
    /// When one of the kinds may not be listed, or cannot be.
    pub async fn start(
        client: Client,
        scope: Scope,
        components: Arc<Components>,
        options: &Options,
    ) -> Result<Self, plan::Failure> {
        let children = components.children();
        let mut router = Router::default();
        let woken = router.queue_of_all(components.owners().map(|kind| &kind.resource));
        let stop = CancellationToken::new();
        // Nobody sends what is left there.
        let (events, _) = Events::new(client.clone(), Arc::clone(&options.metrics), stop.clone());
        // What is listed here says nothing of others that have the same options.
        let options = &Options { health: Arc::default(), ..options.clone() };
        let shared = Shared::new(client, router, &children, options, events, Arc::default(), stop);
        let shared = Arc::new(shared);
        let owners = Arc::new(Owners::default());
        let mut watches = JoinSet::new();
        let mut settled = Vec::new();
        for kind in children.iter().filter(|kind| !components.is_owner(&kind.resource)) {
            let first = shared.health.first_list(&kind.resource.kind);
            settled.push((kind.resource.clone(), first.clone()));
            watches.spawn(watch(Arc::clone(&shared), kind.clone(), scope.clone(), first));
        }
        for kind in components.owners() {
            let first = shared.health.first_list(&kind.resource.kind);
            settled.push((kind.resource.clone(), first.clone()));
            let (shared, owners) = (Arc::clone(&shared), Arc::clone(&owners));
            watches.spawn(owners::watch(shared, kind.clone(), scope.clone(), owners, first));
        }
        join_all(settled.iter().map(|(_, first)| first.settled().cancelled_owned())).await;
        for (resource, _) in settled.iter().filter(|(_, first)| !first.has_ended()) {
            listed(&shared, &scope, resource).await.map_err(|failure| plan::Failure::from(&failure))?;
        }
        let woken = Mutex::new(woken);
        Ok(Self { shared, components, owners, woken, _watches: watches })
    }

    /// The objects that have a component.
    pub fn owners(&self) -> BTreeMap<ObjectKey, Arc<DynamicObject>> {
        self.owners.all()
    }

    /// An object, whose it is, whose that is, and so on.
    pub fn lineage(&self, key: &ObjectKey) -> Vec<ObjectKey> {
        let owner = |key: &ObjectKey| {
            let owner = self.shared.router.index.child(key)?.owner?;
            Some(owner.key().clone())
        };
        std::iter::successors(Some(key.clone()), |key| owner(key)).take(GENERATIONS).collect()
    }

    /// Waits until objects should be looked at again.
    pub async fn changed(&self) -> BTreeSet<ObjectKey> {
        let mut woken = self.woken.lock().await;
        let mut all: BTreeSet<_> = woken.recv().await.into_iter().collect();
        while let Ok(key) = woken.try_recv() {
            all.insert(key);
        }
        all
    }

    /// Tells the observer what the object wants to exist, how each of that is, and what it comes to.
    pub async fn look(&self, key: &ObjectKey) {
        let audience = &self.shared.audience;
        let Some(owner) = self.owners.get(key) else { return audience.tell(key, || Stage::Deleted) };
        if owner.annotations().get(PAUSE_ANNOTATION).is_some_and(|value| value == "true") {
            return audience.tell(key, || Stage::Paused);
        }
        let verdict = match self.outcomes(key, &owner).await {
            Ok(outcomes) => self.confirmed(key, Verdict::of(&outcomes)),
            Err(failure) => Verdict::of(&[Outcome::Failed(plan::Failure::from(&failure))]),
        };
        audience.tell(key, || Stage::Concluded(verdict));
    }

    async fn outcomes(&self, key: &ObjectKey, owner: &DynamicObject) -> Result<Vec<Outcome>, Failure> {
        let Shared { audience, router, .. } = &*self.shared;
        let Some(component) = self.components.of(key) else { return Ok(Vec::new()) };
        let json = serde_json::to_value(owner).map_err(|error| Failure::Bug(error.to_string()))?;
        let mut learned = Learned::default();
        let plan =
            match (component.plan)(json, self.shared.planned_with(), &self.source(), &mut learned).await? {
                Ok(plan) => plan,
                Err(failure) => {
                    audience.tell(key, || Stage::Planned(Vec::new()));
                    router.index.unsubscribe_from_others(key, &learned.reads.into_keys().collect());
                    return Ok(unplanned(&failure));
                }
            };
        audience.tell(key, || Stage::Planned(planned(&plan)));
        let mut outcomes: Vec<Outcome> = Vec::new();
        for (_, desired, after) in plan.graph.iter() {
            let outcome = match self.found(key, desired, &mut learned).await? {
                Some(outcome) => outcome,
                None if after.iter().any(|id| outcomes[id.index()] != Outcome::Ready) => Outcome::Blocked,
                None => Outcome::Waiting { object: desired.object.key(), why: "does not exist yet".into() },
            };
            outcomes.push(outcome);
        }
        let nodes: Vec<_> =
            plan.graph.iter().map(|(id, ..)| memo::Node::of(&plan.graph, id, &mut BTreeMap::new())).collect();
        audience.tell_outcomes(key, &nodes, &outcomes, |_| true);
        router.index.unsubscribe_from_others(key, &learned.reads.into_keys().collect());
        Ok(outcomes)
    }

    /// How a child is; nothing where it does not exist.
    async fn found(
        &self,
        owner: &ObjectKey,
        desired: &Desired,
        learned: &mut Learned,
    ) -> Result<Option<Outcome>, Failure> {
        let (key, kind) = (desired.object.key(), desired.object.child_kind());
        let index = &self.shared.router.index;
        let itself = ObjectKey::dynamic(&kind.resource, "", "");
        if !index.serves(&itself) {
            let unserved = plan::PlanError::Unserved([(itself, kind.provider.to_owned())].into());
            return Ok(Some(Outcome::Failed(plan::Failure::from(&Failure::Plan(unserved)))));
        }
        match (&desired.policy, index.child(&key)) {
            (Policy::Await { why }, _) => {
                let found = self.source().fetch(owner, &[key.clone()].into(), Interest::Everything).await?;
                learned.note(&found, Interest::Everything)?;
                Ok(Some(outcome(&key, awaited(&key, &kind, why, &found)?.readiness)))
            }
            (_, Some(seen)) => Ok(Some(outcome(&key, seen.health.readiness))),
            // Made by a user beforehand, and used as it is.
            (Policy::CreateOnce { .. } | Policy::Issue(_), None) if index.has(&key) => {
                Ok(Some(Outcome::Ready))
            }
            (Policy::Apply | Policy::CreateOnce { .. } | Policy::Issue(_), None) => Ok(None),
        }
    }

    /// What all in all is ready must say so itself: only then has the operator seen it.
    fn confirmed(&self, key: &ObjectKey, verdict: Verdict) -> Verdict {
        let readiness = self.owners.readiness(key);
        match (verdict, readiness) {
            (Verdict::Ready, Some(Readiness::Progressing(message))) => {
                Verdict::Progressing { reason: Verdict::WAITING, message }
            }
            (Verdict::Ready, Some(Readiness::Failed(message))) => {
                Verdict::Stalled { reason: "Stalled", message }
            }
            (verdict, _) => verdict,
        }
    }

    pub(crate) fn source(&self) -> Source<'_> {
        let Shared { client, router, kinds, cache, .. } = &*self.shared;
        Source { client, router, kinds, cache }
    }

    pub(crate) fn owner(&self, key: &ObjectKey) -> Option<Arc<DynamicObject>> {
        self.owners.get(key)
    }

    /// Takes no earlier state of an object for the present one: dry runs leave its version as it is.
    pub(crate) fn forget(&self, key: &ObjectKey) {
        self.shared.cache.put(key, None);
    }

    /// From now on takes an object for what it is said to be, as if its watch had shown it.
    pub(crate) fn pretend(&self, resource: &ApiResource, object: &DynamicObject) {
        let predecessors = &self.shared.predecessors;
        let Some(sighting) = Sighting::of(resource, &object.metadata, Health::READY, predecessors) else {
            return;
        };
        if self.components.is_owner(resource) {
            self.owners.put(&sighting.key, object.clone(), Readiness::Ready);
        }
        self.forget(&sighting.key);
        self.shared.router.index.seen(sighting);
    }
}

/// Fails if a kind cannot be listed, with the reason why.
async fn listed(shared: &Shared, scope: &Scope, resource: &ApiResource) -> Result<(), Failure> {
    let kind = ObjectKey::dynamic(resource, "", "");
    let api: kube::Api<DynamicObject> = scope.api(&shared.client, resource);
    let failed = |error| Failure::api(Verb::List, &kind, error);
    api.list_metadata(&ListParams::default().limit(1)).await.map(|_| ()).map_err(failed)
}
