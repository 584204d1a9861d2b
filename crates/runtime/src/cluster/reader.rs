//! Reads of objects, from the cache or from the API server.

use super::{Cluster, Interest, address::api_of, is_input};
use crate::{ReconcileError, error::Verb};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::Request;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, ResourceExt as _,
    api::{ListParams, TypeMeta},
    core::{ApiResource, DynamicObject},
};
use plan::{ChildKind, ManagedBy, ObjectKey, ObjectVersion, Snapshot};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::Arc};

/// How many reads of one reconcile run concurrently.
const CONCURRENCY: usize = 8;

impl Cluster {
    /// Reads objects for `reader` and subscribes it to their changes. Whether a kind is served is known from its watch,
    /// without a request.
    pub(crate) async fn fetch(
        &self,
        reader: &ObjectKey,
        keys: &BTreeSet<ObjectKey>,
        interest: Interest,
    ) -> Result<Snapshot, ReconcileError> {
        self.router.index.subscribe(reader, keys, interest);
        let found: Vec<_> = stream::iter(keys.iter().cloned().map(|key| self.get(reader, key, interest)))
            .buffer_unordered(CONCURRENCY)
            .try_collect()
            .await?;
        Ok(found.into_iter().collect())
    }

    /// Reads `keys` from the API server, and returns those that exist although the watch has not delivered them yet.
    pub(crate) async fn confirm(
        &self,
        reader: &ObjectKey,
        keys: &BTreeSet<ObjectKey>,
    ) -> Result<Snapshot, ReconcileError> {
        let answers: Vec<_> = stream::iter(keys.iter().cloned().map(|key| self.read_stored(key)))
            .buffer_unordered(CONCURRENCY)
            .try_collect()
            .await?;
        let found = answers.into_iter().filter_map(|(key, object)| Some((key, Arc::new(object?))));
        Ok(found.map(|(key, object)| self.recorded(reader, key, Some(object))).collect())
    }

    async fn read_stored(
        &self,
        key: ObjectKey,
    ) -> Result<(ObjectKey, Option<DynamicObject>), ReconcileError> {
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
            return Ok(self.recorded(reader, key, schema));
        }
        if key.is_all() {
            let all = self.all(&key).await?;
            return Ok(self.recorded(reader, key, Some(all)));
        }
        if key.is_pods_of_job() {
            let pods = self.pods_of_job(&key).await?;
            return Ok(self.recorded(reader, key, Some(pods)));
        }
        let index = &self.router.index;
        let is_owner = self.component(&key.group, &key.kind).is_some();
        if !is_owner && !is_input(&key.group, &key.kind) && !index.has(&key) {
            // The watch delivers only objects with the operator's label, so a cached copy could become stale unnoticed.
            let object = self.stored(&key).await?;
            return Ok(self.recorded(reader, key, object.map(Arc::new)));
        }
        if index.lacks(&key) {
            // Good enough until the object is needed: planning confirms it with `confirm`.
            return Ok(self.recorded(reader, key, None));
        }
        if let Some(object) = self.cached(&key, interest) {
            return Ok(self.recorded(reader, key, Some(object)));
        }
        let _lock = self.cache.lock(&key).await;
        if let Some(object) = self.cached(&key, interest) {
            return Ok(self.recorded(reader, key, Some(object)));
        }
        let object = self.stored(&key).await?;
        let object = self.cache.put(&key, object);
        Ok(self.recorded(reader, key, object))
    }

    /// All owners of a kind. Where their kind is not watched, such as with permissions in one namespace only, they are listed
    /// if that is allowed.
    async fn all(&self, key: &ObjectKey) -> Result<Arc<DynamicObject>, ReconcileError> {
        if self.router.index.has_listed(key) {
            return self.known(key);
        }
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), self.resource(key)?);
        match api.list(&ListParams::default()).await {
            Ok(list) => owners_list(list.items.iter()),
            Err(kube::Error::Api(status)) if matches!(status.code, 403 | 404) => owners_list([].iter()),
            Err(error) => Err(ReconcileError::api(Verb::Read, key, error)),
        }
    }

    /// The pods of a Job, with their names and statuses.
    async fn pods_of_job(&self, key: &ObjectKey) -> Result<Arc<DynamicObject>, ReconcileError> {
        let api: Api<Pod> = Api::namespaced(self.client.clone(), &key.namespace);
        // The label that the Job controller of every version of Kubernetes sets.
        let its = ListParams::default().labels(&format!("job-name={}", key.name));
        let mut pods =
            api.list(&its).await.map_err(|error| ReconcileError::api(Verb::Read, key, error))?.items;
        pods.sort_by_key(|pod| (pod.creation_timestamp(), pod.name_any()));
        let shown = |pod: Pod| json!({"metadata": {"name": pod.metadata.name}, "status": pod.status});
        let pods = plan::outside(pods.into_iter().map(shown).collect());
        pods.map_err(|error| ReconcileError::Bug(error.to_string()))
    }

    /// All owners of a kind, as its watch has delivered them.
    fn known(&self, key: &ObjectKey) -> Result<Arc<DynamicObject>, ReconcileError> {
        owners_list(self.owners.of_kind(&key.group, &key.kind).iter())
    }

    /// An owner was created, changed or deleted: enqueues the readers of all owners of its kind.
    pub(super) fn all_changed(&self, resource: &ApiResource) {
        let key = ObjectKey::all(resource);
        if self.router.index.is_read(&key)
            && let Ok(all) = self.known(&key)
        {
            let state = ObjectVersion::of(&all.metadata);
            self.router.wake(self.router.index.read(&key, Some(&state)));
        }
    }

    /// The object without a request, if the cache or a watch has its newest known version, as far as a reader is
    /// interested.
    fn cached(&self, key: &ObjectKey, interest: Interest) -> Option<Arc<DynamicObject>> {
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

    /// Records the version that was read, and enqueues other owners that have read another version.
    fn recorded(
        &self,
        reader: &ObjectKey,
        key: ObjectKey,
        object: Option<Arc<DynamicObject>>,
    ) -> (ObjectKey, Option<Arc<DynamicObject>>) {
        let state = object.as_ref().map(|object| ObjectVersion::of(&object.metadata));
        self.router.wake_others(self.router.index.read(&key, state.as_ref()), reader);
        (key, object)
    }

    /// The schema of a kind, from the OpenAPI documents of the API server: unlike CustomResourceDefinitions, every
    /// client may read them. Before Kubernetes 1.24 they do not exist.
    async fn schema(&self, key: &ObjectKey) -> Result<Option<Arc<DynamicObject>>, ReconcileError> {
        let ApiResource { group, version, kind, .. } = self.resource(key)?;
        let place = format!("/openapi/v3/apis/{group}/{version}");
        let Some(mut document) = self.document(key, &place).await? else {
            // The API server publishes the schema a moment after a definition is installed.
            let later = self.router.index.serves(&key.its_kind())
                && self.document(key, "/openapi/v3").await?.is_some();
            let problem = "the API server has not published it yet".to_owned();
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

    /// An OpenAPI document of the API server, if it exists and the operator may read it.
    async fn document(&self, key: &ObjectKey, place: &str) -> Result<Option<Value>, ReconcileError> {
        let request =
            Request::get(place).body(Vec::new()).map_err(|error| ReconcileError::Bug(error.to_string()))?;
        match self.client.request(request).await {
            // Older servers answer an unknown path with a list of paths instead of a status.
            Err(kube::Error::Api(status)) if matches!(status.code, 0 | 403 | 404) => Ok(None),
            answer => answer.map(Some).map_err(|error| ReconcileError::api(Verb::Read, key, error)),
        }
    }

    /// Reads an object from the API server, without a subscription to its changes.
    pub(crate) async fn stored(&self, key: &ObjectKey) -> Result<Option<DynamicObject>, ReconcileError> {
        let resource = self.resource(key)?;
        let api: Api<DynamicObject> = api_of(&self.client, resource, key)?;
        let found = if self.may_get(key) {
            api.get_opt(&key.name).await
        } else {
            listed(&api, resource, &key.name).await
        };
        match found {
            // Also for a kind that is not served.
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(None),
            answer => answer.map_err(|error| ReconcileError::api(Verb::Read, key, error)),
        }
    }

    /// Whether the operator has the permission to get an object. It may list owners that it does not create, and not get them.
    fn may_get(&self, key: &ObjectKey) -> bool {
        let is_created = || {
            let is_its =
                |kind: &&ChildKind| kind.resource.group == *key.group && kind.resource.kind == *key.kind;
            self.children.iter().find(is_its).is_some_and(|kind| kind.managed_by == ManagedBy::Operator)
        };
        self.component(&key.group, &key.kind).is_none() || is_created()
    }

    pub(crate) fn resource(&self, key: &ObjectKey) -> Result<&ApiResource, ReconcileError> {
        self.resource_of(&key.group, &key.kind)
            .ok_or_else(|| ReconcileError::Bug(format!("{key} was read although its kind is not watched")))
    }
}

/// Owners as one object, ordered by name. What changes without a change of their specs is left out.
fn owners_list<'a>(
    owners: impl Iterator<Item = &'a DynamicObject>,
) -> Result<Arc<DynamicObject>, ReconcileError> {
    let described = |owner: &DynamicObject| {
        let metadata = json!({
            "namespace": owner.namespace(), "name": owner.name_any(), "uid": owner.uid(),
            "creationTimestamp": owner.creation_timestamp(),
        });
        json!({"metadata": metadata, "spec": owner.data["spec"]})
    };
    let mut owners: Vec<_> = owners.collect();
    owners.sort_by_key(|owner| (owner.namespace(), owner.name_any()));
    let list = Value::Array(owners.into_iter().map(described).collect());
    plan::outside(list).map_err(|error| ReconcileError::Bug(error.to_string()))
}

/// One object, as a list: without the permission to get it, an object that is gone looks like one that may not be read.
async fn listed(
    api: &Api<DynamicObject>,
    resource: &ApiResource,
    name: &str,
) -> kube::Result<Option<DynamicObject>> {
    let named = ListParams::default().fields(&format!("metadata.name={name}"));
    let found = api.list(&named).await?.items.into_iter().next();
    // Items of a list do not say what they are.
    let types = TypeMeta { api_version: resource.api_version.clone(), kind: resource.kind.clone() };
    Ok(found.map(|object| DynamicObject { types: Some(types), ..object }))
}
