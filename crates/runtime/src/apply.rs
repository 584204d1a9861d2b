//! Brings one child about.

use crate::{
    Dice, Failure, Sighting,
    adopt::adopt,
    agreement::agrees,
    error::Verb,
    happenings::{What, Why},
    index::{self, Edition, Interest, Observation},
    learned::Learned,
    memo::{Applied, Pods, Read, image},
    progress::{Audience, State},
    router::Router,
    source::Source,
    watch::Breadth,
};
use graph::Step;
use jiff::Timestamp;
use k8s_openapi::ByteString;
use kube::{
    Api, Client,
    api::{Patch, PatchParams, PostParams},
    core::DynamicObject,
};
use plan::{
    ChildKind, Content, ContentDigests, Desired, Digest, ObjectKey, PlanError, Policy, Readiness, Recipe,
    References, Snapshot,
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};
use tracing::{Instrument as _, Span, field::Empty};

/// Brings children of one owner about.
pub(crate) struct Applier<'a> {
    pub(crate) owner: &'a ObjectKey,
    pub(crate) audience: &'a Audience,
    pub(crate) manager: &'a str,
    pub(crate) predecessors: &'a BTreeSet<String>,
    pub(crate) client: &'a Client,
    pub(crate) router: &'a Router,
    pub(crate) source: Source<'a>,
    pub(crate) dice: &'a Arc<dyn Dice>,
    pub(crate) now: Timestamp,
    /// What the last run had read.
    pub(crate) read_before: &'a BTreeMap<ObjectKey, Read>,
    pub(crate) learned: Mutex<Learned>,
}

impl Applier<'_> {
    /// Sends what differs from what is there, and tells whether the child is ready.
    pub(crate) async fn bring_about(&self, desired: &Desired) -> Result<Step, Failure> {
        let key = desired.object.key();
        let span = node_span(&key);
        let step = self.step(&key, desired).instrument(span.clone()).await;
        match &step {
            Ok(Step::Ready) => span.record("outcome", "ready"),
            Ok(Step::Waiting(why)) => span.record("outcome", "waiting").record("why", why),
            Err(failure) => span
                .record("outcome", "failed")
                .record("why", failure.to_string())
                .record("otel.status_code", "ERROR"),
        };
        self.audience.tell_child(self.owner, &key, || match &step {
            Ok(Step::Ready) => State::Ready,
            Ok(Step::Waiting(why)) => State::Waiting(why.clone()),
            Err(failure) => State::Failed(plan::Failure::from(failure)),
        });
        step
    }

    async fn step(&self, key: &ObjectKey, desired: &Desired) -> Result<Step, Failure> {
        let kind = desired.object.child_kind();
        self.served(&kind).await?;
        let seen = self.router.index.child(key);
        if let (Policy::CreateOnce { generate }, Some(_)) = (&desired.policy, &seen) {
            self.rehash(key, &kind, desired, generate).await?;
        }
        let (applied, readiness) = match &desired.policy {
            Policy::Await { why } => {
                let readiness = self.awaited(key, &kind, why).await?;
                (Applied::Awaited(readiness.clone()), readiness)
            }
            _ if seen.as_ref().is_some_and(|seen| seen.immutable) => {
                self.settle_tie(key, &kind, desired, seen.as_ref()).await?;
                (Applied::Untouchable, seen.map_or(Readiness::Ready, |seen| seen.readiness))
            }
            Policy::Apply => self.apply(key, &kind, desired, seen).await?,
            Policy::CreateOnce { generate } => {
                self.settle_tie(key, &kind, desired, seen.as_ref()).await?;
                (Applied::Exists, self.create_once(key, &kind, desired, generate, seen).await?)
            }
            Policy::Issue(issuance) => {
                (self.issue(key, &kind, desired, issuance, seen).await?, Readiness::Ready)
            }
        };
        {
            let mut learned = self.learned();
            learned.applied.insert(key.clone(), applied);
            learned.brought_about.insert(key.clone());
        }
        match readiness {
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

    async fn apply(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        desired: &Desired,
        seen: Option<Observation>,
    ) -> Result<(Applied, Readiness), Failure> {
        let bug = |error: serde_json::Error| Failure::Bug(error.to_string());
        let mut object = desired.object.to_json().map_err(bug)?;
        let references = desired.object.pod_template().map(|pods| References::of(&key.namespace, pods));
        if let Some(references) = references.as_ref().filter(|references| !references.is_empty()) {
            let contents = self.contents(references).await?;
            plan::stamp(&mut object, references.digest(&contents)?);
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
        let stored = match (&seen, remembered) {
            (Some(seen), Some(applied @ Applied::Sent { digest: sent, .. })) if sent == digest => {
                if applied.holds(seen) {
                    return Ok((applied, seen.readiness.clone()));
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
        let stored = match stored {
            Some(stored) => stored,
            None => self.send(key, kind, &object, seen).await?,
        };
        let now = self.record(key, kind, &stored)?;
        if let Some((before, pods)) = replaced {
            let why = match image(&object).filter(|_| !pods.has_image_of(&before)) {
                Some(image) => Why::Image(image.to_owned()),
                None => Why::Inputs(self.changed(references.iter().flat_map(References::keys))),
            };
            self.learned().happened(key, What::RollingOut(why));
        }
        Ok((Applied::Sent { digest, pods, uid: now.uid, claim: now.claim }, now.readiness))
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

    pub(crate) async fn send(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        object: &Value,
        seen: Option<Observation>,
    ) -> Result<DynamicObject, Failure> {
        self.audience.tell_child(self.owner, key, || State::Applying);
        if seen.is_some_and(|seen| seen.unadopted) {
            adopt(self.client, &kind.resource, key, self.manager, self.predecessors).await?;
            self.learned().happened(key, What::Adopted);
        }
        let params = PatchParams::apply(self.manager).force();
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), &key.namespace, &kind.resource);
        let stored = api
            .patch(&key.name, &params, &Patch::Apply(object))
            .await
            .map_err(|error| Failure::api(Verb::Apply, key, error))?;
        tracing::debug!(object = %key, "applied");
        Ok(stored)
    }

    async fn create_once(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        desired: &Desired,
        generate: &BTreeMap<String, Recipe>,
        seen: Option<Observation>,
    ) -> Result<Readiness, Failure> {
        // Somebody may have created it beforehand; then it is an input like any other and its deletion concerns us.
        // Where the watch shows nothing of that name there is most likely nothing to read.
        match seen {
            Some(seen) => return Ok(seen.readiness),
            None if self.router.index.has(key) && self.read(key).await? => return Ok(Readiness::Ready),
            None => {}
        }
        let mut object = desired.object.to_json().map_err(|error| Failure::Bug(error.to_string()))?;
        object["metadata"]["annotations"][index::IMMUTABLE_ANNOTATION] = "true".into();
        make_up(&mut object, generate, &**self.dice)?;
        let object: DynamicObject =
            serde_json::from_value(object).map_err(|_| Failure::Bug(format!("{key} has no metadata")))?;
        let api: Api<DynamicObject> =
            Api::namespaced_with(self.client.clone(), &key.namespace, &kind.resource);
        let params = PostParams { field_manager: Some(self.manager.into()), ..PostParams::default() };
        self.audience.tell_child(self.owner, key, || State::Applying);
        match api.create(&params, &object).await {
            Ok(stored) => {
                tracing::debug!(object = %key, "created");
                Ok(self.record(key, kind, &stored)?.readiness)
            }
            Err(kube::Error::Api(status)) if status.is_already_exists() => {
                self.read(key).await.map(|_| Readiness::Ready)
            }
            Err(error) => Err(Failure::api(Verb::Create, key, error)),
        }
    }

    /// How an object is that somebody else makes.
    async fn awaited(&self, key: &ObjectKey, kind: &ChildKind, why: &str) -> Result<Readiness, Failure> {
        let found = self.source.fetch(self.owner, &[key.clone()].into(), Interest::Everything).await?;
        self.learned().note(&found, Interest::Everything)?;
        awaited(key, kind, why, &found)
    }

    /// Whether an object exists, remembering what it holds.
    pub(crate) async fn read(&self, key: &ObjectKey) -> Result<bool, Failure> {
        let found = self.source.fetch(self.owner, &[key.clone()].into(), Interest::Substance).await?;
        self.learned().note(&found, Interest::Substance)?;
        Ok(found.get(key).is_some_and(Option::is_some))
    }

    /// The contents of what a template refers to; what the plan was decided on is not looked at again.
    async fn contents(&self, references: &References) -> Result<ContentDigests, Failure> {
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
        if Breadth::of(&key.group, &key.kind) == Breadth::All {
            self.source.cache.put(key, Some(stored.clone()));
            let mut learned = self.learned();
            if let Some(read) = learned.reads.get_mut(key) {
                read.state = Some(Edition::of(&stored.metadata));
                learned.contents.insert(key.clone(), Some(Content::of(&value)));
            }
        }
        let readiness =
            (kind.readiness)(value).map_err(|_| Failure::Bug(format!("{key} cannot be decoded")))?;
        let sighting = Sighting::of(&kind.resource, &stored.metadata, readiness, self.predecessors)
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

/// How an object is that somebody else makes, as it was found.
pub(crate) fn awaited(
    key: &ObjectKey,
    kind: &ChildKind,
    why: &str,
    found: &Snapshot,
) -> Result<Readiness, Failure> {
    let Some(object) = found.get(key).and_then(Option::as_ref) else {
        return Ok(Readiness::Progressing(format!("does not exist yet; {why}")));
    };
    let undecodable = |_| Failure::Bug(format!("{key} cannot be decoded"));
    serde_json::to_value(&**object).and_then(kind.readiness).map_err(undecodable)
}

/// Adds the values that are to be made up to a Secret.
fn make_up(secret: &mut Value, generate: &BTreeMap<String, Recipe>, dice: &dyn Dice) -> Result<(), Failure> {
    let present = data(secret);
    let made = plan::made_up(generate, &present, &dice).map_err(|error| Failure::Bug(error.to_string()))?;
    for (name, value) in made {
        secret["data"][name] = json!(ByteString(value));
    }
    Ok(())
}

/// What a Secret holds.
pub(crate) fn data(secret: &Value) -> BTreeMap<String, Vec<u8>> {
    let entries = secret.get("data").and_then(Value::as_object).into_iter().flatten();
    let decoded = |(name, value): (&String, &Value)| {
        Some((name.clone(), serde_json::from_value::<ByteString>(value.clone()).ok()?.0))
    };
    entries.filter_map(decoded).collect()
}
