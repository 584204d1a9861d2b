//! Reads, answered by the cluster.

use super::{Cluster, Interest, address::api_of, is_input};
use crate::{ReconcileError, error::Verb};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::Request;
use kube::{
    Api,
    core::{ApiResource, DynamicObject},
};
use plan::{ObjectKey, ObjectVersion, Snapshot};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc};

/// How many reads of one reconcile are under way at once.
const AT_ONCE: usize = 8;

impl Cluster {
    /// Looks up objects for `reader`, who is told from now on when one of them changes in a way that interests it. Whether a kind is served is
    /// known from its watch, without a request.
    pub(crate) async fn fetch(
        &self,
        reader: &ObjectKey,
        keys: &BTreeSet<ObjectKey>,
        interest: Interest,
    ) -> Result<Snapshot, ReconcileError> {
        self.router.index.subscribe(reader, keys, interest);
        let found: Vec<_> = stream::iter(keys.iter().cloned().map(|key| self.get(reader, key, interest)))
            .buffer_unordered(AT_ONCE)
            .try_collect()
            .await?;
        Ok(found.into_iter().collect())
    }

    /// Those of `keys` that exist although the watch does not show them yet.
    pub(crate) async fn confirm(
        &self,
        reader: &ObjectKey,
        keys: &BTreeSet<ObjectKey>,
    ) -> Result<Snapshot, ReconcileError> {
        let answers: Vec<_> = stream::iter(keys.iter().cloned().map(|key| self.asked(key)))
            .buffer_unordered(AT_ONCE)
            .try_collect()
            .await?;
        let found = answers.into_iter().filter_map(|(key, object)| Some((key, Arc::new(object?))));
        Ok(found.map(|(key, object)| self.noted(reader, key, Some(object))).collect())
    }

    async fn asked(&self, key: ObjectKey) -> Result<(ObjectKey, Option<DynamicObject>), ReconcileError> {
        let object = self.stored(&key).await?;
        Ok((key, object))
    }

    async fn get(
        &self,
        reader: &ObjectKey,
        key: ObjectKey,
        interest: Interest,
    ) -> Result<(ObjectKey, Option<Arc<DynamicObject>>), ReconcileError> {
        if key.is_kind() {
            let answer = self.router.index.read_kind(&key);
            return Ok((key, answer));
        }
        if key.is_definition() {
            let schema = self.schema(&key).await?;
            return Ok(self.noted(reader, key, schema));
        }
        let index = &self.router.index;
        let is_owner = self.component(&key.group, &key.kind).is_some();
        if !is_owner && !is_input(&key.group, &key.kind) && !index.is_child(&key) {
            // The watch shows only children of this kind, so a copy of this object would never be noticed to be stale.
            if self.absent.is_recent(&key) {
                return Ok(self.noted(reader, key, None));
            }
            let object = self.stored(&key).await?;
            if object.is_none() {
                self.absent.note(&key);
            }
            return Ok(self.noted(reader, key, object.map(Arc::new)));
        }
        if index.lacks(&key) {
            // Good enough until the object is needed: planning asks again with `confirm`.
            return Ok(self.noted(reader, key, None));
        }
        if let Some(object) = self.at_hand(&key, interest) {
            return Ok(self.noted(reader, key, Some(object)));
        }
        let _turn = self.cache.turn(&key).await;
        if let Some(object) = self.at_hand(&key, interest) {
            return Ok(self.noted(reader, key, Some(object)));
        }
        let object = self.stored(&key).await?;
        let object = self.cache.put(&key, object);
        Ok(self.noted(reader, key, object))
    }

    /// The object, if it has been read or written in its newest state that is known, as far as a reader is interested.
    fn at_hand(&self, key: &ObjectKey, interest: Interest) -> Option<Arc<DynamicObject>> {
        let version = self.router.index.object_version(key);
        let cached = || match &version {
            Some(version) => self.cache.get(key, version, interest),
            None => self.cache.newest(key),
        };
        let watched = || {
            let owner = self.owners.get(key)?;
            let is_newest = interest.same(version.as_ref(), Some(&ObjectVersion::of(&owner.metadata)));
            (version.is_none() || is_newest).then_some(owner)
        };
        cached().or_else(watched).map(Arc::new)
    }

    /// Has those look again who have read another state.
    fn noted(
        &self,
        reader: &ObjectKey,
        key: ObjectKey,
        object: Option<Arc<DynamicObject>>,
    ) -> (ObjectKey, Option<Arc<DynamicObject>>) {
        let state = object.as_ref().map(|object| ObjectVersion::of(&object.metadata));
        self.router.wake_others(self.router.index.read(&key, state.as_ref()), reader);
        (key, object)
    }

    /// The schema of a kind that is served. Everybody may see what the API server tells of itself, unlike definitions;
    /// before Kubernetes 1.24 it tells this to nobody.
    async fn schema(&self, key: &ObjectKey) -> Result<Option<Arc<DynamicObject>>, ReconcileError> {
        let ApiResource { group, version, kind, .. } = self.resource(key)?;
        let place = format!("/openapi/v3/apis/{group}/{version}");
        let Some(mut document) = self.document(key, &place).await? else {
            // A definition is told of a moment after it is installed.
            let later = self.router.index.serves(&key.its_kind())
                && self.document(key, "/openapi/v3").await?.is_some();
            let problem = "the API server does not tell of it yet".to_owned();
            let unreachable =
                || ReconcileError::Unreachable { verb: Verb::Read, object: key.clone(), problem };
            return if later { Err(unreachable()) } else { Ok(None) };
        };
        let is_its = |schema: &Value| {
            let kinds = schema["x-kubernetes-group-version-kind"].as_array();
            kinds.into_iter().flatten().any(|it| it["group"] == **group && it["kind"] == **kind)
        };
        let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
        let schema = schemas.and_then(|schemas| schemas.values_mut().find(|schema| is_its(schema)));
        let schema = schema.map(|schema| plan::defined(schema.take())).transpose();
        schema.map_err(|error| ReconcileError::Bug(error.to_string()))
    }

    /// What the API server tells of itself at this place, if there is such a thing and we may see it.
    async fn document(&self, key: &ObjectKey, place: &str) -> Result<Option<Value>, ReconcileError> {
        let request =
            Request::get(place).body(Vec::new()).map_err(|error| ReconcileError::Bug(error.to_string()))?;
        match self.client.request(request).await {
            // Where there is nothing, older servers list what there is elsewhere instead of giving a status.
            Err(kube::Error::Api(status)) if matches!(status.code, 0 | 403 | 404) => Ok(None),
            answer => answer.map(Some).map_err(|error| ReconcileError::api(Verb::Read, key, error)),
        }
    }

    /// An object as it is now; nobody is told when it changes.
    pub(crate) async fn stored(&self, key: &ObjectKey) -> Result<Option<DynamicObject>, ReconcileError> {
        let resource = self.resource(key)?;
        let api: Api<DynamicObject> = api_of(&self.client, resource, key)?;
        match api.get_opt(&key.name).await {
            // Of a kind that is not served there is nothing.
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
            answer => answer.map_err(|error| ReconcileError::api(Verb::Read, key, error)),
        }
    }

    pub(crate) fn resource(&self, key: &ObjectKey) -> Result<&ApiResource, ReconcileError> {
        self.resource_of(&key.group, &key.kind)
            .ok_or_else(|| ReconcileError::Bug(format!("{key} was read although its kind is not watched")))
    }
}
