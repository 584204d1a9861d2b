//! What a reconcile ended with, for the fields of a status that only one kind has.

use crate::{Clock, ObjectKey, Record, Subject, System, Verdict};
use api::v1beta1::{ComponentStatus, rotation::RotationStatus};
use jiff::Timestamp;
use kube::core::DynamicObject;
use serde_json::{Map, Value};
use std::{collections::BTreeMap, sync::Arc};

/// Objects outside the cluster, as their systems last described them.
pub type ExternalObjects = BTreeMap<ObjectKey, Arc<DynamicObject>>;

/// What a reconcile ended with.
#[derive(Clone, Copy, Debug)]
pub struct Conclusion<'a> {
    /// The result.
    pub verdict: &'a Verdict,
    /// What the failure or the wait is about that the verdict reports.
    pub cause: Option<&'a Subject>,
    /// The time.
    pub clock: &'a Clock,
    /// The fields of the status that every kind has.
    pub status: &'a ComponentStatus,
    /// The fields of the status that only this kind has, as they are stored.
    pub previous: &'a Map<String, Value>,
    /// The objects outside the cluster that the owner has or read, as far as they exist.
    pub external: &'a ExternalObjects,
    /// The objects outside the cluster that the operator keeps for the owner.
    pub record: &'a Record,
    /// See [`crate::Outlook::rotations`]; `None` if planning never succeeded.
    pub rotations: Option<&'a [RotationStatus]>,
    /// When the operator last wrote an object outside the cluster for this owner, if that was since its start.
    pub written: Option<Timestamp>,
}

impl<'a> Conclusion<'a> {
    /// An object outside the cluster that the owner has or read; `None` if it does not exist.
    pub fn external(&self, system: &System, collection: &str, name: &str) -> Option<&'a Value> {
        self.external.get(&ObjectKey::external(system, collection, name)).map(|object| &object.data)
    }
}
