//! Changing objects: create, update, patch, apply, delete.
//!
//! Every change takes the same steps: the requested object is computed from the stored one, gets its defaults, is
//! admitted, gets its managed fields and metadata, is validated, and is committed if the stored object has not changed
//! meanwhile. Otherwise the steps are repeated.

pub(crate) mod admission;
mod body;
pub(crate) mod deletion;
mod identity;
mod metadata;
mod patching;
mod permissions;
mod pipeline;
mod scale;
mod service_account;

pub(crate) use body::{Document, PatchFormat, Strategic, media_type, unknown_format, yaml};
pub(crate) use scale::shown_scale;

use crate::{
    access::User,
    failure::Failure,
    kinds::{Origin, Resource},
    lifecycle,
    request::WriteOptions,
    server::Shared,
    state::State,
    store::Key,
};
use http::StatusCode;
use serde_json::Value;
use std::sync::Arc;

/// How often another name is generated because an object of that name exists.
const COLLISIONS: usize = 7;

/// A request to change something.
pub(crate) struct Write<'a> {
    pub server: &'a Shared,
    pub resource: Arc<Resource>,
    pub namespace: Option<&'a str>,
    pub part: Part,
    pub options: WriteOptions,
    /// The field manager.
    pub manager: String,
    pub user: &'a User,
    /// The API version of the request.
    pub api_version: String,
}

/// Which part of an object a request changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Everything but the status.
    Main,
    /// The status.
    Status,
    /// The number of replicas.
    Scale,
    /// The ephemeral containers of a pod, which can be added only.
    EphemeralContainers,
}

impl Part {
    /// The subresource, as managedFields name it.
    pub fn subresource(self) -> Option<&'static str> {
        match self {
            Self::Main => None,
            Self::Status => Some("status"),
            Self::Scale => Some("scale"),
            Self::EphemeralContainers => Some("ephemeralcontainers"),
        }
    }
}

/// The result of a change.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub code: StatusCode,
    pub object: Value,
    pub warnings: Vec<String>,
}

/// The object as the client wants it.
#[derive(Debug, Clone)]
struct Intent {
    object: Value,
    ownership: Ownership,
    /// Problems of fields, which `fieldValidation` decides about.
    problems: Vec<String>,
}

/// How the owners of the fields are determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ownership {
    /// The writer owns the fields that differ from the stored object.
    OfDifferences,
    /// The same for the result of a patch, which has other error messages.
    OfPatched,
    /// They are already set: the object is the result of an apply.
    Settled,
}

impl Write<'_> {
    /// Creates an object.
    pub async fn create(&self, document: Document) -> Result<Written, Failure> {
        let Document { mut object, duplicates } = document;
        identity::settle(&self.server.state(), &self.resource, self.namespace, None, &mut object)?;
        self.open_for_new_objects(object["metadata"]["name"].as_str().unwrap_or_default())?;
        if object["metadata"]["resourceVersion"].as_str().is_some_and(|version| !version.is_empty()) {
            let why = "resourceVersion should not be set on objects to be created";
            return Err(Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "", why));
        }
        metadata::wipe(&mut object);
        let name = self.name_of(&mut object)?;
        let key = State::key(&self.resource, self.namespace, &name);
        self.carry_out(&key, |live| {
            if let Some(live) = live {
                let mut failure = Failure::already_exists(&self.resource.group, &self.resource.plural, &name);
                if !live["metadata"]["deletionTimestamp"].is_null() {
                    failure.message = format!("object is being deleted: {}", failure.message);
                }
                return Err(failure);
            }
            Ok(intent(&object, &duplicates))
        })
        .await
    }

    /// Replaces an object or the requested part of it.
    pub async fn update(&self, name: &str, document: Document) -> Result<Written, Failure> {
        let Document { mut object, duplicates } = document;
        identity::settle(&self.server.state(), &self.resource, self.namespace, Some(name), &mut object)?;
        let key = State::key(&self.resource, self.namespace, name);
        self.carry_out(&key, |live| {
            match live {
                Some(live) => metadata::same_uid(&self.resource, &key, live, &object)?,
                None if self.part == Part::Main && creates_on_update(&self.resource) => {
                    self.may_create(name)?;
                    self.open_for_new_objects(name)?;
                    let mut object = object.clone();
                    metadata::wipe(&mut object);
                    return Ok(intent(&object, &duplicates));
                }
                None => return Err(Failure::not_found(&self.resource.group, &self.resource.plural, name)),
            }
            Ok(intent(&object, &duplicates))
        })
        .await
    }

    /// The name of a new object, generated if the client requests that.
    fn name_of(&self, object: &mut Value) -> Result<String, Failure> {
        let metadata = &mut object["metadata"];
        if let Some(name) = metadata["name"].as_str().filter(|name| !name.is_empty()) {
            return Ok(name.to_owned());
        }
        let prefix = metadata["generateName"].as_str().filter(|prefix| !prefix.is_empty());
        let Some(prefix) = prefix.map(str::to_owned) else {
            let cause = crate::failure::Cause::required("metadata.name", "name or generateName is required");
            return Err(Failure::invalid(&self.resource.group, &self.resource.kind, "", &[cause]));
        };
        let mut state = self.server.state();
        let mut name = state.generated_name(&prefix);
        for _ in 0..COLLISIONS {
            if state.store.get(&State::key(&self.resource, self.namespace, &name)).is_none() {
                break;
            }
            name = state.generated_name(&prefix);
        }
        metadata["name"] = name.clone().into();
        Ok(name)
    }

    /// Objects can be created only in a namespace that exists and is not being deleted, and the same holds for their
    /// definition.
    fn open_for_new_objects(&self, name: &str) -> Result<(), Failure> {
        self.open_in(&self.server.state(), name)
    }

    fn open_in(&self, state: &State, name: &str) -> Result<(), Failure> {
        if lifecycle::is_terminating(state, &self.resource) {
            let why = "create not allowed while custom resource definition is terminating";
            return Err(Failure::forbidden(&self.resource.group, &self.resource.plural, name, why));
        }
        let Some(namespace) = self.namespace else { return Ok(()) };
        let place = Key {
            group: "".into(),
            plural: "namespaces".into(),
            namespace: "".into(),
            name: namespace.into(),
        };
        let Some(found) = state.store.get(&place) else {
            return Err(Failure::not_found("", "namespaces", namespace));
        };
        if found["metadata"]["deletionTimestamp"].is_null() {
            return Ok(());
        }
        let why =
            format!("unable to create new content in namespace {namespace} because it is being terminated");
        let mut failure = Failure::forbidden(&self.resource.group, &self.resource.plural, name, &why);
        let cause = serde_json::json!([{
            "reason": "NamespaceTerminating",
            "message": format!("namespace {namespace} is being terminated"),
            "field": "metadata.namespace",
        }]);
        failure.details.insert("causes".into(), cause);
        Err(failure)
    }
}

fn intent(object: &Value, duplicates: &[String]) -> Intent {
    Intent { object: object.clone(), ownership: Ownership::OfDifferences, problems: duplicates.to_vec() }
}

/// Kinds that a PUT creates if the object does not exist.
fn creates_on_update(resource: &Resource) -> bool {
    matches!(
        (resource.origin, resource.group.as_str(), resource.plural.as_str()),
        (Origin::Builtin, "", "limitranges" | "events" | "services" | "endpoints")
            | (Origin::Builtin, "events.k8s.io" | "rbac.authorization.k8s.io", _)
            | (Origin::Builtin, "coordination.k8s.io", "leases")
    )
}

/// The finalizers of an object.
pub(crate) fn finalizers(object: &Value) -> Vec<&str> {
    let names = object["metadata"]["finalizers"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}
