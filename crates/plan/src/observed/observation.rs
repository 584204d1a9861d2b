//! An object as a watch delivers it.

use super::{ObjectVersion, OwnedFields, Ownership, Provenance, applied_digest, entries, is_apply};
use crate::{Digest, Health, ObjectKey, Restarted};
use api::names::IMMUTABLE_ANNOTATION;
use jiff::Timestamp;
use kube::core::{ApiResource, DynamicObject, ObjectMeta};
use serde_json::Value;
use std::collections::BTreeSet;

/// An object as a watch last delivered it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Distinguishes the object from a later object of the same name.
    pub uid: String,
    /// Resource version of the whole object.
    pub resource_version: String,
    /// See [`ObjectVersion::spec_hash`].
    pub spec_hash: u64,
    /// State of the fields that the operator owns.
    pub owned_fields: OwnedFields,
    /// Digest of the fields that the operator owns and of their values, see [`applied_digest`]; `None` if only the
    /// metadata is known.
    pub applied: Option<Digest>,
    /// The owner it belongs to.
    pub owner: Option<Ownership>,
    /// Its health, according to its status.
    pub health: Health,
    /// How many pods it has, if its status has the number.
    pub replicas: Option<i32>,
    /// The values that its pods have restarted for.
    pub restarted: Restarted,
    /// When it expires, if it is a Certificate of cert-manager.
    pub expires: Option<Timestamp>,
    /// Which program created it.
    pub provenance: Provenance,
    /// Whether the old operator still owns fields of it.
    pub unadopted: bool,
    /// Whether the operator must not change it.
    pub immutable: bool,
    /// Whether it is being deleted.
    pub deleting: bool,
}

/// An object that a watch delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedObject {
    /// Which object.
    pub key: ObjectKey,
    /// Its observed state.
    pub observation: Observation,
}

impl ObservedObject {
    /// Observes the metadata of an object of the given kind; `None` if it has no name, which the API server never
    /// sends.
    pub fn of(
        resource: &ApiResource,
        meta: &ObjectMeta,
        health: Health,
        predecessors: &BTreeSet<String>,
    ) -> Option<Self> {
        let namespace = meta.namespace.as_deref().unwrap_or_default();
        let key = ObjectKey::dynamic(resource, namespace, meta.name.as_deref()?);
        let ObjectVersion { version: resource_version, spec_hash } = ObjectVersion::of(meta);
        let immutable = meta.annotations.as_ref().and_then(|all| all.get(IMMUTABLE_ANNOTATION));
        let observation = Observation {
            uid: meta.uid.clone().unwrap_or_default(),
            resource_version,
            spec_hash,
            owned_fields: OwnedFields::of(meta),
            applied: None,
            owner: Ownership::of(meta, namespace),
            health,
            replicas: None,
            restarted: Restarted::of(meta.labels.as_ref()),
            expires: None,
            provenance: Provenance::of(meta, predecessors),
            unadopted: entries(meta).any(|(manager, it)| !is_apply(it) && predecessors.contains(manager)),
            immutable: immutable.is_some_and(|value| value == "true"),
            deleting: meta.deletion_timestamp.is_some(),
        };
        Some(Self { key, observation })
    }

    /// Adds the fields that come from the status: number of pods, time of expiry.
    #[must_use]
    pub fn with_status(mut self, object: &DynamicObject) -> Self {
        let replicas = object.data.pointer("/status/replicas").and_then(Value::as_i64);
        self.observation.replicas = replicas.and_then(|replicas| replicas.try_into().ok());
        let expires = object.data.pointer("/status/notAfter").and_then(Value::as_str);
        self.observation.expires = expires.and_then(|expires| expires.parse().ok());
        self
    }

    /// Adds the digest of the fields that the operator applied.
    #[must_use]
    pub fn with_applied(mut self, object: &DynamicObject, resource: &ApiResource) -> Self {
        self.observation.applied = applied_digest(object, &resource.api_version);
        self
    }
}

impl Observation {
    /// Whether a difference is relevant for the owner. The resource version alone is not: every update of the status
    /// changes it.
    pub fn differs_materially(&self, other: &Self) -> bool {
        let comparable = |observation: &Self| Self {
            resource_version: String::new(),
            spec_hash: 0,
            applied: None,
            ..observation.clone()
        };
        comparable(self) != comparable(other)
    }

    /// The version of the object.
    pub fn object_version(&self) -> ObjectVersion {
        ObjectVersion { version: self.resource_version.clone(), spec_hash: self.spec_hash }
    }

    /// Whether this state is older than `resource_version`. Not if the two versions cannot be compared.
    pub fn is_older_than(&self, resource_version: &str) -> bool {
        match (self.resource_version.parse::<u64>(), resource_version.parse::<u64>()) {
            (Ok(this), Ok(other)) => this < other,
            _ => false,
        }
    }
}
