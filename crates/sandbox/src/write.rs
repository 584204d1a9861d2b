//! Writes to the cluster, only if there is a difference, with the field manager `sandbox`.

use crate::{
    compare::{covers, difference, without_nulls},
    kind::Kind,
    world::{Key, Seen, World},
};
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions},
    core::DynamicObject,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The field manager of the stand-ins.
pub(crate) const MANAGER: &str = "sandbox";

/// Why a stand-in failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReconcileError {
    #[error("the API server: {0}")]
    Api(#[from] kube::Error),
    #[error("cannot encode or decode an object: {0}")]
    Json(#[from] serde_json::Error),
    #[error("a task was lost: {0}")]
    Task(#[from] tokio::task::JoinError),
}

impl ReconcileError {
    /// Whether another client was faster. The next call of the stand-in resolves that.
    pub fn is_race(&self) -> bool {
        let Self::Api(kube::Error::Api(status)) = self else { return false };
        status.is_conflict() || status.is_not_found() || status.is_already_exists()
    }
}

/// Which part of an object a patch is sent to.
#[derive(Debug, Clone, Copy)]
enum Part {
    Object,
    Status,
}

impl World {
    pub fn api(&self, kind: Kind, namespace: &str) -> Api<DynamicObject> {
        let resource = kind.resource();
        if kind.namespaced() {
            Api::namespaced_with(self.client.clone(), namespace, &resource)
        } else {
            Api::all_with(self.client.clone(), &resource)
        }
    }

    /// Applies an object, by server-side apply.
    pub async fn apply(&self, kind: Kind, wanted: Value) -> Result<(), ReconcileError> {
        let wanted = typed(kind, wanted);
        let key = key_of(kind, &wanted);
        if let Some(now) = self.get(&key)
            && (now.metadata.deletion_timestamp.is_some()
                || self.already_written(&key, "", &now, &wanted)
                // Items of a list have no kind.
                || covers(&typed(kind, serde_json::to_value(&*now)?), &wanted))
        {
            return Ok(());
        }
        let params = PatchParams::apply(MANAGER).force();
        let api = self.api(kind, &key.namespace);
        let result = api.patch(&key.name, &params, &Patch::Apply(&wanted)).await?;
        self.note_written(&key, "", &result, wanted);
        self.observe(kind, result);
        Ok(())
    }

    /// Changes some fields of an existing object. Not by server-side apply: another stand-in may have applied the
    /// object with the same field manager, and the API server would remove all its other fields.
    pub async fn amend(
        &self,
        kind: Kind,
        object: &DynamicObject,
        fields: Value,
    ) -> Result<(), ReconcileError> {
        self.change(kind, object, fields, Part::Object).await
    }

    /// The same through the status subresource, as controllers do to set annotations: it does not change the
    /// generation of a Deployment.
    pub async fn amend_through_status(
        &self,
        kind: Kind,
        object: &DynamicObject,
        fields: Value,
    ) -> Result<(), ReconcileError> {
        self.change(kind, object, fields, Part::Status).await
    }

    async fn change(
        &self,
        kind: Kind,
        object: &DynamicObject,
        fields: Value,
        part: Part,
    ) -> Result<(), ReconcileError> {
        let key = Key::of(kind, object);
        if self.already_written(&key, "", object, &fields) || covers(&serde_json::to_value(object)?, &fields)
        {
            return Ok(());
        }
        let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        let (api, patch) = (self.api(kind, &key.namespace), Patch::Merge(&fields));
        let result = match part {
            Part::Object => api.patch(&key.name, &params, &patch).await?,
            Part::Status => api.patch_status(&key.name, &params, &patch).await?,
        };
        self.note_written(&key, "", &result, fields);
        self.observe(kind, result);
        Ok(())
    }

    /// Creates an object unless it exists.
    pub async fn create(&self, kind: Kind, wanted: Value) -> Result<(), ReconcileError> {
        let wanted = typed(kind, wanted);
        let key = key_of(kind, &wanted);
        if self.get(&key).is_some() {
            return Ok(());
        }
        let params = PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() };
        let object: DynamicObject = serde_json::from_value(wanted)?;
        let result = self.api(kind, &key.namespace).create(&params, &object).await?;
        self.observe(kind, result);
        Ok(())
    }

    /// Sets the whole status of an object.
    pub async fn set_status(
        &self,
        kind: Kind,
        object: &DynamicObject,
        status: Value,
    ) -> Result<(), ReconcileError> {
        let key = Key::of(kind, object);
        let Some(change) = difference(&object.data["status"], &status) else { return Ok(()) };
        if self.already_written(&key, "status", object, &change) {
            return Ok(());
        }
        let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        let api = self.api(kind, &key.namespace);
        let patch = Patch::Merge(json!({"status": change}));
        let result = api.patch_status(&key.name, &params, &patch).await?;
        self.note_written(&key, "status", &result, change);
        self.observe(kind, result);
        Ok(())
    }

    /// Deletes an object if it still has the observed uid; with `now`, without a grace period.
    pub async fn delete(&self, kind: Kind, object: &DynamicObject, now: bool) -> Result<(), ReconcileError> {
        let preconditions = Preconditions { uid: object.uid(), resource_version: None };
        let params = DeleteParams {
            grace_period_seconds: now.then_some(0),
            preconditions: Some(preconditions),
            ..DeleteParams::background()
        };
        let key = Key::of(kind, object);
        let outcome = self.api(kind, &key.namespace).delete(&key.name, &params).await?;
        if let Some(going) = outcome.left().filter(|left| left.metadata.deletion_timestamp.is_some() && !now)
        {
            self.observe(kind, going);
        } else {
            self.forget(key);
        }
        Ok(())
    }

    /// Removes a finalizer from an object that is being deleted.
    pub async fn release(
        &self,
        kind: Kind,
        object: &DynamicObject,
        finalizer: &str,
    ) -> Result<(), ReconcileError> {
        let kept: Vec<&String> = object.finalizers().iter().filter(|each| *each != finalizer).collect();
        if kept.len() == object.finalizers().len() {
            return Ok(());
        }
        let key = Key::of(kind, object);
        let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
        let version = &object.metadata.resource_version;
        let patch = json!({"metadata": {"finalizers": kept, "resourceVersion": version}});
        let result = self.api(kind, &key.namespace).patch(&key.name, &params, &Patch::Merge(patch)).await?;
        self.observe(kind, result);
        Ok(())
    }
}

/// The owner reference of an object's children.
pub(crate) fn owned_by(kind: Kind, owner: &DynamicObject) -> Value {
    let resource = kind.resource();
    json!([{
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "name": owner.name_any(),
        "uid": owner.uid(),
        "controller": true,
        "blockOwnerDeletion": true,
    }])
}

/// The objects that are not being deleted.
pub(crate) fn staying(mut objects: Vec<Seen>) -> Vec<Arc<DynamicObject>> {
    objects.retain(|object| object.metadata.deletion_timestamp.is_none());
    objects
}

fn typed(kind: Kind, object: Value) -> Value {
    let mut object = without_nulls(object);
    let resource = kind.resource();
    if let Some(fields) = object.as_object_mut() {
        fields.insert("apiVersion".to_owned(), resource.api_version.into());
        fields.insert("kind".to_owned(), resource.kind.into());
    }
    object
}

fn key_of(kind: Kind, object: &Value) -> Key {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
    Key::new(kind, text("namespace"), text("name"))
}
