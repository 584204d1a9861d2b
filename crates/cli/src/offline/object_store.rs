//! The objects that an offline command knows: those given in files, and those rendered before.

use super::stored::as_stored;
use crate::{manifests::Object, output::Error};
use kube::core::DynamicObject;
use plan::{
    Content, ObjectKey, PlanError,
    placeholder::{self, fold},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// Answers reads in place of a cluster.
#[derive(Debug, Default)]
pub struct ObjectStore {
    /// By key. An object without a namespace is found in every namespace.
    objects: BTreeMap<ObjectKey, Entry>,
    /// The objects that hold placeholders, because their values are generated when they are created.
    generated: BTreeSet<ObjectKey>,
    /// API groups that the cluster does not serve.
    without: BTreeSet<String>,
}

#[derive(Debug)]
struct Entry {
    object: Arc<DynamicObject>,
    json: Value,
    /// The file it is in; `None` if it was rendered.
    place: Option<String>,
}

impl ObjectStore {
    /// An empty store of a cluster that does not serve these API groups.
    pub fn without(groups: impl IntoIterator<Item = String>) -> Self {
        Self { without: groups.into_iter().collect(), ..Self::default() }
    }

    /// Adds an object from a file.
    pub fn insert_given(&mut self, object: Object) -> Result<(), Error> {
        let object = as_stored(object)?;
        let place = object.place();
        if let Some(Entry { json, place: Some(earlier), .. }) = self.objects.get(&object.key)
            && *json != object.json
        {
            let problem = format!("differs from the same object given before ({earlier})");
            return Err(Error::input(place, problem, "give every object once"));
        }
        let decoded = decode(object.json.clone()).map_err(|field| {
            Error::input(&place, format!("{field} has a wrong type"), "compare it with `kubectl explain`")
        })?;
        // cert-manager creates the Secret of a Certificate, so the Secret need not be given.
        if let Some((secret, content)) = placeholder::of_certificate(&object.key, &object.json)
            && !self.objects.contains_key(&secret)
        {
            self.insert_generated(secret, content)?;
        }
        self.generated.remove(&object.key);
        self.objects.insert(object.key, Entry { object: decoded, json: object.json, place: Some(place) });
        Ok(())
    }

    /// Adds an object that was rendered.
    pub fn insert_rendered(&mut self, key: ObjectKey, mut json: Value) -> Result<(), Error> {
        fold(&mut json);
        let object = decode(json.clone())
            .map_err(|field| Error::Encode { object: key.to_string(), problem: field.to_string() })?;
        self.objects.insert(key, Entry { object, json, place: None });
        Ok(())
    }

    /// Adds an object with placeholders for the values that are generated when it is created.
    pub fn insert_generated(&mut self, key: ObjectKey, json: Value) -> Result<(), Error> {
        self.generated.insert(key.clone());
        self.insert_rendered(key, json)
    }

    /// The object as a plan reads it.
    pub fn read(&self, key: &ObjectKey) -> Option<Arc<DynamicObject>> {
        if key.is_kind() {
            return (!self.without.contains(&key.group)).then(plan::served);
        }
        if key.is_all() {
            let of_kind = self.objects.iter().filter(|(it, _)| it.group == key.group && it.kind == key.kind);
            return plan::outside(of_kind.map(|(_, entry)| entry.json.clone()).collect()).ok();
        }
        if key.is_pods_of_job() {
            return plan::outside(serde_json::Value::Array(Vec::new())).ok();
        }
        self.objects.get(key).map(|entry| entry.object.clone()).or_else(|| {
            let mut object = DynamicObject::clone(&self.objects.get(&without_namespace(key))?.object);
            object.metadata.namespace = Some(key.namespace.clone());
            Some(Arc::new(object))
        })
    }

    /// The object as JSON, if it was given in a file.
    pub fn given(&self, key: &ObjectKey) -> Option<Value> {
        let given = |key: &ObjectKey| self.objects.get(key).filter(|entry| entry.place.is_some());
        let mut json = given(key).or_else(|| given(&without_namespace(key)))?.json.clone();
        json["metadata"]["namespace"] = key.namespace.clone().into();
        Some(json)
    }

    /// The data of the object.
    pub fn content(&self, key: &ObjectKey) -> Option<Content> {
        let entry = self.objects.get(key).or_else(|| self.objects.get(&without_namespace(key)));
        entry.map(|entry| Content::of(&entry.json))
    }

    /// The error if the kind of an object is not served. The `provider` is what to install for it.
    pub fn unserved(&self, key: &ObjectKey, provider: &str) -> Option<PlanError> {
        let unserved = || PlanError::Unserved([(key.its_kind(), provider.to_owned())].into());
        self.without.contains(&key.group).then(unserved)
    }

    /// Whether the object holds placeholders.
    pub fn is_generated(&self, key: &ObjectKey) -> bool {
        self.generated.contains(key)
    }
}

/// The object, or the path of the field that does not fit. Never a value: it may be a secret.
fn decode(json: Value) -> Result<Arc<DynamicObject>, serde_path_to_error::Path> {
    serde_path_to_error::deserialize(json).map(Arc::new).map_err(|error| error.path().clone())
}

fn without_namespace(key: &ObjectKey) -> ObjectKey {
    key.within("")
}
