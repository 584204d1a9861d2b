//! Changing objects: create, update, patch, apply, delete.
//!
//! Every change takes the same way: what the client wants is made of what is stored, shaped by the kind's schema,
//! admitted, given its owners and metadata, checked against the rules of its kind, and committed if the stored object
//! is still the one it was made of. Otherwise the way is taken again.

pub(crate) mod admission;
mod body;
pub(crate) mod deletion;
mod identity;
mod leave;
mod metadata;
mod patching;
mod pipeline;
mod scale;

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

/// How often another name is made up because there is an object of that name.
const COLLISIONS: usize = 7;

/// A request to change something.
pub(crate) struct Write<'a> {
    pub server: &'a Shared,
    pub resource: Arc<Resource>,
    pub namespace: Option<&'a str>,
    pub part: Part,
    pub options: WriteOptions,
    /// Who the changed fields belong to from now on.
    pub manager: String,
    pub user: &'a User,
    /// Of the version that the request speaks.
    pub api_version: String,
}

/// Which part of an object a request is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// All but what is reported back.
    Main,
    /// What is reported back.
    Status,
    /// How many there are to be.
    Scale,
}

impl Part {
    /// The subresource, as managedFields name it.
    pub fn subresource(self) -> Option<&'static str> {
        match self {
            Self::Main => None,
            Self::Status => Some("status"),
            Self::Scale => Some("scale"),
        }
    }
}

/// What a change came to.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub code: StatusCode,
    pub object: Value,
    pub warnings: Vec<String>,
}

/// What a client wants an object to be.
#[derive(Debug, Clone)]
struct Intent {
    object: Value,
    ownership: Ownership,
    /// Complaints about fields, for the client to decide on.
    complaints: Vec<String>,
}

/// Who finds out which fields changed hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ownership {
    /// Whatever differs from the stored object now belongs to the writer.
    OfDifferences,
    /// The same, of an object that a patch was made into; it fails in other words.
    OfPatched,
    /// It is settled already: the object is the result of an apply.
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

    /// Replaces an object, or the part that the request is about.
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

    /// The name of a new object, made up if the client asks for that.
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

    /// Objects come only into a namespace that exists and is not about to end, and neither is the definition of the kind.
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
    Intent { object: object.clone(), ownership: Ownership::OfDifferences, complaints: duplicates.to_vec() }
}

/// Kinds that a PUT creates where there is nothing to replace.
fn creates_on_update(resource: &Resource) -> bool {
    matches!(
        (resource.origin, resource.group.as_str(), resource.plural.as_str()),
        (Origin::Builtin, "", "limitranges" | "events" | "services" | "endpoints")
            | (Origin::Builtin, "events.k8s.io" | "rbac.authorization.k8s.io", _)
            | (Origin::Builtin, "coordination.k8s.io", "leases")
    )
}

/// What an object's deletion has to wait for.
pub(crate) fn finalizers(object: &Value) -> Vec<&str> {
    let names = object["metadata"]["finalizers"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}
