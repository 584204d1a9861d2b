//! Writes into an owner what the operator keeps for it outside the cluster, with a finalizer, before anything is created.

use super::lock;
use crate::{
    ReconcileError,
    cluster::{Claimant, Cluster, api_of},
    error::Verb,
};
use api::names::{EXTERNAL_ANNOTATION, EXTERNAL_FINALIZER, OLD_FINALIZERS};
use kube::{
    Api, ResourceExt as _,
    api::{Patch, PatchParams},
    core::{ApiResource, DynamicObject, ObjectMeta},
};
use plan::{Amended, Claim, DigestKey, ObjectKey, Record, Signer, System, UnreadableRecord};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// The field manager of annotation and finalizer. Not one of those of the operator's children: an owner may be the child of
/// another, which would take every record for drift.
pub(super) const MANAGER: &str = "harbor-operator-external";

/// The newest record that is known of an owner; a watch may lag behind it.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    uid: String,
    version: u64,
    /// All finalizers of the owner.
    finalizers: Vec<String>,
    record: Record,
    /// Why there is no record.
    unreadable: Option<UnreadableRecord>,
}

/// How a change of the record is stored.
#[derive(Clone, Debug)]
pub(crate) enum Bookkeeping<'a> {
    /// It is written into the owner.
    InOwner {
        /// Signs the record.
        key: &'a DigestKey,
        /// The newest record that is known.
        recorded: Arc<Mutex<Recorded>>,
    },
    /// It is forgotten: nothing is created either.
    InMemory,
}

/// Keeps the record of one owner.
pub(crate) struct Recorder<'a> {
    cluster: &'a Cluster,
    resource: &'a ApiResource,
    owner: &'a ObjectKey,
    signer: Option<Signer<'a>>,
    /// The owner and its age.
    pub(super) claimant: Claimant,
    recorded: Arc<Mutex<Recorded>>,
    /// The identities of systems that the owner has objects in, or is about to.
    identities: Mutex<BTreeMap<System, String>>,
    /// What is about to be recorded, so that one write serves all nodes that wait for one.
    claims: Mutex<BTreeMap<ObjectKey, Claim>>,
    turn: tokio::sync::Mutex<()>,
}

impl<'a> Recorder<'a> {
    /// The record of an owner as it is stored, unless a newer one is known.
    pub(crate) fn new(
        cluster: &'a Cluster,
        resource: &'a ApiResource,
        (owner, meta): (&'a ObjectKey, &ObjectMeta),
        bookkeeping: Bookkeeping<'a>,
    ) -> Self {
        let (signer, recorded) = match bookkeeping {
            Bookkeeping::InOwner { key, recorded } => (Some(Signer { key, owner }), recorded),
            Bookkeeping::InMemory => (None, Arc::default()),
        };
        lock(&recorded).update(owner, meta, signer);
        let (identities, claims, turn) = (Mutex::default(), Mutex::default(), tokio::sync::Mutex::default());
        let claimant = Claimant::new(owner, meta);
        Self { cluster, resource, owner, signer, claimant, recorded, identities, claims, turn }
    }

    /// The same, if the record can be read.
    pub(crate) fn readable(self) -> Result<Self, ReconcileError> {
        let unreadable = lock(&self.recorded).unreadable;
        unreadable.map_or(Ok(self), |error| Err(ReconcileError::Unrecorded(error)))
    }

    /// What is recorded of an object.
    pub(crate) fn claim(&self, key: &ObjectKey) -> Option<Claim> {
        lock(&self.recorded).record.get(key).cloned()
    }

    /// Whether the owner may use a system with this identity: it is the one in which it has objects, or it has none there. Notes
    /// the identity for the next record.
    pub(crate) fn binds(&self, system: &System, identity: &str) -> bool {
        let bound = lock(&self.recorded).record.identity(system).map(str::to_owned);
        lock(&self.identities).insert(system.clone(), identity.to_owned());
        bound.is_none_or(|bound| bound == identity)
    }

    pub(crate) fn record(&self) -> Record {
        lock(&self.recorded).record.clone()
    }

    /// Records an object, if that is not done already.
    pub(crate) async fn add(&self, key: &ObjectKey, claim: Claim) -> Result<(), ReconcileError> {
        if self.claim(key).as_ref() == Some(&claim) {
            return Ok(());
        }
        lock(&self.claims).insert(key.clone(), claim.clone());
        let _turn = self.turn.lock().await;
        let written = if self.claim(key) == Some(claim) {
            // With that of another node.
            Ok(())
        } else {
            let mut record = self.record();
            for (key, claim) in lock(&self.claims).iter() {
                record.insert(key.clone(), claim.clone());
                if let Some(system) = key.system()
                    && let Some(identity) = lock(&self.identities).get(system)
                {
                    record.identify(system, identity);
                }
            }
            self.write(record).await
        };
        lock(&self.claims).remove(key);
        written
    }

    /// Records an item that the operator adds to an object of another program, if that is not done already.
    pub(crate) async fn amend(&self, item: Amended) -> Result<(), ReconcileError> {
        let _turn = self.turn.lock().await;
        let mut record = self.record();
        if record.amended().contains(&item) {
            return Ok(());
        }
        record.amend(item);
        self.write(record).await
    }

    /// Forgets an item that the operator has removed.
    pub(crate) async fn forget_amended(&self, item: &Amended) -> Result<(), ReconcileError> {
        let _turn = self.turn.lock().await;
        let mut record = self.record();
        record.forget_amended(item);
        self.write(record).await
    }

    /// Forgets objects.
    pub(crate) async fn forget(
        &self,
        keys: impl IntoIterator<Item = &ObjectKey>,
    ) -> Result<(), ReconcileError> {
        let _turn = self.turn.lock().await;
        let mut record = self.record();
        for key in keys {
            record.remove(key);
        }
        self.write(record).await
    }

    /// Removes record and finalizer: what is recorded stays.
    pub(crate) async fn release(&self) -> Result<(), ReconcileError> {
        let _turn = self.turn.lock().await;
        self.write(Record::default()).await
    }

    async fn write(&self, record: Record) -> Result<(), ReconcileError> {
        let Some(signer) = self.signer else {
            lock(&self.recorded).record = record;
            return Ok(());
        };
        let api: Api<DynamicObject> = api_of(&self.cluster.client, self.resource, self.owner)?;
        let annotation = record.to_annotation(signer);
        let send = async || {
            let (patch, params) =
                annotation.as_ref().map_or_else(|| self.removal(), |it| self.application(it));
            api.patch(&self.owner.name, &params, &patch).await
        };
        let mut answer = send().await;
        // Only a removal names a version. Another one is stored since the status was written, for example.
        if matches!(&answer, Err(kube::Error::Api(status)) if status.is_conflict()) && annotation.is_none() {
            if !self.refresh().await? {
                return Ok(());
            }
            answer = send().await;
        }
        match answer {
            Ok(stored) => {
                let mut recorded = lock(&self.recorded);
                recorded.note(&stored.metadata);
                recorded.record = record;
                drop(recorded);
                // The watch may take a while.
                self.cluster.claimed(self.owner, &stored.metadata);
                Ok(())
            }
            // An owner that is gone has no finalizer.
            Err(kube::Error::Api(status)) if status.is_not_found() && annotation.is_none() => Ok(()),
            Err(error) => Err(ReconcileError::api(Verb::Apply, self.owner, error)),
        }
    }

    /// Reads version and finalizers of the owner anew. Returns whether the owner still exists.
    async fn refresh(&self) -> Result<bool, ReconcileError> {
        let stored = self.cluster.stored(self.owner).await?;
        let mut recorded = lock(&self.recorded);
        let same = stored.filter(|stored| stored.metadata.uid.as_deref() == Some(&recorded.uid));
        if let Some(stored) = &same {
            recorded.note(&stored.metadata);
        }
        Ok(same.is_some())
    }

    fn application(&self, annotation: &str) -> (Patch<Value>, PatchParams) {
        let ApiResource { api_version, kind, .. } = self.resource;
        let metadata = json!({
            "name": self.owner.name,
            "namespace": self.owner.namespace,
            // Or a namesake could be changed, or an owner that is gone be created.
            "uid": lock(&self.recorded).uid,
            "annotations": {EXTERNAL_ANNOTATION: annotation},
            "finalizers": [EXTERNAL_FINALIZER],
        });
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": metadata});
        (Patch::Apply(object), PatchParams::apply(MANAGER).force())
    }

    /// Not an apply: after a restore from a backup another field manager owns the finalizer too.
    fn removal(&self) -> (Patch<Value>, PatchParams) {
        let recorded = lock(&self.recorded);
        let others = recorded.finalizers.iter().filter(|finalizer| !is_ours(finalizer));
        let metadata = json!({
            // Or a finalizer that was added meanwhile would be removed.
            "resourceVersion": recorded.version.to_string(),
            "annotations": {EXTERNAL_ANNOTATION: null},
            "finalizers": others.collect::<Vec<_>>(),
        });
        let params = PatchParams { field_manager: Some(MANAGER.into()), ..PatchParams::default() };
        (Patch::Merge(json!({ "metadata": metadata })), params)
    }
}

impl Recorded {
    pub(crate) fn record(&self) -> &Record {
        &self.record
    }

    /// Takes over what an owner says, if that is newer.
    fn update(&mut self, owner: &ObjectKey, meta: &ObjectMeta, signer: Option<Signer<'_>>) {
        if meta.uid.as_deref() == Some(&self.uid) && version(meta) <= self.version {
            return;
        }
        let annotation = meta.annotations.as_ref().and_then(|all| all.get(EXTERNAL_ANNOTATION));
        let annotation = annotation.map(String::as_str);
        let record = Record::parse(annotation, signer);
        if record != Record::parse(annotation, None) {
            tracing::warn!(%owner, "this operator did not write {EXTERNAL_ANNOTATION}; it deletes nothing of what that names");
        }
        self.unreadable = record.as_ref().err().copied();
        self.record = record.unwrap_or_default();
        self.note(meta);
    }

    fn note(&mut self, meta: &ObjectMeta) {
        self.uid = meta.uid.clone().unwrap_or_default();
        self.version = version(meta);
        self.finalizers = meta.finalizers.clone().unwrap_or_default();
    }
}

/// Whether an owner is to be deleted after what the operator created for it outside the cluster.
pub(crate) fn has_finalizer(owner: &DynamicObject) -> bool {
    owner.finalizers().iter().any(|finalizer| is_ours(finalizer))
}

/// Whether a finalizer is one of this operator, or one that the old operator left behind.
fn is_ours(finalizer: &str) -> bool {
    finalizer == EXTERNAL_FINALIZER || OLD_FINALIZERS.contains(&finalizer)
}

fn version(meta: &ObjectMeta) -> u64 {
    meta.resource_version.as_deref().and_then(|version| version.parse().ok()).unwrap_or_default()
}
