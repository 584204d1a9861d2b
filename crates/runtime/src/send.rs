//! Applies one child, and takes over what exists under its name if it may be.

use crate::{
    Failure,
    address::api_of,
    adopt::hand_over,
    agreement::agrees,
    apply::Applier,
    happenings::What,
    index::{Interest, Observation, Whose},
    ownership::{Claimant, Title},
    patch::{server_side_apply, value},
    progress::State,
    release::release,
};
use kube::{
    Api,
    core::{DynamicObject, ObjectMeta, Status},
};
use plan::{ChildKind, ObjectKey, Snapshot};
use serde_json::Value;
use std::sync::Arc;

/// The version of etcd's first revision, which no object has.
const NO_OBJECTS_VERSION: &str = "1";

/// An object as it is applied.
#[derive(Clone, Copy)]
pub(crate) struct Body<'a> {
    /// Its metadata.
    pub meta: &'a ObjectMeta,
    /// All of it.
    pub json: &'a Value,
    /// See [`plan::Desired::left_to_others`].
    pub left_to_others: &'a [&'a str],
}

impl Applier<'_> {
    /// Whether an object was seen to be a child of this very owner, with nothing left to take over from the old operator.
    pub(crate) fn is_its_child(&self, seen: &Observation) -> bool {
        let ours = match &seen.owner {
            Some(Whose::Owned(owner, uid)) => owner == self.owner && uid == self.uid,
            Some(Whose::Kept(owner)) => owner == self.owner,
            None => false,
        };
        ours && !seen.unadopted
    }

    /// Applies an object. One that is not known to be the owner's child is only created, or taken over if it may be.
    pub(crate) async fn send(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        body: Body<'_>,
        seen: Option<&Observation>,
    ) -> Result<DynamicObject, Failure> {
        self.audience.tell_child(self.owner, key, || State::Applying);
        if seen.is_some_and(|seen| self.is_its_child(seen)) {
            return self.change(key, kind, body).await;
        }
        if seen.is_none() && !self.router.index.has(key) {
            let mut created = body.json.clone();
            // Of every object that exists the version is another one: it is not touched, and answered is a conflict.
            created["metadata"]["resourceVersion"] = NO_OBJECTS_VERSION.into();
            match self.patch(key, kind, &created).await {
                Err(Failure::Refused { status, .. }) if status.code == 409 || is_confused(&status) => {}
                answer => return answer,
            }
        }
        let Some(stored) = self.source.stored(key).await? else {
            // It went meanwhile.
            return self.patch(key, kind, body.json).await;
        };
        self.take(key, kind, body.meta, &stored).await?;
        if agrees(body.json, &value(&stored)?, self.manager) {
            Ok(stored)
        } else {
            self.change(key, kind, body).await
        }
    }

    /// Applies an object that exists.
    async fn change(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        body: Body<'_>,
    ) -> Result<DynamicObject, Failure> {
        if !body.left_to_others.is_empty() {
            release(self.client, &kind.resource, key, self.manager, body.left_to_others).await?;
        }
        self.patch(key, kind, body.json).await
    }

    /// Has an object that exists become one that may be applied, or fails if it is not to be touched.
    async fn take(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        wanted: &ObjectMeta,
        stored: &DynamicObject,
    ) -> Result<(), Failure> {
        let Self { owner, uid, predecessors, .. } = *self;
        let claimant = Claimant { owner, uid, wanted, predecessors };
        let refused = match claimant.title(&stored.metadata) {
            Title::Clear => return Ok(()),
            Title::AfterHandOver(given_up) => {
                let found = (key, &stored.metadata);
                hand_over(self.client, &kind.resource, found, self.manager, predecessors, &given_up).await?;
                self.learned().happened(key, What::Adopted);
                return Ok(());
            }
            Title::Belongs(owner) => Failure::AlreadyOwned { object: key.clone(), owner },
            Title::Foreign => Failure::AlreadyExists { object: key.clone() },
        };
        // A user may change that.
        let found = Snapshot::from([(key.clone(), Some(Arc::new(stored.clone())))]);
        self.router.index.subscribe(self.owner, &found.keys().cloned().collect(), Interest::Substance);
        self.learned().note(&found, Interest::Substance)?;
        Err(refused)
    }

    async fn patch(
        &self,
        key: &ObjectKey,
        kind: &ChildKind,
        object: &Value,
    ) -> Result<DynamicObject, Failure> {
        server_side_apply(&self.api(key, kind)?, key, self.manager, object).await
    }

    /// The API of a child's kind, in its namespace, for requests for that child.
    pub(crate) fn api(&self, key: &ObjectKey, kind: &ChildKind) -> Result<Api<DynamicObject>, Failure> {
        api_of(self.client, &kind.resource, key)
    }
}

/// Services of Kubernetes 1.20 that do not exist yet are not created by an apply with a version, as all others are.
fn is_confused(status: &Status) -> bool {
    status.message.contains("resourceVersion should not be set on objects to be created")
}
