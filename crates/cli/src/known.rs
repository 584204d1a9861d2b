//! The objects that exist as far as an offline command knows: what was given and what was rendered.

use crate::{error::Error, object::Object, stored::as_stored};
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

/// Answers reads instead of a cluster.
#[derive(Debug, Default)]
pub struct Known {
    /// By key; the namespace is empty for what is in the namespace of whoever asks.
    objects: BTreeMap<ObjectKey, Entry>,
    /// Those of the objects that hold placeholders, because their values are made up when they are created.
    generated: BTreeSet<ObjectKey>,
    /// API groups the cluster is said not to serve.
    without: BTreeSet<String>,
}

#[derive(Debug)]
struct Entry {
    object: Arc<DynamicObject>,
    json: Value,
    /// Where it was given; nothing for what was rendered.
    place: Option<String>,
}

impl Known {
    /// Nothing but that the cluster does not serve these API groups.
    pub fn without(groups: impl IntoIterator<Item = String>) -> Self {
        Self { without: groups.into_iter().collect(), ..Self::default() }
    }

    /// Adds an object that a user gave.
    pub fn give(&mut self, object: Object) -> Result<(), Error> {
        let object = as_stored(object)?;
        let place = object.place();
        if let Some(Entry { json, place: Some(earlier), .. }) = self.objects.get(&object.key)
            && *json != object.json
        {
            let problem = format!("differs from what is given before ({earlier})");
            return Err(Error::input(place, problem, "give every object once"));
        }
        let decoded = decode(object.json.clone()).map_err(|field| {
            Error::input(
                &place,
                format!("{field} is not what it should be"),
                "compare it with `kubectl explain`",
            )
        })?;
        // A Certificate that a user gives is as good as the Secret that will come of it.
        if let Some((secret, content)) = placeholder::of_certificate(&object.key, &object.json)
            && !self.objects.contains_key(&secret)
        {
            self.render_generated(secret, content)?;
        }
        self.generated.remove(&object.key);
        self.objects.insert(object.key, Entry { object: decoded, json: object.json, place: Some(place) });
        Ok(())
    }

    /// Adds an object that was rendered.
    pub fn render(&mut self, key: ObjectKey, mut json: Value) -> Result<(), Error> {
        fold(&mut json);
        let object = decode(json.clone())
            .map_err(|field| Error::Encode { object: key.to_string(), problem: field.to_string() })?;
        self.objects.insert(key, Entry { object, json, place: None });
        Ok(())
    }

    /// Adds an object some of whose values nobody knows before it is created.
    pub fn render_generated(&mut self, key: ObjectKey, json: Value) -> Result<(), Error> {
        self.generated.insert(key.clone());
        self.render(key, json)
    }

    /// The object, for whoever plans.
    pub fn read(&self, key: &ObjectKey) -> Option<Arc<DynamicObject>> {
        if key.is_kind() {
            return (!self.without.contains(&key.group)).then(plan::served);
        }
        self.objects.get(key).map(|entry| entry.object.clone()).or_else(|| {
            let mut object = DynamicObject::clone(&self.objects.get(&without_namespace(key))?.object);
            object.metadata.namespace = Some(key.namespace.clone());
            Some(Arc::new(object))
        })
    }

    /// The object as JSON, if a user gave it.
    pub fn given(&self, key: &ObjectKey) -> Option<Value> {
        let given = |key: &ObjectKey| self.objects.get(key).filter(|entry| entry.place.is_some());
        let mut json = given(key).or_else(|| given(&without_namespace(key)))?.json.clone();
        json["metadata"]["namespace"] = key.namespace.clone().into();
        Some(json)
    }

    /// What the object holds.
    pub fn content(&self, key: &ObjectKey) -> Option<Content> {
        let entry = self.objects.get(key).or_else(|| self.objects.get(&without_namespace(key)));
        entry.map(|entry| Content::of(&entry.json))
    }

    /// Why an object cannot exist, if its kind is not served: what to install for it is the `provider`.
    pub fn unserved(&self, key: &ObjectKey, provider: &str) -> Option<PlanError> {
        let unserved = || PlanError::Unserved([(key.its_kind(), provider.to_owned())].into());
        self.without.contains(&key.group).then(unserved)
    }

    /// Whether the object holds placeholders.
    pub fn is_generated(&self, key: &ObjectKey) -> bool {
        self.generated.contains(key)
    }
}

/// The object, or the field that does not fit: never a value, since it may be a secret.
fn decode(json: Value) -> Result<Arc<DynamicObject>, serde_path_to_error::Path> {
    serde_path_to_error::deserialize(json).map(Arc::new).map_err(|error| error.path().clone())
}

fn without_namespace(key: &ObjectKey) -> ObjectKey {
    key.within("")
}
