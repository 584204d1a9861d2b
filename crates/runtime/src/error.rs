//! Errors of a reconcile.

use api::names::{ABANDON_ANNOTATION, ADOPT_ANNOTATION};
use kube::core::Status;
pub use plan::Verb;
use plan::{
    Class, Classify, External, IfAbsent, IfExists, ObjectKey, PlanError, Refusal, Subject, SystemError,
    UnreadableRecord, Whole,
};
use std::time::Duration;

/// Why a reconcile failed. Messages name the object and never contain a secret.
#[derive(Debug, thiserror::Error)]
pub enum ReconcileError {
    /// Planning failed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The API server refused a request.
    #[error("cannot {verb} {object}: {}", answer(status))]
    Refused {
        /// The operation.
        verb: Verb,
        /// The object.
        object: ObjectKey,
        /// The answer.
        status: Box<Status>,
    },
    /// The API server could not be reached, or its answer could not be decoded.
    #[error("cannot {verb} {object}: {problem}")]
    Unreachable {
        /// The operation.
        verb: Verb,
        /// The object.
        object: ObjectKey,
        /// The problem.
        problem: String,
    },
    /// A child reports that it failed.
    #[error("{object}: {words}")]
    ChildFailed {
        /// The child.
        object: ObjectKey,
        /// Its message.
        words: String,
    },
    /// An object of another owner has the name of a child.
    #[error(
        "{object} already exists and belongs to {owner}; delete it, or give one of the owners another name"
    )]
    AlreadyOwned {
        /// Which object.
        object: ObjectKey,
        /// The owner.
        owner: ObjectKey,
    },
    /// An object that the operator did not create has the name of a child.
    #[error(
        "{object} already exists and was not created by this operator; delete it, or set the annotation \
         {ADOPT_ANNOTATION}: \"true\" on it to let the operator take it over"
    )]
    AlreadyExists {
        /// Which object.
        object: ObjectKey,
    },
    /// An object outside the cluster that the operator did not create has the name of a child.
    #[error("{object} already exists and was not created by this operator; {remedy}")]
    ExistsOutside {
        /// Which object.
        object: ObjectKey,
        /// What a user can do.
        remedy: String,
    },
    /// An object outside the cluster does not exist, and the operator may not create it.
    #[error("{object} does not exist; {remedy}")]
    MissingOutside {
        /// Which object.
        object: ObjectKey,
        /// What a user can do.
        remedy: String,
    },
    /// An object outside the cluster belongs to an older owner.
    #[error(
        "{what} already belongs to {owner}, which is older; delete one of the two, or let them differ in what they manage"
    )]
    Claimed {
        /// Which object.
        object: ObjectKey,
        /// The object and, where owners may share it, which fields of it.
        what: String,
        /// The older owner.
        owner: ObjectKey,
    },
    /// An object outside the cluster is a part of one that another owner has as a whole.
    #[error("{object} is a part of {whole}, which {owner} manages as a whole; {remedy}")]
    ClaimedAsPart {
        /// Which object.
        object: ObjectKey,
        /// What it is a part of.
        whole: ObjectKey,
        /// The owner of that.
        owner: ObjectKey,
        /// What a user can do.
        remedy: String,
    },
    /// The system in which the operator keeps objects for the owner was replaced by another one of the same name.
    #[error(
        "{system} is not the one for which this object was created, but a later one of the same name; delete this object and \
         create it again to have what it describes in the new one"
    )]
    Replaced {
        /// What people call the system.
        system: String,
    },
    /// A system outside the cluster did not do what was asked.
    #[error("cannot {verb} {object} in {system}: {error}")]
    External {
        /// What was asked.
        verb: Verb,
        /// Of what.
        object: ObjectKey,
        /// The fields that differed, where that is why it was asked.
        fields: Vec<String>,
        /// What people call the system.
        system: String,
        /// The answer.
        error: SystemError,
    },
    /// What the operator created outside the cluster cannot be distinguished from what it did not create.
    #[error(transparent)]
    Unrecorded(UnreadableRecord),
    /// What the operator created outside the cluster keeps its owner from being deleted.
    #[error(
        "{0}; to delete this object and leave what the operator created outside the cluster, set the annotation \
         {ABANDON_ANNOTATION}: \"true\" on it"
    )]
    NotFinalized(Box<ReconcileError>),
    /// Another program keeps changing a child.
    #[error("{object} keeps being changed by another program; {}", culprit(object))]
    Contended {
        /// Which child.
        object: ObjectKey,
    },
    /// The stored object does not have the fields of its kind.
    #[error("the object cannot be decoded: {0}; correct it with `kubectl edit`")]
    Undecodable(String),
    /// The reconcile took too long.
    #[error("the reconcile took longer than {} s and was aborted; the operator retries it", .0.as_secs())]
    DeadlineExceeded(Duration),
    /// Planning took too long.
    #[error(
        "planning took longer than {} s and was aborted; make the object or what it refers to smaller: the operator \
        plans it again when it changes",
        .0.as_secs()
    )]
    TooExpensive(Duration),
    /// A bug.
    #[error("the operator panicked; this is a bug, please report it with the operator's log")]
    Panicked,
    /// A bug.
    #[error("{0}; this is a bug, please report it")]
    Bug(String),
}

impl ReconcileError {
    /// The error for an operation on one object, from the error of the client.
    pub(crate) fn api(verb: Verb, object: &ObjectKey, error: kube::Error) -> Self {
        let object = object.clone();
        match error {
            kube::Error::Api(status) => Self::Refused { verb, object, status },
            // Decoding errors may quote the answer, which may be a Secret.
            kube::Error::SerdeError(_) => {
                Self::Unreachable { verb, object, problem: "the answer cannot be decoded".into() }
            }
            other => Self::Unreachable { verb, object, problem: with_sources(&other) },
        }
    }

    /// The operator must not change an object that has the name of a child.
    pub(crate) fn refused(object: &ObjectKey, refusal: Refusal) -> Self {
        let object = object.clone();
        match refusal {
            Refusal::OwnedBy(owner) | Refusal::ClaimedAsPart(owner) | Refusal::Claimed { owner, .. } => {
                Self::AlreadyOwned { object, owner }
            }
            Refusal::MustExist => Self::Plan(PlanError::Missing([object].into())),
            Refusal::NotCreatedByOperator => Self::AlreadyExists { object },
            Refusal::Invalid(violation) => Self::Plan(PlanError::Invalid(vec![violation])),
        }
    }

    /// The operator must not change, or not create, an object outside the cluster.
    pub(crate) fn refused_outside(object: &ObjectKey, external: &External, refusal: Refusal) -> Self {
        let External { if_exists, if_absent, part_of, .. } = external;
        let key = object.clone();
        match (refusal, if_exists, if_absent, part_of) {
            (Refusal::MustExist, _, IfAbsent::Refuse { remedy } | IfAbsent::CreateOnce { remedy }, _) => {
                Self::MissingOutside { object: key, remedy: remedy.clone() }
            }
            (Refusal::NotCreatedByOperator, IfExists::Refuse { remedy }, ..) => {
                Self::ExistsOutside { object: key, remedy: remedy.clone() }
            }
            (Refusal::Claimed { owner, fields }, ..) => {
                let of = if fields.is_empty() { String::new() } else { format!("{} of ", fields.join(", ")) };
                Self::Claimed { what: format!("{of}{object}"), object: key, owner }
            }
            (Refusal::ClaimedAsPart(owner), .., Some(Whole { object: whole, remedy })) => {
                Self::ClaimedAsPart { object: key, whole: whole.clone(), owner, remedy: remedy.clone() }
            }
            (refusal, ..) => Self::refused(object, refusal),
        }
    }

    /// Whether what was asked for is not there: the object, its namespace, or its kind.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Refused { status, .. } if status.code == 404)
    }
}

fn answer(status: &Status) -> String {
    match status.message.as_str() {
        "" => format!("{} {}", status.code, status.reason),
        message => message.to_owned(),
    }
}

/// How to find the program that changes an object.
fn culprit(object: &ObjectKey) -> &'static str {
    match object.system() {
        Some(_) => "the audit log of its system may show by which one",
        None => "`kubectl get --show-managed-fields -o yaml` shows by which one",
    }
}

/// OwnerReferencesPermissionEnforcement refuses what belongs to a kind installed less than half a minute ago: it looks
/// for new kinds no oftener. Only its words tell that from a missing permission.
fn knows_no_owner_yet(status: &Status) -> bool {
    status.message.contains("cannot find RESTMapping")
}

/// The message of an error with those of its sources, because errors of clients often only state that they failed.
pub fn with_sources(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_message = inner.to_string();
        if !message.contains(&inner_message) {
            message = format!("{message}: {inner_message}");
        }
        source = inner.source();
    }
    message
}

impl Classify for ReconcileError {
    fn class(&self) -> Class {
        match self {
            Self::Plan(error) => error.class(),
            Self::NotFinalized(error) => error.class(),
            Self::Refused { status, .. } => match status.code {
                400 | 405 | 413 | 415 | 422 => Class::Invalid,
                403 if knows_no_owner_yet(status) => Class::Transient,
                401 | 403 => Class::Forbidden,
                409 => Class::Conflict,
                _ => Class::Transient,
            },
            Self::Unreachable { .. } | Self::Contended { .. } | Self::DeadlineExceeded(_) => Class::Transient,
            Self::ChildFailed { .. } | Self::MissingOutside { .. } => Class::Dependency,
            Self::AlreadyOwned { .. }
            | Self::AlreadyExists { .. }
            | Self::ExistsOutside { .. }
            | Self::Claimed { .. }
            | Self::ClaimedAsPart { .. }
            | Self::Replaced { .. } => Class::Conflict,
            Self::External { error, .. } => error.class(),
            Self::Unrecorded(_) | Self::Undecodable(_) | Self::TooExpensive(_) => Class::Invalid,
            Self::Panicked | Self::Bug(_) => Class::Internal,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Plan(error) => error.reason(),
            Self::NotFinalized(error) => error.reason(),
            Self::Refused { .. } => match self.class() {
                Class::Invalid => "Rejected",
                Class::Forbidden => "Forbidden",
                Class::Conflict => "Conflict",
                _ => "ApiServerError",
            },
            Self::Unreachable { .. } => "ApiServerUnreachable",
            Self::ChildFailed { .. } => "ChildFailed",
            Self::AlreadyOwned { .. } => "AlreadyOwned",
            Self::AlreadyExists { .. } | Self::ExistsOutside { .. } => "AlreadyExists",
            Self::MissingOutside { .. } => "Missing",
            Self::Claimed { .. } | Self::ClaimedAsPart { .. } => "Conflict",
            Self::Replaced { .. } => "ExternalReplaced",
            Self::External { error, .. } => error.reason(),
            Self::Contended { .. } => "Contended",
            Self::Unrecorded(_) | Self::Undecodable(_) => "Undecodable",
            Self::DeadlineExceeded(_) => "DeadlineExceeded",
            Self::TooExpensive(_) => "TooExpensive",
            Self::Panicked => "Panicked",
            Self::Bug(_) => "Bug",
        }
    }

    fn subject(&self) -> Subject {
        let done = |verb: Verb, object| Subject { verb: Some(verb), ..Subject::of(object) };
        match self {
            Self::Plan(error) => error.subject(),
            Self::NotFinalized(error) => Subject { verb: Some(Verb::Delete), ..error.subject() },
            Self::Refused { verb, object, .. } | Self::Unreachable { verb, object, .. } => {
                done(*verb, object)
            }
            Self::External { verb, object, fields, .. } => {
                Subject { fields: fields.clone(), ..done(*verb, object) }
            }
            Self::ChildFailed { object, .. }
            | Self::AlreadyOwned { object, .. }
            | Self::AlreadyExists { object }
            | Self::ExistsOutside { object, .. }
            | Self::MissingOutside { object, .. }
            | Self::Claimed { object, .. }
            | Self::ClaimedAsPart { object, .. }
            | Self::Contended { object } => Subject::of(object),
            Self::Replaced { .. }
            | Self::Unrecorded(_)
            | Self::Undecodable(_)
            | Self::DeadlineExceeded(_)
            | Self::TooExpensive(_)
            | Self::Panicked
            | Self::Bug(_) => Subject::default(),
        }
    }

    fn stalls(&self) -> bool {
        let is_stuck = matches!(
            self,
            Self::ChildFailed { .. }
                | Self::AlreadyOwned { .. }
                | Self::AlreadyExists { .. }
                | Self::ExistsOutside { .. }
                | Self::MissingOutside { .. }
                | Self::Claimed { .. }
                | Self::ClaimedAsPart { .. }
                | Self::Replaced { .. }
        );
        is_stuck || matches!(self.class(), Class::Invalid | Class::Forbidden | Class::Internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(message: &str) -> ReconcileError {
        let object = ObjectKey::new("", "ConfigMap", "ns", "one");
        let status = Box::new(Status::failure(message, "Forbidden").with_code(403));
        ReconcileError::Refused { verb: Verb::Apply, object, status }
    }

    #[test]
    fn an_unknown_kind_of_owner_is_transient_and_a_missing_permission_is_not() {
        let new = refused(
            "configmaps \"one\" is forbidden: cannot set blockOwnerDeletion in this case because cannot find \
             RESTMapping for APIVersion goharbor.io/v1beta1 Kind Harbor: no matches for kind \"Harbor\"",
        );
        assert_eq!((new.class(), new.reason(), new.stalls()), (Class::Transient, "ApiServerError", false));
        let missing = refused(
            "configmaps \"one\" is forbidden: User \"operator\" cannot patch resource \"configmaps\"",
        );
        assert_eq!(
            (missing.class(), missing.reason(), missing.stalls()),
            (Class::Forbidden, "Forbidden", true)
        );
    }
}
