//! Kubernetes objects in files.

use super::document::{Document, Origin};
use crate::output::Error;
use plan::ObjectKey;
use serde_json::Value;

/// The namespace of objects that name none, as for kubectl.
pub const DEFAULT_NAMESPACE: &str = "default";

/// An object of any kind.
#[derive(Clone, Debug)]
pub struct Object {
    /// The document that it is in.
    pub origin: Origin,
    /// Which object it is. The namespace is empty where the object names none.
    pub key: ObjectKey,
    /// Version of its kind.
    pub version: String,
    /// The object.
    pub json: Value,
}

impl Object {
    /// The objects in a document: one, or the items of a List.
    pub fn all(document: Document) -> Result<Vec<Self>, Error> {
        let Document { origin, mut content } = document;
        let is_list = content["kind"].as_str().is_some_and(|kind| kind.ends_with("List"));
        match content.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) if is_list => {
                items.into_iter().map(|item| Self::one(origin.clone(), item)).collect()
            }
            Some(items) => {
                content["items"] = items;
                Ok(vec![Self::one(origin, content)?])
            }
            None => Ok(vec![Self::one(origin, content)?]),
        }
    }

    fn one(origin: Origin, json: Value) -> Result<Self, Error> {
        let text =
            |pointer: &str| json.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (api_version, kind) = (text("/apiVersion"), text("/kind"));
        if api_version.is_empty() || kind.is_empty() {
            let problem = "is not a Kubernetes object: apiVersion or kind is missing";
            return Err(Error::input(&origin, problem, "add both"));
        }
        let name = text("/metadata/name");
        if name.is_empty() {
            return Err(Error::input(
                format_args!("{origin}: {kind}"),
                "metadata.name is missing",
                "give the object a name",
            ));
        }
        let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
        let key = ObjectKey::new(group, &kind, &text("/metadata/namespace"), &name);
        Ok(Self { origin, key, version: version.into(), json })
    }

    /// The object with a namespace: this one, if it names none.
    pub fn in_namespace(mut self, namespace: &str) -> Self {
        if self.key.namespace.is_empty() {
            self.json["metadata"]["namespace"] = namespace.into();
            self.key = self.key.within(namespace);
        }
        self
    }

    /// Its file, kind and name, for messages.
    pub fn place(&self) -> String {
        let plan::Parts { kind, namespace, name, .. } = &*self.key;
        match namespace.as_str() {
            "" => format!("{}: {kind} {name}", self.origin),
            namespace => format!("{}: {kind} {namespace}/{name}", self.origin),
        }
    }
}
