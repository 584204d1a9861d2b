//! What the operator would do, found out without doing it.
//!
//! The same code plans and applies as in a reconcile; only its client writes nothing, everything counts as ready at
//! once, and what others would make has a stand-in. So what is told is what happens, down to the last Deployment.

mod dice;
mod handover;
mod stage;

use crate::{
    Components, Failure, Options, Scope, Spectator,
    address::api_of,
    apply::Applier,
    error::Verb,
    gate::Gate,
    learned::Learned,
    reconcile::told,
    seal::Seal,
    shared::Shared,
    sweep::{Owner, sweep, unwanted},
};
use api::names::PAUSE_ANNOTATION;
use dice::Placeholders;
use graph::Step;
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client, ResourceExt as _,
    core::{ApiResource, DynamicObject},
};
use plan::{Change, Desired, HarborClass, ObjectKey, Outcome, Policy, placeholder};
use stage::Stage;
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

/// One after the other, so that what is told is always in the same order.
const AT_ONCE: NonZeroUsize = NonZeroUsize::MIN;

/// A rehearsal of changes to a cluster.
pub struct Rehearsal {
    stage: Arc<Stage>,
    components: Arc<Components>,
    options: Options,
    key_is_known: bool,
}

/// What would happen.
#[derive(Debug)]
pub struct Rehearsed {
    /// To which objects, in order.
    pub changes: Vec<Change>,
    /// What else there is to say.
    pub remarks: Vec<Remark>,
}

/// Something to know about an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The object.
    pub owner: ObjectKey,
    /// What there is to know.
    pub what: What,
}

/// What there is to know about an object besides its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// It is paused: nothing is done for it.
    Paused,
    /// It is of another class than is looked after, or of none: nothing is done for it.
    OfClass(Option<HarborClass>),
    /// Something would fail, or wait for what does not exist.
    Failed(plan::Failure),
    /// It reads objects that do not exist yet; what depends on their values is not known.
    ReadsMadeUp(BTreeSet<ObjectKey>),
}

impl Rehearsal {
    /// Nothing tried yet. Of the `options`, only predecessors, class, defaults, digest key and clock are of importance.
    pub fn new(client: Client, components: Components, options: Options) -> Self {
        let options = Options { dice: Arc::new(Placeholders::default()), observer: None, ..options };
        Self { stage: Stage::new(client), components: Arc::new(components), options, key_is_known: true }
    }

    /// The same without the digest key of the operator. Then the digest of a workload's inputs in the cluster is taken to be
    /// that of the inputs as the cluster has them, and a new one is not shown.
    #[must_use]
    pub fn without_digest_key(self) -> Self {
        Self { key_is_known: false, ..self }
    }

    /// A client to make changes with that are only tried. What is then done about them is found out by
    /// [`Rehearsal::play`].
    pub fn client(&self) -> Client {
        self.stage.client()
    }

    /// Finds out what the operator would do about what was tried in these namespaces.
    ///
    /// # Errors
    /// When the cluster cannot be looked at.
    pub async fn play(&self, namespaces: &BTreeSet<String>) -> Result<Rehearsed, plan::Failure> {
        let (mut remarks, mut made_up) = (Vec::new(), BTreeSet::new());
        let seal = if self.key_is_known {
            Seal::Key(&self.options.digest_key)
        } else {
            Seal::Unknown { cluster: self.stage.cluster() }
        };
        for namespace in namespaces {
            let scope = Scope::Namespace(namespace.clone());
            let components = Arc::clone(&self.components);
            let spectator = Spectator::start(self.client(), scope, components, &self.options).await?;
            let mut act = Act {
                stage: &self.stage,
                spectator: &spectator,
                seal,
                remarks: &mut remarks,
                made_up: &mut made_up,
            };
            act.play(namespace).await;
        }
        let mut changes = self.stage.changes();
        for change in &mut changes {
            change.admit(&made_up);
        }
        Ok(Rehearsed { changes, remarks })
    }
}

/// The rehearsal in one namespace.
struct Act<'a> {
    stage: &'a Arc<Stage>,
    spectator: &'a Spectator,
    seal: Seal<'a>,
    remarks: &'a mut Vec<Remark>,
    made_up: &'a mut BTreeSet<ObjectKey>,
}

impl Act<'_> {
    async fn play(&mut self, namespace: &str) {
        let (components, shared) = (&self.spectator.components, &self.spectator.shared);
        let mut queue = VecDeque::new();
        let mut inputs_change = false;
        for (key, object) in self.stage.objects(namespace) {
            if let Some(component) = components.of(&key) {
                self.spectator.pretend(&component.kind.resource, &object);
                queue.push_back(key);
            } else if let Some(resource) = shared.kinds.get(&(key.group.clone(), key.kind.clone())) {
                self.spectator.pretend(resource, &object);
                inputs_change |= self.stage.is_changed(&key);
            }
        }
        if inputs_change {
            // Whoever reads them is among these, or a part of one. Of those of another class nobody has asked.
            let owners = self.spectator.owners();
            let ours =
                owners.into_iter().filter(|(_, owner)| HarborClass::of(&owner.metadata) == shared.class);
            queue.extend(ours.map(|(key, _)| key).filter(|key| self.spectator.lineage(key).len() == 1));
        }
        let mut done = BTreeSet::new();
        while let Some(key) = queue.pop_front() {
            if done.insert(key.clone()) {
                match self.reconcile(&key).await {
                    Ok(children) => queue.extend(children),
                    Err(failure) => self.remark(&key, What::Failed(plan::Failure::from(&failure))),
                }
            }
        }
    }

    fn remark(&mut self, owner: &ObjectKey, what: What) {
        self.remarks.push(Remark { owner: owner.clone(), what });
    }

    /// Tries all the operator would do for one object, and answers which of its children it looks after, too.
    async fn reconcile(&mut self, key: &ObjectKey) -> Result<Vec<ObjectKey>, Failure> {
        let spectator = self.spectator;
        let (Some(owner), Some(component)) = (spectator.owner(key), spectator.components.of(key)) else {
            return Ok(Vec::new());
        };
        if owner.metadata.deletion_timestamp.is_some() {
            return Ok(Vec::new());
        }
        let class = HarborClass::of(&owner.metadata);
        if class != spectator.shared.class {
            self.remark(key, What::OfClass(class));
            return Ok(Vec::new());
        }
        if owner.annotations().get(PAUSE_ANNOTATION).is_some_and(|value| value == "true") {
            self.remark(key, What::Paused);
            return Ok(Vec::new());
        }
        let json = serde_json::to_value(&*owner).map_err(|error| Failure::Bug(error.to_string()))?;
        let mut learned = Learned::default();
        let plan = (component.plan)(json, spectator.shared.planned_with(), &spectator.source(), &mut learned)
            .await??;
        let read: BTreeSet<_> = plan.reads.intersection(self.made_up).cloned().collect();
        if !read.is_empty() {
            self.remark(key, What::ReadsMadeUp(read));
        }

        let Shared { client, router, predecessors, dice, stop, audience, clock, .. } = &*spectator.shared;
        let applier = Applier {
            owner: key,
            uid: owner.metadata.uid.as_deref().unwrap_or_default(),
            audience,
            manager: &component.manager,
            predecessors,
            client,
            router,
            source: spectator.source(),
            dice,
            seal: self.seal,
            now: clock(),
            read_before: &BTreeMap::new(),
            learned: Mutex::new(learned),
        };
        let made_up = Mutex::new(BTreeSet::new());
        let report = graph::run(&plan.graph, AT_ONCE, stop, |_, desired| async {
            let made = self.bring_about(&applier, desired).await?;
            made_up.lock().unwrap_or_else(PoisonError::into_inner).extend(made);
            Ok::<_, Failure>(Step::Ready)
        })
        .await;
        drop(applier);
        let keys: Vec<_> = plan.graph.iter().map(|(_, desired, _)| desired.object.key()).collect();
        let mut failures = Vec::new();
        for ((_, outcome), child) in report.iter().zip(&keys) {
            if let Outcome::Failed(failure) = told(child, outcome) {
                failures.push(failure);
            }
        }
        self.made_up.extend(made_up.into_inner().unwrap_or_else(PoisonError::into_inner));
        if failures.is_empty() {
            let uid = owner.metadata.uid.as_deref().unwrap_or_default();
            self.sweep(Owner { namespace: &key.namespace, uid }, &keys.iter().collect()).await?;
        }
        for failure in failures {
            self.remark(key, What::Failed(failure));
        }
        Ok(keys.into_iter().filter(|child| spectator.components.of(child).is_some()).collect())
    }

    /// Tries to bring a child about; that it is not ready yet is no obstacle. Answers which Secrets have values that
    /// nobody knows before.
    async fn bring_about(&self, applier: &Applier<'_>, desired: &Desired) -> Result<Vec<ObjectKey>, Failure> {
        let (key, kind) = (desired.object.key(), desired.object.child_kind());
        match applier.bring_about(desired, Gate::OPEN).await {
            Ok(_) | Err(Failure::ChildFailed { .. }) => {}
            Err(failure) => return Err(failure),
        }
        self.spectator.forget(&key);
        let mut made_up = Vec::new();
        match &desired.policy {
            Policy::Await { .. } => made_up.extend(self.stand_in(&kind.resource, desired).await?),
            Policy::CreateOnce { generate } if generate.is_empty() => {}
            // One that exists keeps its values, or gets others that say the same.
            Policy::CreateOnce { .. } => {
                made_up.extend(self.stage.is_created(&key).then(|| key.clone()));
            }
            Policy::Issue(_) => {
                made_up.extend(self.stage.is_changed(&key).then(|| key.clone()));
            }
            Policy::Apply => {
                let object = desired.object.to_json().map_err(|error| Failure::Bug(error.to_string()))?;
                if let Some((secret, content)) = placeholder::of_certificate(&key, &object) {
                    let resource = ApiResource::erase::<Secret>(&());
                    made_up.extend(self.missing(&resource, secret, content).await?);
                }
            }
        }
        if self.spectator.components.of(&key).is_some()
            && let Some(object) = self.stored(&kind.resource, &key).await?
        {
            self.spectator.pretend(&kind.resource, &object);
        }
        Ok(made_up)
    }

    /// Has something stand in for an object that somebody else is going to make.
    async fn stand_in(
        &self,
        resource: &ApiResource,
        desired: &Desired,
    ) -> Result<Option<ObjectKey>, Failure> {
        let object = desired.object.to_json().map_err(|error| Failure::Bug(error.to_string()))?;
        self.missing(resource, desired.object.key(), placeholder::awaited(object)).await
    }

    /// Has an object be there, if it is not.
    async fn missing(
        &self,
        resource: &ApiResource,
        key: ObjectKey,
        mut object: serde_json::Value,
    ) -> Result<Option<ObjectKey>, Failure> {
        if self.stored(resource, &key).await?.is_some() {
            return Ok(None);
        }
        object["metadata"]["namespace"] = key.namespace.clone().into();
        let decoded: DynamicObject = serde_json::from_value(object.clone())
            .map_err(|_| Failure::Bug(format!("{key} has no metadata")))?;
        self.stage.stand_in(resource, object);
        self.spectator.pretend(resource, &decoded);
        Ok(Some(key))
    }

    async fn stored(
        &self,
        resource: &ApiResource,
        key: &ObjectKey,
    ) -> Result<Option<DynamicObject>, Failure> {
        let api: Api<DynamicObject> = api_of(&self.stage.client(), resource, key)?;
        api.get_opt(&key.name).await.map_err(|error| Failure::api(Verb::Read, key, error))
    }

    /// Tries to remove what is no longer wanted; what belongs to that, the cluster would remove.
    async fn sweep(&self, owner: Owner<'_>, wanted: &BTreeSet<&ObjectKey>) -> Result<(), Failure> {
        let Shared { client, kinds, router, .. } = &*self.spectator.shared;
        let unwanted = unwanted(router, owner, wanted);
        let deleted = unwanted.deleted.iter();
        let mut orphans: VecDeque<_> = deleted.map(|child| child.observation.uid.clone()).collect();
        sweep(client, kinds, router, unwanted).await?;
        while let Some(uid) = orphans.pop_front() {
            for child in router.index.owned_by(&uid) {
                orphans.push_back(child.observation.uid.clone());
                let resource = kinds.get(&(child.key.group.clone(), child.key.kind.clone()));
                if let Some(resource) = resource
                    && let Some(object) = self.stored(resource, &child.key).await?
                {
                    self.stage.gone(resource, object);
                }
            }
        }
        Ok(())
    }
}
