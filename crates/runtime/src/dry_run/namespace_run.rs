//! The dry run in one namespace.

use super::{Remark, RemarkKind, overlay::Overlay};
use crate::{
    Inspector, ReconcileError,
    apply::{Applier, DigestSource, RestartTurns, RunState},
    cluster::{Cluster, api_of},
    error::Verb,
    external::{Bookkeeping, Externals},
    reconcile::{Context, ensure, plan, sweep, to_outcome},
};
use graph::Step;
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api,
    core::{ApiResource, DynamicObject},
};
use plan::{Desired, Gate, HarborClass, Health, ObjectKey, ObservedObject, Outcome, Policy, placeholder};
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
};

/// One at a time, so that changes are always reported in the same order.
const AT_ONCE: NonZeroUsize = NonZeroUsize::MIN;

/// The dry run in one namespace.
pub(super) struct NamespaceRun<'a> {
    pub(super) overlay: &'a Arc<Overlay>,
    pub(super) inspector: &'a Inspector,
    /// The class of the owners that the operator reconciles.
    pub(super) class: Option<&'a HarborClass>,
    pub(super) digest_source: DigestSource<'a>,
    pub(super) remarks: &'a mut Vec<Remark>,
    /// Secrets whose values are unknown until they are created.
    pub(super) generated: &'a mut BTreeSet<ObjectKey>,
}

impl NamespaceRun<'_> {
    /// Reconciles all owners in the overlay, and readers of changed inputs.
    pub(super) async fn run(&mut self, namespace: &str) {
        let cluster = self.inspector.cluster();
        let mut queue = VecDeque::new();
        let (mut inputs_change, mut new_namespaces) = (false, Vec::new());
        for (key, object) in self.overlay.objects(namespace) {
            let is_namespace = key.namespace.is_empty();
            if let Some(component) = cluster.component(&key.group, &key.kind) {
                if is_namespace && self.overlay.is_created(&key) {
                    new_namespaces.push(key);
                    continue;
                }
                self.pretend(component.resource(), &object);
                queue.push_back(key);
            } else if !is_namespace && let Some(resource) = cluster.resource_of(&key.group, &key.kind) {
                self.pretend(resource, &object);
                inputs_change |= self.overlay.is_changed(&key);
            }
        }
        for key in new_namespaces {
            self.remark(&key, RemarkKind::NewNamespace);
        }
        if inputs_change {
            // The readers are owners without owner, or their children. Owners of other classes are left out.
            let owners = self.inspector.owners();
            let ours =
                owners.into_iter().filter(|(_, it)| HarborClass::of(&it.metadata).as_ref() == self.class);
            queue.extend(ours.map(|(key, _)| key).filter(|key| self.inspector.lineage(key).len() == 1));
        }
        let mut done = BTreeSet::new();
        while let Some(key) = queue.pop_front() {
            if done.insert(key.clone()) {
                match self.reconcile(&key).await {
                    Ok(children) => queue.extend(children),
                    Err(error) => self.remark(&key, RemarkKind::Failed(plan::Failure::from(&error))),
                }
            }
        }
    }

    /// Records an object as if a watch had delivered it.
    fn pretend(&self, resource: &ApiResource, object: &DynamicObject) {
        let Cluster { predecessors, owners, router, cache, .. } = &**self.inspector.cluster();
        let health = Health::READY;
        let Some(observed) = ObservedObject::of(resource, &object.metadata, health, predecessors) else {
            return;
        };
        if self.inspector.cluster().component(&resource.group, &resource.kind).is_some() {
            owners.put(&observed.key, object.clone());
        }
        cache.put(&observed.key, None);
        router.index.seen(observed);
    }

    fn remark(&mut self, owner: &ObjectKey, kind: RemarkKind) {
        self.remarks.push(Remark { owner: owner.clone(), kind });
    }

    /// Performs a reconcile of one owner as a dry run. Returns the children that are owners themselves.
    async fn reconcile(&mut self, key: &ObjectKey) -> Result<Vec<ObjectKey>, ReconcileError> {
        let context = &self.inspector.context;
        let Context { cluster, progress, clock, .. } = context;
        let is_owner = |key: &ObjectKey| cluster.component(&key.group, &key.kind);
        let Some((component, owner)) = self.inspector.owner(key) else { return Ok(Vec::new()) };
        if owner.meta().deletion_timestamp.is_some() {
            return Ok(Vec::new());
        }
        let class = HarborClass::of(owner.meta());
        if class.as_ref() != self.class {
            self.remark(key, RemarkKind::OfClass(class));
            return Ok(Vec::new());
        }
        if owner.is_paused() {
            self.remark(key, RemarkKind::Paused);
            return Ok(Vec::new());
        }
        let mut state = RunState::default();
        let plan = plan(context, key, owner.object()?, &mut state).await??;
        let read: BTreeSet<_> = plan.reads.intersection(self.generated).cloned().collect();
        if !read.is_empty() {
            self.remark(key, RemarkKind::ReadsGenerated(read));
        }

        if !plan.outlook.steps.is_empty() {
            self.remark(key, RemarkKind::Steps(plan.outlook.steps.clone()));
        }

        let applier = Applier {
            owner: key,
            uid: owner.uid(),
            manager: &component.field_manager(),
            cluster,
            progress,
            digest_source: self.digest_source,
            restart_turns: RestartTurns::Ignored,
            now: clock(),
            read_before: &BTreeMap::new(),
            state: Mutex::new(state),
        };
        let externals = context.externals(component, &owner, Bookkeeping::InMemory)?;
        let generated = Mutex::new(BTreeSet::new());
        let report = graph::run(&plan.graph, AT_ONCE, &cluster.stop, |_, desired| async {
            let secrets = self.ensure(&applier, &externals, desired).await?;
            generated.lock().unwrap_or_else(PoisonError::into_inner).extend(secrets);
            Ok::<_, ReconcileError>(Step::Ready)
        })
        .await;
        drop(applier);
        let keys: Vec<_> = plan.graph.iter().map(|(_, desired, _)| desired.object.key()).collect();
        let mut failures = Vec::new();
        for ((_, outcome), child) in report.iter().zip(&keys) {
            if let Outcome::Failed(failure) = to_outcome(child, outcome) {
                failures.push(failure);
            }
        }
        self.generated.extend(generated.into_inner().unwrap_or_else(PoisonError::into_inner));
        if failures.is_empty() {
            let wanted = keys.iter().collect();
            self.sweep((key, owner.uid()), &wanted, &plan.outlook.replaced).await?;
            let items: Vec<_> = plan.graph.iter().filter_map(|(_, desired, _)| desired.amendment()).collect();
            externals.sweep(&wanted, &items.iter().collect::<Vec<_>>()).await?;
        }
        for failure in failures {
            self.remark(key, RemarkKind::Failed(failure));
        }
        Ok(keys.into_iter().filter(|child| is_owner(child).is_some()).collect())
    }

    /// Ensures a child as a dry run, whether it is ready or not. Returns the Secrets whose values are unknown until
    /// they are created.
    async fn ensure(
        &self,
        applier: &Applier<'_>,
        externals: &Externals<'_>,
        desired: &Desired,
    ) -> Result<Vec<ObjectKey>, ReconcileError> {
        let (key, kind) = (desired.object.key(), desired.object.child_kind());
        match ensure(applier, externals, desired, Gate::OPEN).await {
            Ok(_) | Err(ReconcileError::ChildFailed { .. }) => {}
            Err(error) => return Err(error),
        }
        // A dry run does not change its version.
        self.inspector.cluster().cache.put(&key, None);
        let mut generated = Vec::new();
        match &desired.policy {
            Policy::Await { .. } => generated.extend(self.stand_in(&kind.resource, desired).await?),
            Policy::CreateOnce { generate } if generate.is_empty() => {}
            // An existing Secret keeps its values, or gets equivalent ones.
            Policy::CreateOnce { .. } => {
                generated.extend(self.overlay.is_created(&key).then(|| key.clone()));
            }
            Policy::Issue(_) => {
                generated.extend(self.overlay.is_changed(&key).then(|| key.clone()));
            }
            Policy::External(_) | Policy::Amend { .. } => return Ok(generated),
            Policy::Apply => {
                let object =
                    desired.object.to_json().map_err(|error| ReconcileError::Bug(error.to_string()))?;
                if let Some((secret, content)) = placeholder::of_certificate(&key, &object) {
                    let resource = ApiResource::erase::<Secret>(&());
                    generated.extend(self.missing(&resource, secret, content).await?);
                }
            }
        }
        if self.inspector.cluster().component(&key.group, &key.kind).is_some()
            && let Some(object) = self.stored(&kind.resource, &key).await?
        {
            self.pretend(&kind.resource, &object);
        }
        Ok(generated)
    }

    /// Adds a placeholder for an object that another program is going to create.
    async fn stand_in(
        &self,
        resource: &ApiResource,
        desired: &Desired,
    ) -> Result<Option<ObjectKey>, ReconcileError> {
        let object = desired.object.to_json().map_err(|error| ReconcileError::Bug(error.to_string()))?;
        self.missing(resource, desired.object.key(), placeholder::awaited(object)).await
    }

    /// Adds an object to the overlay, if there is none of its name.
    async fn missing(
        &self,
        resource: &ApiResource,
        key: ObjectKey,
        mut object: serde_json::Value,
    ) -> Result<Option<ObjectKey>, ReconcileError> {
        if self.stored(resource, &key).await?.is_some() {
            return Ok(None);
        }
        object["metadata"]["namespace"] = key.namespace.clone().into();
        let decoded: DynamicObject = serde_json::from_value(object.clone())
            .map_err(|_| ReconcileError::Bug(format!("{key} has no metadata")))?;
        self.overlay.stand_in(resource, object);
        self.pretend(resource, &decoded);
        Ok(Some(key))
    }

    async fn stored(
        &self,
        resource: &ApiResource,
        key: &ObjectKey,
    ) -> Result<Option<DynamicObject>, ReconcileError> {
        let api: Api<DynamicObject> = api_of(&self.overlay.client(), resource, key)?;
        api.get_opt(&key.name).await.map_err(|error| ReconcileError::api(Verb::Read, key, error))
    }

    /// Sweeps children as a dry run, including the children of those, which the garbage collector would delete.
    async fn sweep(
        &self,
        (owner, uid): (&ObjectKey, &str),
        wanted: &BTreeSet<&ObjectKey>,
        replaced: &BTreeSet<ObjectKey>,
    ) -> Result<(), ReconcileError> {
        let cluster: &Cluster = self.inspector.cluster();
        let index = &cluster.router.index;
        let unwanted = plan::unwanted(index.owned_by(uid), owner.home(), wanted, replaced);
        let deleted = unwanted.deleted.iter();
        let mut orphans: VecDeque<_> = deleted.map(|child| child.observation.uid.clone()).collect();
        sweep(cluster, (owner, uid), unwanted).await?;
        while let Some(uid) = orphans.pop_front() {
            for child in index.owned_by(&uid) {
                orphans.push_back(child.observation.uid.clone());
                if let Some(resource) = cluster.resource_of(&child.key.group, &child.key.kind)
                    && let Some(object) = self.stored(resource, &child.key).await?
                {
                    self.overlay.gone(resource, object);
                }
            }
        }
        Ok(())
    }
}
