//! The requested form of what a client reads.

use crate::{
    failure::Failure,
    kinds::{Origin, Resource},
    present::{self, As, Format, IncludeObject, WithHeaders},
    request::Query,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// The `Accept` header and the query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    pub shape: As,
    pub format: Format,
    include: IncludeObject,
}

impl View {
    pub fn parse(resource: &Resource, accept: &str, query: &Query) -> Result<Self, Failure> {
        let present::Presentation { shape, format } =
            present::negotiate(accept).map_err(|refusal| refusal.failure(resource))?;
        let parameter = query.get("includeObject");
        let include = IncludeObject::parse(parameter).ok_or_else(|| {
            Failure::bad_request(format!(
                "Unable to convert to Table as requested: includeObject: Invalid value: {:?}: must be 'Metadata', 'Object', 'None', or empty",
                parameter.unwrap_or_default()
            ))
        })?;
        Ok(Self { shape, format, include })
    }

    /// One object.
    pub fn object(&self, resource: &Resource, object: Value, now: Timestamp) -> Value {
        match self.shape {
            As::Object | As::PartialMetadataList { .. } => object,
            As::PartialMetadata { version } => present::partial(&object, version),
            As::Table { version } => {
                let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
                present::table(resource, &[&object], metadata, self.include, now, WithHeaders::Yes, version)
            }
        }
    }

    /// A list.
    pub fn list(&self, resource: &Resource, items: Vec<Value>, metadata: Value, now: Timestamp) -> Value {
        match self.shape {
            As::PartialMetadata { version } | As::PartialMetadataList { version } => {
                present::partial_list(items.iter(), metadata, version)
            }
            As::Table { version } => {
                let items: Vec<&Value> = items.iter().collect();
                present::table(resource, &items, metadata, self.include, now, WithHeaders::Yes, version)
            }
            As::Object => {
                let mut metadata = metadata;
                // The last page of custom objects has an empty `continue`.
                if resource.origin == Origin::Custom && metadata.get("continue").is_none() {
                    metadata["continue"] = "".into();
                }
                let items = items.into_iter().map(|item| match resource.origin {
                    Origin::Custom => item,
                    // The list has the kind once for all items.
                    Origin::Builtin => without_kind(item),
                });
                json!({
                    "kind": resource.list_kind,
                    "apiVersion": resource.api_version(),
                    "metadata": metadata,
                    "items": items.collect::<Vec<_>>(),
                })
            }
        }
    }

    /// The object of a watch event; only the first of a watch describes its columns.
    pub fn event(&self, resource: &Resource, object: Value, now: Timestamp, headers: WithHeaders) -> Value {
        match self.shape {
            As::Object => object,
            As::PartialMetadata { version } | As::PartialMetadataList { version } => {
                present::partial(&object, version)
            }
            As::Table { version } => {
                let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
                present::table(resource, &[&object], metadata, self.include, now, headers, version)
            }
        }
    }

    /// Kind and version of a bookmark.
    pub fn bookmark_kind(&self, resource: &Resource) -> (String, String) {
        match self.shape {
            As::Object => (resource.kind.clone(), resource.api_version()),
            As::PartialMetadata { version } | As::PartialMetadataList { version } => {
                ("PartialObjectMetadata".into(), format!("meta.k8s.io/{version}"))
            }
            As::Table { version } => ("Table".into(), format!("meta.k8s.io/{version}")),
        }
    }
}

fn without_kind(object: Value) -> Value {
    match object {
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .filter(|(name, _)| name != "kind" && name != "apiVersion")
                .collect::<Map<_, _>>(),
        ),
        other => other,
    }
}
