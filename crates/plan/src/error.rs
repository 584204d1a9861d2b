//! Why a plan could not be made.

use crate::{Class, Classify, ObjectKey};
use kube::Resource;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

/// Why a plan could not be made. Each variant is one thing a user can do something about.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Not a failure: these have not been looked up yet. [`crate::plan`] turns it into [`crate::Planned::Needs`].
    #[error("{} not been read yet", have(.0))]
    Unread(BTreeSet<ObjectKey>),
    /// Referenced objects do not exist (yet); their watch brings us back.
    #[error("{} not exist; create {}", does(.0), it(.0))]
    Missing(BTreeSet<ObjectKey>),
    /// Referenced objects exist without a value in them (yet): other programs fill them; their watch brings us back.
    #[error("{} no value yet; fill {}, or wait for the program that does", hold(.0), it(.0))]
    Unfilled(BTreeSet<ObjectKey>),
    /// Kinds that the cluster does not serve (yet), and what to install for each; their watch brings us back.
    #[error("{}", unserved(.0))]
    Unserved(BTreeMap<ObjectKey, String>),
    /// Other objects, which change together with this one, have not changed yet; their watch brings us back.
    #[error("{}", unsettled(.0))]
    Unsettled(BTreeMap<ObjectKey, String>),
    /// The object asks for something that cannot be.
    #[error("{}", joined(.0))]
    Invalid(Vec<Violation>),
}

/// One thing that is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The field or the object that is wrong: `spec.database.hosts`, `Secret harbor/csrf`.
    pub subject: String,
    /// What is wrong with it; never contains a secret.
    pub problem: String,
    /// What the user can do.
    pub remedy: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.subject, self.problem, self.remedy)
    }
}

impl PlanError {
    /// A single [`Violation`].
    pub fn invalid(
        subject: impl fmt::Display,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self::Invalid(vec![Violation {
            subject: subject.to_string(),
            problem: problem.into(),
            remedy: remedy.into(),
        }])
    }

    /// The cluster does not serve `K`, and would if `what_to_install` were.
    pub fn unserved<K: Resource<DynamicType = ()>>(what_to_install: &str) -> Self {
        Self::Unserved([(ObjectKey::kind_of::<K>(), what_to_install.to_owned())].into())
    }

    /// An object that changes together with this one has not changed yet.
    pub fn unsettled(object: ObjectKey, why: impl Into<String>) -> Self {
        Self::Unsettled([(object, why.into())].into())
    }

    /// The same error, which says nothing twice: a name that is none may be asked for by several readers.
    pub(crate) fn without_repetition(self) -> Self {
        let Self::Invalid(mut violations) = self else { return self };
        let mut told = BTreeSet::new();
        violations.retain(|violation| told.insert(violation.clone()));
        Self::Invalid(violations)
    }

    /// Both errors in one, so that a user learns of everything at once.
    ///
    /// What has not been read hides the rest: it may go away. What is invalid hides what is missing or has no value, and
    /// a missing kind hides missing objects, which hide those without a value: what is read may depend on it. What only
    /// needs time hides nothing.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        use PlanError::{Invalid, Missing, Unfilled, Unread, Unserved, Unsettled};
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
            Self::Invalid(_) => Class::Invalid,
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::Unread(_) => "Unread",
            Self::Missing(_) | Self::Unfilled(_) => "DependencyMissing",
            Self::Unserved(_) => "KindMissing",
            Self::Unsettled(_) => "ChildrenNotReady",
            Self::Invalid(_) => "InvalidSpec",
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
    let words = |(kind, install): (&ObjectKey, &String)| {
        format!("the cluster does not serve {kind}; install {install}")
    };
    joined(&kinds.iter().map(words).collect::<Vec<_>>())
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
    fn objects_without_a_value_are_waited_for_after_those_that_are_missing() {
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
