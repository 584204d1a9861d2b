//! Errors of planning.

use crate::{Class, Classify, ObjectKey, Subject};
use kube::Resource;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Why a component could not be planned. A user can resolve each of these errors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Not a failure: these objects have not been read yet. [`crate::plan`] turns it into [`crate::Planned::Needs`].
    #[error("{} not been read yet", have(.0))]
    Unread(BTreeSet<ObjectKey>),
    /// Referenced objects do not exist (yet). Their watch triggers the next reconcile.
    #[error("{} not exist; create {}", does(.0), it(.0))]
    Missing(BTreeSet<ObjectKey>),
    /// Referenced objects exist but have no value (yet). Another program sets it, and the watch triggers the next
    /// reconcile.
    #[error("{} no value yet; fill {}, or wait for the program that does", hold(.0), it(.0))]
    Unfilled(BTreeSet<ObjectKey>),
    /// Kinds that the API server does not serve (yet), and what to install for each. Their watch triggers the next
    /// reconcile.
    #[error("{}", unserved(.0))]
    Unserved(BTreeMap<ObjectKey, String>),
    /// Other objects, which change together with this one, have not changed yet. Their watch triggers the next
    /// reconcile.
    #[error("{}", unsettled(.0))]
    Unsettled(BTreeMap<ObjectKey, String>),
    /// The spec is valid, and another object or setting prevents what it asks for until a user changes that.
    #[error("{violation}")]
    Prevented {
        /// One `PascalCase` word for programs.
        reason: &'static str,
        /// The field, what prevents it, and what to change.
        violation: Violation,
    },
    /// The spec is invalid.
    #[error("{}", joined(.0))]
    Invalid(Vec<Violation>),
}

/// One problem of a spec or an object: where it is, what it is, and how to resolve it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The field or the object with the problem: `spec.database.hosts`, `Secret harbor/csrf`.
    pub subject: String,
    /// The problem. Never contains a secret.
    pub problem: String,
    /// How the user can resolve it.
    pub remedy: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.subject, self.problem, self.remedy)
    }
}

impl Violation {
    /// A problem of a field or an object.
    pub fn new(subject: impl fmt::Display, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { subject: subject.to_string(), problem: problem.into(), remedy: remedy.into() }
    }
}

impl PlanError {
    /// A single [`Violation`].
    pub fn invalid(
        subject: impl fmt::Display,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Invalid(vec![Violation::new(subject, problem, remedy)])
    }

    /// The API server does not serve `K`. It will once a user installs `what_to_install`.
    pub fn unserved<K: Resource<DynamicType = ()>>(what_to_install: &str) -> Self {
        Self::Unserved([(ObjectKey::kind_of::<K>(), what_to_install.to_owned())].into())
    }

    /// An object that changes together with this one has not changed yet.
    pub fn unsettled(object: ObjectKey, why: impl Into<String>) -> Self {
        Self::Unsettled([(object, why.into())].into())
    }

    /// The same error without duplicates: several readers may report the same invalid name.
    pub(crate) fn without_repetition(self) -> Self {
        let Self::Invalid(mut violations) = self else { return self };
        let mut seen = BTreeSet::new();
        violations.retain(|violation| seen.insert(violation.clone()));
        Self::Invalid(violations)
    }

    /// Combines both errors, so that a user sees all problems at once.
    ///
    /// [`Self::Unread`] hides all other errors, because reading may resolve them. Then come [`Self::Invalid`],
    /// [`Self::Prevented`], [`Self::Unserved`], [`Self::Missing`] and [`Self::Unfilled`]: each hides those after it, because
    /// they may be its consequences. [`Self::Unsettled`] hides nothing, because it only needs time.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        use PlanError::{Invalid, Missing, Prevented, Unfilled, Unread, Unserved, Unsettled};
        match (self, other) {
            (Unread(mut a), Unread(b)) => {
                a.extend(b);
                Unread(a)
            }
            (unread @ Unread(_), _) | (_, unread @ Unread(_)) => unread,
            (Invalid(mut a), Invalid(b)) => {
                a.extend(b);
                Invalid(a)
            }
            (invalid @ Invalid(_), _) | (_, invalid @ Invalid(_)) => invalid,
            (prevented @ Prevented { .. }, _) | (_, prevented @ Prevented { .. }) => prevented,
            (Unserved(mut a), Unserved(b)) => {
                a.extend(b);
                Unserved(a)
            }
            (unserved @ Unserved(_), _) | (_, unserved @ Unserved(_)) => unserved,
            (Missing(mut a), Missing(b)) => {
                a.extend(b);
                Missing(a)
            }
            (missing @ Missing(_), Unfilled(_)) | (Unfilled(_), missing @ Missing(_)) => missing,
            (Unfilled(mut a), Unfilled(b)) => {
                a.extend(b);
                Unfilled(a)
            }
            (Unsettled(mut a), Unsettled(b)) => {
                a.extend(b);
                Unsettled(a)
            }
            (Unsettled(_), other) | (other, Unsettled(_)) => other,
        }
    }
}

impl Classify for PlanError {
    fn class(&self) -> Class {
        match self {
            Self::Unread(_) => Class::Internal,
            Self::Missing(_) | Self::Unfilled(_) | Self::Unserved(_) | Self::Unsettled(_) => {
                Class::Dependency
            }
            Self::Prevented { .. } | Self::Invalid(_) => Class::Invalid,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Unread(_) => "Unread",
            Self::Missing(_) | Self::Unfilled(_) => "DependencyMissing",
            Self::Unserved(_) => "KindMissing",
            Self::Unsettled(_) => "ChildrenNotReady",
            Self::Prevented { reason, .. } => reason,
            Self::Invalid(_) => "InvalidSpec",
        }
    }

    fn subject(&self) -> Subject {
        let field = |violation: &Violation| violation.subject.clone();
        match self {
            Self::Unread(keys) | Self::Missing(keys) | Self::Unfilled(keys) => {
                keys.first().map(Subject::of).unwrap_or_default()
            }
            Self::Unserved(kinds) => kinds.keys().next().map(Subject::of).unwrap_or_default(),
            Self::Unsettled(objects) => objects.keys().next().map(Subject::of).unwrap_or_default(),
            Self::Prevented { violation, .. } => {
                Subject { fields: vec![field(violation)], ..Subject::default() }
            }
            Self::Invalid(violations) => {
                Subject { fields: violations.iter().map(field).collect(), ..Subject::default() }
            }
        }
    }
}

fn have(keys: &BTreeSet<ObjectKey>) -> String {
    format!("{} {}", joined(keys), if keys.len() == 1 { "has" } else { "have" })
}

fn does(keys: &BTreeSet<ObjectKey>) -> String {
    format!("{} {}", joined(keys), if keys.len() == 1 { "does" } else { "do" })
}

fn hold(keys: &BTreeSet<ObjectKey>) -> String {
    format!("{} {}", joined(keys), if keys.len() == 1 { "holds" } else { "hold" })
}

fn it(keys: &BTreeSet<ObjectKey>) -> &'static str {
    if keys.len() == 1 { "it" } else { "them" }
}

fn unserved(kinds: &BTreeMap<ObjectKey, String>) -> String {
    let message = |(kind, install): (&ObjectKey, &String)| {
        format!("the cluster does not serve {kind}; install {install}")
    };
    joined(&kinds.iter().map(message).collect::<Vec<_>>())
}

fn unsettled(objects: &BTreeMap<ObjectKey, String>) -> String {
    joined(&objects.iter().map(|(object, why)| format!("{object} {why}")).collect::<Vec<_>>())
}

fn joined<'a, T: fmt::Display + 'a>(items: impl IntoIterator<Item = &'a T>) -> String {
    items.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::thirdparty::cert_manager::{Certificate, Issuer};
    use k8s_openapi::api::core::v1::Secret;

    #[test]
    fn a_kind_that_is_not_served_is_named_with_what_to_install() {
        let error = PlanError::unserved::<Certificate>("cert-manager");
        let expected = "the cluster does not serve Certificate of cert-manager.io; install cert-manager";
        assert_eq!(error.to_string(), expected);
        assert_eq!((error.class(), error.reason()), (Class::Dependency, "KindMissing"));
    }

    #[test]
    fn missing_objects_are_reported_before_objects_without_a_value() {
        let key = |name: &str| ObjectKey::of::<Secret>("ns", name);
        let unfilled = |name| PlanError::Unfilled([key(name)].into());
        let both = unfilled("a").and(unfilled("b"));
        let expected =
            "Secret ns/a, Secret ns/b hold no value yet; fill them, or wait for the program that does";
        assert_eq!(both.to_string(), expected);
        assert_eq!((both.class(), both.reason()), (Class::Dependency, "DependencyMissing"));
        let missing = PlanError::Missing([key("c")].into());
        assert_eq!(both.and(missing.clone()), missing);
    }

    #[test]
    fn missing_kinds_are_named_together_and_before_missing_objects() {
        let (certificate, issuer) =
            (PlanError::unserved::<Certificate>("one"), PlanError::unserved::<Issuer>("two"));
        let missing = PlanError::Missing([ObjectKey::of::<Secret>("ns", "s")].into());
        let expected = PlanError::Unserved(
            [
                (ObjectKey::kind_of::<Certificate>(), "one".to_owned()),
                (ObjectKey::kind_of::<Issuer>(), "two".to_owned()),
            ]
            .into(),
        );
        assert_eq!(certificate.and(missing).and(issuer), expected);
    }
}
