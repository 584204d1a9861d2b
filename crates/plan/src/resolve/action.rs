//! What to do about one object.

use crate::ObjectKey;

/// What to do about one desired object. `N` names a node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action<N> {
    /// Nothing: the object is as it should be, or must not be changed.
    Nothing,
    /// Do not create it yet: this node has to come first.
    Blocked {
        /// The node.
        by: N,
    },
    /// Leave the object that exists as it is until its dependencies have come far enough.
    Hold,
    /// Read the object and resolve again: what is known does not suffice.
    Read,
    /// Observe it: another program makes it.
    Await,
    /// Apply it.
    Apply(Apply),
    /// Create it; a namesake that was created meanwhile is used as it is.
    Create,
    /// Write it to the system outside the cluster that it lives in.
    Update {
        /// The fields that differ.
        fields: Vec<String>,
    },
    /// Issue a certificate into it, if the one that it holds does not serve.
    Issue,
    /// Write only the owner, or the annotation that replaces it.
    SetOwner,
    /// Leave it alone and tell the user why.
    Refuse(Refusal),
}

/// How an object is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apply {
    /// It does not exist. A namesake that was created meanwhile is not changed: the API server answers with a conflict.
    New,
    /// It is a child of the owner.
    Child,
    /// It is a child of the owner, and another program has changed fields that the operator owns.
    Repair,
    /// It may become a child of the owner, after the operator has removed the fields of the old operator, and owners with
    /// these uids, from it.
    HandOver(Vec<String>),
}

/// Why an object is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It belongs to another owner.
    OwnedBy(ObjectKey),
    /// Neither the operator nor the old operator created it.
    NotCreatedByOperator,
}
