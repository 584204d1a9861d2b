//! Brings one child about.

use crate::{
    Dice, Failure, Sighting,
    agreement::agrees,
    gate::Gate,
    happenings::{What, Why},
    index::{Edition, Interest, Observation},
    learned::Learned,
    memo::{self, Applied, Done, Pods, Read, image},
    progress::{Audience, State},
    router::Router,
    seal::Seal,
    send::Body,
    source::Source,
    watch::Breadth,
};
use graph::{Graph, NodeId, Step};
use jiff::Timestamp;
use kube::{Client, api::ListParams, core::DynamicObject};
use plan::{
    AnyManifest, ChildKind, Content, ContentDigests, Desired, Digest, Health, ObjectKey, PlanError, Policy,
    Reached, Readiness, References, Snapshot,
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tracing::{Instrument as _, Span, field::Empty};

/// Brings children of one owner about.
pub(crate) struct Applier<'a> {
    pub(crate) owner: &'a ObjectKey,
    /// The owner's uid.
    pub(crate) uid: &'a str,
    pub(crate) audience: &'a Audience,
    pub(crate) manager: &'a str,
    pub(crate) predecessors: &'a BTreeSet<String>,
    pub(crate) client: &'a Client,
    pub(crate) router: &'a Router,
    pub(crate) source: Source<'a>,
    pub(crate) dice: &'a Arc<dyn Dice>,
    pub(crate) seal: Seal<'a>,
    pub(crate) now: Timestamp,
    /// What the last run had read.
    pub(crate) read_before: &'a BTreeMap<ObjectKey, Read>,
    pub(crate) learned: Mutex<Learned>,
}

impl Applier<'_> {
    /// What of a node has to wait for others.
    pub(crate) fn gate(&self, graph: &Graph<Desired>, id: NodeId) -> Gate<NodeId> {
        let reached = |id: NodeId| {
            let key = graph.get(id).object.key();
            let learned = self.learned().reached.get(&key).copied();
            let seen = || self.router.index.child(&key).map(|seen| seen.health.reached);
            learned.or_else(seen).unwrap_or_default()
        };
        Gate::of(graph.edges(id), reached)
    }

    /// Sends what differs from what is there, as far as the gate lets it, and tells whether the child is ready.
    pub(crate) async fn bring_about(&self, desired: &Desired, gate: Gate<NodeId>) -> Result<Step, Failure> {
        let key = desired.object.key();
        let span = node_span(&key);
        let step = match self.step(&key, desired, gate).instrument(span.clone()).await {
            Err(failure) if failure.is_not_found() => Err(self.or_unserved(failure, desired).await),
            step => step,
        };
        match &step {
            Ok(Step::Ready) => span.record("outcome", "ready"),
            Ok(Step::Waiting(why)) => span.record("outcome", "waiting").record("why", why),
            // Told with all others that are blocked, when the run has ended.
            Ok(Step::Blocked { .. }) => return step,
            Err(failure) => span
                .record("outcome", "failed")
                .record("why", failure.to_string())
                .record("otel.status_code", "ERROR"),
        };
        self.audience.tell_child(self.owner, &key, || match &step {
            Ok(Step::Ready) => State::Ready,
            Ok(Step::Waiting(why)) => State::Waiting(why.clone()),
            Ok(Step::Blocked { .. }) => State::Applying,
            Err(failure) => State::Failed(plan::Failure::from(failure)),
        });
        step
    }

    async fn step(&self, key: &ObjectKey, desired: &Desired, gate: Gate<NodeId>) -> Result<Step, Failure> {
        let kind = desired.object.child_kind();
        self.served(&kind).await?;
        let seen = self.router.index.child(key);
        let exists = seen.is_some() || self.router.index.has(key);
        if let (Policy::CreateOnce { generate }, Some(_)) = (&desired.policy, &seen) {
            self.rehash(key, &kind, desired, generate).await?;
        }
        if let Some(by) = gate.keeps_away().filter(|_| !exists) {
            return Ok(Step::Blocked { by });
        }
        let held =
            desired.held.as_ref().filter(|held| gate.upgrade.is_some() && (exists || held.object.is_some()));
        let wanted = match held {
            Some(held) => held.object.as_ref(),
            None => Some(&desired.object),
        };
        let wanted = wanted.filter(|_| gate.change.is_none());
        let (applied, health) = match (&desired.policy, wanted) {
            (Policy::Await { why }, _) => {
                let health = self.awaited(key, &kind, why).await?;
                (Applied::Awaited(health.clone()), health)
            }
            (_, None) => (Applied::Exists, seen.map_or(Health::READY, |seen| seen.health)),
            _ if seen.as_ref().is_some_and(|seen| seen.immutable) => {
                self.settle_tie(key, &kind, desired, seen.as_ref()).await?;
                (Applied::Untouchable, seen.map_or(Health::READY, |seen| seen.health))
            }
            (Policy::Apply, Some(wanted)) => {
                self.apply(key, &kind, &**wanted, desired.left_to_others, seen).await?
            }
            (Policy::CreateOnce { generate }, Some(_)) => {
                self.settle_tie(key, &kind, desired, seen.as_ref()).await?;
                (Applied::Exists, self.create_once(key, &kind, desired, generate, seen).await?)
            }
            (Policy::Issue(issuance), Some(_)) => {
                (self.issue(key, &kind, desired, issuance, seen).await?, Health::READY)
            }
        };
        let (done, why) = match (held, gate.change) {
            (Some(held), _) => (Done::Held(Some(held.why.clone())), Some(held.why.clone())),
            (None, Some(_)) => (Done::Held(None), None),
            (None, None) => (Done::Everything, None),
        };
        let Health { readiness, reached } = health;
        {
            let mut learned = self.learned();
            learned.applied.insert(key.clone(), applied);
            learned.done.insert(key.clone(), done);
            learned.reached.insert(key.clone(), reached);
        }
        match memo::held(readiness, why) {
            Readiness::Ready => Ok(Step::Ready),
            Readiness::Progressing(why) => Ok(Step::Waiting(why)),
            Readiness::Failed(words) => Err(Failure::ChildFailed { object: key.clone(), words }),
        }
    }

    /// Refuses what the cluster does not serve without asking it, and has the owner told when it does.
    async fn served(&self, kind: &ChildKind) -> Result<(), Failure> {
        let (kind, provider) = (ObjectKey::dynamic(&kind.resource, "", ""), kind.provider);
        if self.router.index.serves(&kind) || self.read(&kind).await? {
            return Ok(());
        }
        Err(PlanError::Unserved([(kind, provider.to_owned())].into()).into())
    }

    /// Why an object could not be written: as was said, or because its kind is no longer served, which a watch learns only
    /// when it is next renewed. All who depend on the kind are told at once.
    async fn or_unserved(&self, failure: Failure, desired: &Desired) -> Failure {
        let (key, kind) = (desired.object.key(), desired.object.child_kind());
        // A list of nothing is empty, even in a namespace that does not exist: what is not found then is the kind.
        let api = match self.api(&key, &kind) {
            Ok(api) => api,
            Err(misnamed) => return misnamed,
        };
        let listed = api.list_metadata(&ListParams::default().limit(1)).await;
        if !matches!(&listed, Err(kube::Error::Api(status)) if status.code == 404) {
            return failure;
        }
        let resource = ObjectKey::dynamic(&kind.resource, "", "");
        tracing::info!(kind = %resource, "no longer served by the cluster; what depends on it does without");
        self.router.wake(self.router.unserved(&resource));
        PlanError::Unserved([(resource, kind.provider.to_owned())].into()).into()
    }

    async fn apply(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        wanted: &dyn AnyManifest,
        left_to_others: &[&str],
        seen: Option<Observation>,
    ) -> Result<(Applied, Health), Failure> {
        let bug = |error: serde_json::Error| Failure::Bug(error.to_string());
        let mut object = wanted.to_json().map_err(bug)?;
        let references = wanted.pod_template().map(|pods| References::of(&key.namespace, pods));
        if let Some(references) = references.as_ref().filter(|references| !references.is_empty()) {
            plan::stamp(&mut object, self.inputs(key, references).await?);
        }
        let digest = Digest::of(&object).map_err(bug)?;
        let pods = Pods::of(&object).map_err(bug)?;

        let remembered = self.learned().applied.get(key).cloned();
        let replaced = match &remembered {
            Some(Applied::Sent { pods: before, .. }) if seen.is_some() => {
                before.zip(pods).filter(|(a, b)| a != b)
            }
            _ => None,
        };
        let stored = match (seen.as_ref().filter(|seen| self.is_its_child(seen)), remembered) {
            (Some(seen), Some(applied @ Applied::Sent { digest: sent, .. })) if sent == digest => {
                if applied.holds(seen) {
                    return Ok((applied, seen.health.clone()));
                }
                if !self.learned().repairs.allow(key, self.now) {
                    return Err(Failure::Contended { object: key.clone() });
                }
                None
            }
            (Some(_), Some(Applied::Sent { .. })) | (None, _) => None,
            // Perhaps a process before this one has sent it.
            (Some(seen), _) => self.agreeing(key, &object, seen).await?,
        };
        let stored = if let Some(stored) = stored {
            stored
        } else {
            let body = Body { meta: wanted.meta(), json: &object, left_to_others };
            self.send(key, kind, body, seen.as_ref()).await?
        };
        let now = self.record(key, kind, &stored)?;
        if let Some((before, pods)) = replaced {
            let why = match image(&object).filter(|_| !pods.has_image_of(&before)) {
                Some(image) => Why::Image(image.to_owned()),
                None => Why::Inputs(self.changed(references.iter().flat_map(References::keys))),
            };
            self.learned().happened(key, What::RollingOut(why));
        }
        Ok((Applied::Sent { digest, pods, uid: now.uid, claim: now.claim }, now.health))
    }

    /// The object as it is stored, if it says what we would send.
    async fn agreeing(
        &self,
        key: &ObjectKey,
        object: &Value,
        seen: &Observation,
    ) -> Result<Option<DynamicObject>, Failure> {
        if seen.unadopted {
            return Ok(None);
        }
        let Some(stored) = self.source.stored(key).await? else { return Ok(None) };
        let value = serde_json::to_value(&stored).map_err(|error| Failure::Bug(error.to_string()))?;
        Ok(agrees(object, &value, self.manager).then_some(stored))
    }

    /// How an object is that another program makes.
    async fn awaited(&self, key: &ObjectKey, kind: &ChildKind, why: &str) -> Result<Health, Failure> {
        let found = self.source.fetch(self.owner, &[key.clone()].into(), Interest::Everything).await?;
        self.learned().note(&found, Interest::Everything)?;
        awaited(key, kind, why, &found)
    }

    /// Whether an object exists, remembering what it holds.
    pub(crate) async fn read(&self, key: &ObjectKey) -> Result<bool, Failure> {
        Ok(self.find(key).await?.is_some())
    }

    /// An object, if it exists, remembering what it holds.
    pub(crate) async fn find(&self, key: &ObjectKey) -> Result<Option<Arc<DynamicObject>>, Failure> {
        let mut found = self.source.fetch(self.owner, &[key.clone()].into(), Interest::Substance).await?;
        self.learned().note(&found, Interest::Substance)?;
        Ok(found.remove(key).flatten())
    }

    /// The contents of what a template refers to; what the plan was decided on is not looked at again.
    pub(crate) async fn contents(&self, references: &References) -> Result<ContentDigests, Failure> {
        let unread: BTreeSet<_> = {
            let learned = self.learned();
            references.keys().filter(|key| !learned.contents.contains_key(*key)).cloned().collect()
        };
        let found = self.source.fetch(self.owner, &unread, Interest::Substance).await?;
        let mut learned = self.learned();
        learned.note(&found, Interest::Substance)?;
        let known = |key: &ObjectKey| (key.clone(), learned.contents.get(key).cloned().flatten());
        Ok(references.keys().map(known).collect())
    }

    /// Those of these that are not what they were when they were last read.
    fn changed<'k>(&self, keys: impl Iterator<Item = &'k ObjectKey>) -> Vec<ObjectKey> {
        let learned = self.learned();
        let substance = |reads: &BTreeMap<ObjectKey, Read>, key: &ObjectKey| {
            reads.get(key).map(|read| read.state.as_ref().map(|state| state.substance))
        };
        let news = |key: &&ObjectKey| {
            let before = substance(self.read_before, key);
            before.is_some() && before != substance(&learned.reads, key)
        };
        keys.filter(news).cloned().collect()
    }

    /// Takes the answer to a write into the index: the watch will tell the same, but later.
    pub(crate) fn record(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        stored: &DynamicObject,
    ) -> Result<Observation, Failure> {
        let bug = |error: serde_json::Error| Failure::Bug(format!("{key} cannot be decoded: {error}"));
        let value = serde_json::to_value(stored).map_err(bug)?;
        let input = Breadth::of(&key.group, &key.kind) == Breadth::All;
        // What has children of its own is looked at by its owner, too.
        if input || self.router.index.tracks_children_of(&key.group, &key.kind) {
            self.source.cache.put(key, Some(stored.clone()));
        }
        if input {
            let mut learned = self.learned();
            if let Some(read) = learned.reads.get_mut(key) {
                read.state = Some(Edition::of(&stored.metadata));
                learned.contents.insert(key.clone(), Some(Content::of(&value)));
            }
        }
        let health = (kind.health)(value).map_err(|_| Failure::Bug(format!("{key} cannot be decoded")))?;
        let sighting = Sighting::of(&kind.resource, &stored.metadata, health, self.predecessors)
            .ok_or_else(|| Failure::Bug(format!("{key} was stored without a name")))?
            .counting(stored);
        let observation = sighting.observation.clone();
        self.router.wake_others(self.router.index.seen(sighting), self.owner);
        Ok(observation)
    }

    pub(crate) fn learned(&self) -> MutexGuard<'_, Learned> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The span of one node of the graph.
pub(crate) fn node_span(key: &ObjectKey) -> Span {
    tracing::debug_span!(
        "bring about",
        kind = key.kind,
        namespace = key.namespace,
        object_name = key.name,
        outcome = Empty,
        why = Empty,
        otel.status_code = Empty
    )
}

/// How an object is that another program makes, as it was found.
pub(crate) fn awaited(
    key: &ObjectKey,
    kind: &ChildKind,
    why: &str,
    found: &Snapshot,
) -> Result<Health, Failure> {
    let Some(object) = found.get(key).and_then(Option::as_ref) else {
        let readiness = Readiness::Progressing(format!("does not exist yet; {why}"));
        return Ok(Health { readiness, reached: Reached::Nothing });
    };
    let undecodable = |_| Failure::Bug(format!("{key} cannot be decoded"));
    serde_json::to_value(&**object).and_then(kind.health).map_err(undecodable)
}
