//! Decodes only the part of an object's metadata that the index needs.
//!
//! Any Secret or ConfigMap may be an input, so the operator lists all of a cluster. Users decide how large their
//! metadata is: a megabyte of field names or labels would take ten times as much memory when decoded. So the decoder
//! skips labels and annotations that the operator does not use, owners that are not controllers, and managed fields
//! beyond a number that no child has.

use api::names::{CONTROLLER_LABEL, HARBOR_CLUSTER_LABEL, IMMUTABLE_ANNOTATION, KEPT_ANNOTATION};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{FieldsV1, ManagedFieldsEntry, OwnerReference, Time};
use kube::{
    Resource,
    core::{ApiResource, DynamicObject, DynamicResourceScope, ObjectMeta},
};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value};
use std::{borrow::Cow, collections::BTreeMap, fmt};

/// Labels and annotations that the operator uses.
const KNOWN: [&str; 4] = [CONTROLLER_LABEL, HARBOR_CLUSTER_LABEL, KEPT_ANNOTATION, IMMUTABLE_ANNOTATION];

/// How many managed fields of an object are decoded; a child of the operator has some dozens.
const FIELDS: usize = 4096;

/// How many owners and field managers of an object are decoded.
const ENTRIES: usize = 64;

/// An object with the part of its metadata that the index needs.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct LeanMetadata {
    /// The decoded part.
    #[serde(default, deserialize_with = "metadata")]
    pub(crate) metadata: ObjectMeta,
}

impl Resource for LeanMetadata {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn metadata_api() -> bool {
        true
    }

    fn group(resource: &ApiResource) -> Cow<'_, str> {
        DynamicObject::group(resource)
    }

    fn version(resource: &ApiResource) -> Cow<'_, str> {
        DynamicObject::version(resource)
    }

    fn kind(resource: &ApiResource) -> Cow<'_, str> {
        DynamicObject::kind(resource)
    }

    fn api_version(resource: &ApiResource) -> Cow<'_, str> {
        DynamicObject::api_version(resource)
    }

    fn plural(resource: &ApiResource) -> Cow<'_, str> {
        DynamicObject::plural(resource)
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

fn metadata<'de, D: Deserializer<'de>>(from: D) -> Result<ObjectMeta, D::Error> {
    let read = Metadata::deserialize(from)?;
    Ok(ObjectMeta {
        name: read.name,
        namespace: read.namespace,
        uid: read.uid,
        resource_version: read.resource_version,
        generation: read.generation,
        creation_timestamp: read.creation_timestamp,
        deletion_timestamp: read.deletion_timestamp,
        labels: read.labels.0,
        annotations: read.annotations.0,
        owner_references: read.owner_references.0,
        managed_fields: read.managed_fields.0,
        ..ObjectMeta::default()
    })
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    name: Option<String>,
    namespace: Option<String>,
    uid: Option<String>,
    resource_version: Option<String>,
    generation: Option<i64>,
    creation_timestamp: Option<Time>,
    deletion_timestamp: Option<Time>,
    labels: Known,
    annotations: Known,
    owner_references: Controllers,
    managed_fields: Managers,
}

/// The entries of a map whose keys are [`KNOWN`].
#[derive(Default)]
struct Known(Option<BTreeMap<String, String>>);

impl<'de> Deserialize<'de> for Known {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Known;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("labels or annotations")
            }

            fn visit_unit<E>(self) -> Result<Known, E> {
                Ok(Known::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Known, A::Error> {
                let mut known = BTreeMap::new();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    if KNOWN.contains(&&*key) {
                        known.insert(key.into_owned(), map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(Known(Some(known)))
            }
        }
        from.deserialize_any(Entries)
    }
}

/// The owners that are controllers.
#[derive(Default)]
struct Controllers(Option<Vec<OwnerReference>>);

impl<'de> Deserialize<'de> for Controllers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        first_matching(from, |owner: &OwnerReference| owner.controller == Some(true)).map(Self)
    }
}

/// The managed fields.
#[derive(Default)]
struct Managers(Option<Vec<ManagedFieldsEntry>>);

impl<'de> Deserialize<'de> for Managers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Entry {
            manager: Option<String>,
            operation: Option<String>,
            subresource: Option<String>,
            time: Option<Time>,
            #[serde(rename = "fieldsV1", default)]
            fields: Fields,
        }
        let entry = |read: Entry| ManagedFieldsEntry {
            manager: read.manager,
            operation: read.operation,
            subresource: read.subresource,
            time: read.time,
            fields_v1: read.fields.0.map(FieldsV1),
            ..ManagedFieldsEntry::default()
        };
        let entries = first_matching(from, |_: &Entry| true)?;
        Ok(Self(entries.map(|entries| entries.into_iter().map(entry).collect())))
    }
}

/// The first elements of a list that match.
fn first_matching<'de, D, T>(from: D, wanted: impl Fn(&T) -> bool) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Elements<T, W>(W, std::marker::PhantomData<T>);
    impl<'de, T: Deserialize<'de>, W: Fn(&T) -> bool> Visitor<'de> for Elements<T, W> {
        type Value = Option<Vec<T>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut elements = Vec::new();
            while elements.len() < ENTRIES
                && let Some(element) = list.next_element()?
            {
                elements.extend(Some(element).filter(&self.0));
            }
            while list.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Some(elements))
        }
    }
    from.deserialize_any(Elements(wanted, std::marker::PhantomData))
}

/// A set of fields, if it is not larger than [`FIELDS`].
#[derive(Default)]
struct Fields(Option<Value>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut left = FIELDS;
        let fields = Set { left: &mut left }.deserialize(from)?;
        Ok(Self((left > 0).then_some(fields)))
    }
}

/// Nested fields. Each field reduces the number that is left; at zero, the rest is skipped.
struct Set<'a> {
    left: &'a mut usize,
}

impl<'de> DeserializeSeed<'de> for Set<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Set<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a set of fields")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while *self.left > 0
            && let Some(key) = map.next_key::<String>()?
        {
            *self.left -= 1;
            let within = map.next_value_seed(Set { left: &mut *self.left })?;
            fields.insert(key, within);
        }
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests;
