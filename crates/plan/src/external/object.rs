//! What an object outside the cluster should be.

use super::System;
use crate::{
    AnyManifest, Change, ChildKind, Health, ManagedBy, ObjectKey, Observe, Placement, Readiness, Violation,
};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use kube::core::{ApiResource, ObjectMeta};
use serde_json::{Map, Value, json};
use std::{collections::BTreeSet, fmt, sync::Arc};

const MASKED: &str = "<masked>";
const CHANGED: &str = "<masked, changed>";

/// The actual value of an object, reduced to what the desired value says anything about, and in the terms of the desired
/// value: where the system stores or returns something else than it was sent and means the same, it is as desired.
pub type Comparable = fn(desired: &Value, actual: &Value) -> Value;

/// What an object outside the cluster should be.
#[derive(Clone)]
pub struct External {
    /// The system it lives in.
    pub system: System,
    /// The collection it belongs to, in the singular: `project`.
    pub collection: String,
    /// Its name in the collection.
    pub name: String,
    /// What it should be, in the terms of the system's API. Fields that are absent are left to others.
    pub value: Value,
    /// Fields that are sent with [`Self::value`] and that the system does not return, such as passwords. They are compared
    /// by digest with what was sent before, and never shown.
    pub write_only: Map<String, Value>,
    /// What to do with an existing object of this name that the operator did not create.
    pub if_exists: IfExists,
    /// What to do if there is no object of this name.
    pub if_absent: IfAbsent,
    /// What happens to the contents of the object when the operator deletes it.
    pub contents: Contents,
    /// How several owners may want the same object.
    pub sharing: Sharing,
    /// The object that this one is a part of, where another owner may have that as a whole.
    pub part_of: Option<Whole>,
    /// How the actual value is compared.
    pub comparable: Comparable,
    /// Whether an object with this actual value is ready. Most are when they exist.
    pub readiness: fn(actual: &Value) -> Readiness,
    /// Why it cannot be as desired. The operator then sends nothing for this object, and does its work for all others.
    pub fault: Option<Violation>,
    /// The event that users get when the operator has changed it.
    pub announcement: Option<Announcement>,
    /// The field of the owner that describes it, such as `spec.memberships`, if that is not the whole spec. Errors name it.
    pub described_by: Option<&'static str>,
}

/// An event about an object outside the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announcement {
    /// One `PascalCase` word for programs.
    pub reason: &'static str,
    /// A sentence for people. Never contains a secret.
    pub note: String,
}

/// What to do with an existing object outside the cluster that the operator did not create for its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfExists {
    /// It is kept as desired from now on. It is not deleted with its owner.
    Adopt,
    /// It is left alone, and the user learns what to do.
    Refuse {
        /// What a user can do, such as a field to set.
        remedy: String,
    },
}

/// What to do if an object outside the cluster does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfAbsent {
    /// It is created.
    Create,
    /// It is created once. If the operator has or may have created it before, it is not created again, and the user learns
    /// what to do.
    CreateOnce {
        /// What a user can do.
        remedy: String,
    },
    /// It is not created, and the user learns what to do.
    Refuse {
        /// What a user can do, such as a field to set.
        remedy: String,
    },
}

/// What happens to the contents of an object outside the cluster, such as the repositories of a project, when the operator
/// deletes the object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Contents {
    /// The operator deletes only an empty object.
    #[default]
    Kept,
    /// The operator deletes them first.
    Deleted,
}

/// How several owners may want the same object outside the cluster. Of two that may not, the older one has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// One owner has the object.
    Whole,
    /// Each field of the value has one owner, so that the settings of a system may be in several owners.
    Fields,
}

/// An object outside the cluster of which other objects are parts, such as a list. Its owner has all of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// Which object.
    pub object: ObjectKey,
    /// What a user can do if another owner has it.
    pub remedy: String,
}

impl External {
    /// An object that is compared field by field, and refused where it exists already.
    pub fn new(system: &System, collection: &str, name: &str, value: Value) -> Self {
        Self {
            system: system.clone(),
            collection: collection.into(),
            name: name.into(),
            value,
            write_only: Map::new(),
            if_exists: IfExists::Refuse { remedy: "delete it, or choose another name".into() },
            if_absent: IfAbsent::Create,
            contents: Contents::Kept,
            sharing: Sharing::Whole,
            part_of: None,
            comparable,
            readiness: |_| Readiness::Ready,
            fault: None,
            announcement: None,
            described_by: None,
        }
    }

    /// Which object this is.
    pub fn key(&self) -> ObjectKey {
        ObjectKey::external(&self.system, &self.collection, &self.name)
    }

    /// The fields that one owner has to itself; empty where it has the whole object.
    pub fn claimed_fields(&self) -> BTreeSet<String> {
        let fields = self.value.as_object().into_iter().flatten().map(|(name, _)| name);
        match self.sharing {
            Sharing::Whole => BTreeSet::new(),
            Sharing::Fields => fields.chain(self.write_only.keys()).cloned().collect(),
        }
    }

    /// The fields in which the actual value differs, named with dots. Write-only fields are not among them.
    pub fn differences(&self, actual: &Value) -> Vec<String> {
        let mut fields = Vec::new();
        differing(&self.value, &(self.comparable)(&self.value, actual), "", &mut fields);
        fields
    }

    /// What would change if it were written over this actual value, or created where there is none.
    pub fn change(&self, actual: Option<&Value>) -> Option<Change> {
        let before = actual.map(|actual| (self.comparable)(&self.value, actual));
        // An update that shows no other difference is one of what is masked.
        let masks = match &before {
            Some(before) if *before == self.value => CHANGED,
            _ => MASKED,
        };
        let before = before.map(|before| self.with_masks(before, MASKED));
        Change::between(self.key(), before, Some(self.with_masks(self.value.clone(), masks)))
    }

    fn with_masks(&self, mut value: Value, mask: &str) -> Value {
        if let Some(fields) = value.as_object_mut() {
            fields.extend(self.write_only.keys().map(|name| (name.clone(), mask.into())));
        }
        value
    }
}

// Not derived: it may hold passwords.
impl fmt::Debug for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("External").field("key", &self.key()).finish_non_exhaustive()
    }
}

// Not derived: functions cannot be compared.
impl PartialEq for External {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
            && self.value == other.value
            && self.write_only == other.write_only
            && self.if_exists == other.if_exists
            && self.if_absent == other.if_absent
            && self.contents == other.contents
            && self.sharing == other.sharing
            && self.part_of == other.part_of
            && self.fault == other.fault
            && self.announcement == other.announcement
            && self.described_by == other.described_by
    }
}

impl Eq for External {}

/// The default [`Comparable`]: the fields of `actual` that `desired` has, at any depth. Lists are compared as a whole.
pub fn comparable(desired: &Value, actual: &Value) -> Value {
    let (Value::Object(desired), Value::Object(actual)) = (desired, actual) else { return actual.clone() };
    let fields = desired.iter().filter_map(|(name, desired)| Some((name, desired, actual.get(name)?)));
    fields.map(|(name, desired, actual)| (name.clone(), comparable(desired, actual))).collect()
}

fn differing(desired: &Value, actual: &Value, path: &str, fields: &mut Vec<String>) {
    if let (Value::Object(desired), Value::Object(actual)) = (desired, actual) {
        for (name, desired) in desired {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            differing(desired, actual.get(name).unwrap_or(&Value::Null), &path, fields);
        }
    } else if desired != actual {
        fields.push(if path.is_empty() { "value".to_owned() } else { path.to_owned() });
    }
}

/// An [`External`] as a node of a graph. Labels and owners that all nodes get have no place in it.
pub(crate) struct ExternalObject {
    external: Arc<External>,
    metadata: ObjectMeta,
}

impl ExternalObject {
    pub(crate) fn new(external: Arc<External>) -> Self {
        Self { external, metadata: ObjectMeta::default() }
    }
}

impl AnyManifest for ExternalObject {
    fn key(&self) -> ObjectKey {
        self.external.key()
    }

    fn child_kind(&self) -> ChildKind {
        let collection = &self.external.collection;
        ChildKind {
            resource: ApiResource {
                group: self.external.system.group(),
                version: String::new(),
                api_version: String::new(),
                kind: collection.clone(),
                plural: collection.clone(),
            },
            placement: Placement::ClusterWide,
            managed_by: ManagedBy::Operator,
            observe: Observe::Metadata,
            provider: "the system it lives in",
            health: |_| Ok(Health::READY),
        }
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn pod_template(&self) -> Option<&PodTemplateSpec> {
        None
    }

    fn pod_template_mut(&mut self) -> Option<&mut PodTemplateSpec> {
        None
    }

    fn to_json(&self) -> serde_json::Result<Value> {
        let External { system, collection, name, value, .. } = &*self.external;
        let value = self.external.with_masks(value.clone(), MASKED);
        Ok(json!({"kind": collection, "name": name, "system": system.to_string(), "value": value}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{Shown, Side};

    fn alpha() -> External {
        let system = System::new("harbor", "registry", "acme");
        let value = json!({"public": true, "metadata": {"severity": "high"}, "tags": ["a"]});
        External::new(&system, "project", "alpha", value)
    }

    #[test]
    fn it_is_called_by_its_collection_its_system_and_its_name() {
        assert_eq!(alpha().key().to_string(), "project acme/alpha");
    }

    #[test]
    fn only_fields_that_are_desired_are_compared_and_differences_are_named() {
        let actual = |value| alpha().differences(&value);
        let same = json!({"public": true, "metadata": {"severity": "high", "id": 7}, "tags": ["a"], "id": 1});
        assert_eq!(actual(same), Vec::<String>::new());
        let other = json!({"public": false, "metadata": {"id": 7}, "tags": ["a", "b"]});
        assert_eq!(actual(other), ["metadata.severity", "public", "tags"]);
        assert_eq!(actual(Value::Null), ["value"]);
    }

    #[test]
    fn what_the_system_normalises_is_no_difference() {
        let lower_case: Comparable = |desired, actual| {
            let mut value = comparable(desired, actual);
            if let Some(severity) = value.pointer_mut("/metadata/severity") {
                *severity = severity.as_str().unwrap_or_default().to_lowercase().into();
            }
            value
        };
        let alpha = External { comparable: lower_case, ..alpha() };
        let actual = json!({"public": true, "metadata": {"severity": "HIGH"}, "tags": ["a"]});
        assert_eq!(alpha.differences(&actual), Vec::<String>::new());
        assert_eq!(alpha.change(Some(&actual)), None);
    }

    #[test]
    fn a_change_is_shown_like_any_other_and_without_write_only_values() {
        let mut alpha = alpha();
        let changed = |alpha: &External, actual: Value| {
            let lines = alpha.change(Some(&actual)).map(|change| change.text()).unwrap_or_default();
            let lines = lines.into_iter().filter_map(|shown| match shown {
                Shown::Line(Side::Before, line) => Some(format!("- {line}")),
                Shown::Line(Side::After, line) => Some(format!("+ {line}")),
                Shown::Line(Side::Both, _) | Shown::Gap => None,
            });
            lines.collect::<Vec<_>>()
        };
        let mut actual = alpha.value.clone();
        actual["public"] = false.into();
        assert_eq!(changed(&alpha, actual), ["- public: false", "+ public: true"]);

        alpha.write_only.insert("password".into(), "hunter2".into());
        let same = alpha.value.clone();
        assert_eq!(changed(&alpha, same), ["- password: <masked>", "+ password: <masked, changed>"]);
        assert!(
            !ExternalObject::new(Arc::new(alpha.clone())).to_json().unwrap().to_string().contains("hunter2")
        );
        assert!(!format!("{alpha:?}").contains("hunter2"));
    }
}
