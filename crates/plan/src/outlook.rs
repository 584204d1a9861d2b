//! What an owner goes on to, and what its clients see, beyond the children that it should have now.

use crate::ObjectKey;
use api::v1beta1::rotation::RotationStatus;
use jiff::Timestamp;
use std::collections::BTreeSet;

/// One of the steps that lead to what a spec asks for, such as one version of an upgrade over several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStep {
    /// What it leads to, such as `Harbor 2.11.2`.
    pub name: String,
    /// What a user should know or decide before, by subject.
    pub points: Vec<Point>,
}

/// Something that a user should know of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// The subject, such as `Downtime`.
    pub about: &'static str,
    /// What to know.
    pub text: String,
}

/// The steps that lead to what a spec asks for, and what clients see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlook {
    /// The steps that are under way or ahead, in order. None if the spec asks for nothing that takes steps.
    pub steps: Vec<PlannedStep>,
    /// If the next step waits: the child that it concerns, and what it waits for.
    pub waits: Option<(ObjectKey, String)>,
    /// The certificate that clients see.
    pub certificate: Option<ServedCertificate>,
    /// The credentials that were rotated, or are about to be.
    pub rotations: Vec<RotationStatus>,
    /// Generated values that newer ones have replaced. The operator deletes them when they are no longer desired, although they
    /// are marked as immutable.
    pub replaced: BTreeSet<ObjectKey>,
}

/// A certificate that clients of an owner see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedCertificate {
    /// The Secret that holds it.
    pub secret: ObjectKey,
    /// When it expires. `None` if the operator issues it, and if the Secret does not hold one yet.
    pub expires: Option<Timestamp>,
}
