//! What to do about one object.

use crate::{ObjectKey, Violation};

/// What to do about one desired object. `N` identifies a node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action<N> {
    /// Nothing: the object is as it should be, or must not be changed.
    Nothing,
    /// Do not create it yet: it waits for this node.
    Blocked {
        /// The node.
        by: N,
    },
    /// Leave the existing object unchanged until the rollout of its dependencies has come far enough.
    Hold,
    /// Read the object and resolve again: the observation does not contain enough for a decision.
    Read,
    /// Wait for it: another program creates it.
    Await,
    /// Apply it. A Secret with a certificate keeps the one that it holds.
    Apply(Apply),
    /// Create it. If another program creates an object of the same name first, use that one unchanged.
    Create,
    /// Write it to the system outside the cluster that it lives in.
    Update {
        /// The fields that differ.
        fields: Vec<String>,
    },
    /// Add an item to one of its lists.
    Amend,
    /// Issue a certificate, and apply the Secret with it.
    Issue(Apply),
    /// Replace generated htpasswd lines that have a high bcrypt cost. The password stays.
    Rehash,
    /// Write only the owner, or the annotation that replaces it.
    SetOwner,
    /// Leave it unchanged and report why.
    Refuse(Refusal),
}

/// How an object is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apply {
    /// It does not exist. If another program creates an object of the same name first, the API server refuses the apply
    /// with a conflict.
    New,
    /// It is a child of the owner.
    Child,
    /// It is a child of the owner, and another program has changed fields that the operator owns.
    Repair,
    /// It may become a child of the owner, after the operator has removed the fields of the old operator, and owners with
    /// these uids, from it.
    HandOver(Vec<String>),
}

/// Why the operator leaves an object unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It belongs to another owner.
    OwnedBy(ObjectKey),
    /// Neither the operator nor the old operator created it.
    NotCreatedByOperator,
    /// It does not exist, and the operator may not create it.
    MustExist,
    /// It lives outside the cluster, and an older owner has it, or these fields of it.
    Claimed {
        /// The older owner.
        owner: ObjectKey,
        /// The fields; none for the whole object.
        fields: Vec<String>,
    },
    /// It lives outside the cluster, and is a part of an object that this owner has.
    ClaimedAsPart(ObjectKey),
    /// It cannot be as desired.
    Invalid(Violation),
}
