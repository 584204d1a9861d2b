//! What was done to children that a user would ask about afterwards.
//!
//! That children were created or changed as the spec asks is no such thing: who changed the spec knows. That pods restart,
//! that something is deleted, taken over or renewed is, and why.

use api::names::ABANDON_ANNOTATION;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::{Event, EventType};
use plan::ObjectKey;
use std::fmt;

/// Something that was done to a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChildChange {
    pub(crate) object: ObjectKey,
    pub(crate) kind: ChangeKind,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// Fields of the old operator's became ours.
    Adopted,
    /// A certificate was issued in place of another, for this reason.
    Renewed(String),
    /// Pods are replaced.
    RollingOut(RolloutReason),
    /// It was deleted because it is no longer wanted.
    Deleted,
    /// It was freed from an owner that only the old operator had given it.
    Released,
    /// It stays outside the cluster, although the operator created it and no owner wants it any more.
    Abandoned,
}

/// Why pods are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RolloutReason {
    /// They run another image, this one.
    Image(String),
    /// The content of these inputs has changed; without any, the rest of the template.
    Inputs(Vec<ObjectKey>),
}

impl fmt::Display for RolloutReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Image(image) => write!(f, "their image is {image} now"),
            Self::Inputs(inputs) => match inputs.as_slice() {
                [] => f.write_str("their template changed"),
                [input] => write!(f, "{input} changed"),
                [input, others @ ..] => write!(f, "{input} and {} more changed", others.len()),
            },
        }
    }
}

impl ChangeKind {
    /// The word for programs, and the verb.
    fn words(&self) -> (&'static str, &'static str) {
        match self {
            Self::Adopted => ("Adopted", "Adopt"),
            Self::Renewed(_) => ("CertificateRenewed", "Renew"),
            Self::RollingOut(_) => ("RollingOut", "Apply"),
            Self::Deleted => ("Deleted", "Delete"),
            Self::Released => ("Released", "Release"),
            Self::Abandoned => ("Abandoned", "Delete"),
        }
    }
}

impl ChildChange {
    fn sentence(&self) -> String {
        let object = &self.object;
        match &self.kind {
            ChangeKind::Adopted => format!("took over {object} from the old operator"),
            ChangeKind::Renewed(why) => format!("issued a new certificate into {object}: {why}"),
            ChangeKind::RollingOut(why) => format!("{object} replaces its pods because {why}"),
            ChangeKind::Deleted => format!("deleted {object}, which is no longer wanted"),
            ChangeKind::Abandoned => {
                format!("left {object} as it is: its system is gone, or {ABANDON_ANNOTATION} is set")
            }
            ChangeKind::Released => {
                format!("{object} is no longer deleted with this object: another program created it")
            }
        }
    }
}

/// One event for all that is of one sort: twenty children that are taken over at once are one piece of news.
pub(crate) fn events(child_changes: &[ChildChange]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut told = Vec::new();
    for first in child_changes {
        let (reason, action) = first.kind.words();
        if told.contains(&reason) {
            continue;
        }
        told.push(reason);
        let alike = child_changes.iter().filter(|other| other.kind.words().0 == reason).count();
        let others = match alike - 1 {
            0 => String::new(),
            others => format!(" (and {others} more)"),
        };
        events.push(Event {
            type_: EventType::Normal,
            reason: reason.into(),
            note: Some(format!("{}{others}", first.sentence())),
            action: action.into(),
            secondary: Some(reference(&first.object)),
        });
    }
    events
}

fn reference(key: &ObjectKey) -> ObjectReference {
    ObjectReference {
        kind: Some(key.kind.clone()),
        namespace: Some(key.namespace.clone()),
        name: Some(key.name.clone()),
        ..ObjectReference::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use k8s_openapi::api::{apps::v1::Deployment, core::v1::Secret};

    fn told(child_changes: &[ChildChange]) -> Vec<(String, String)> {
        events(child_changes).into_iter().map(|event| (event.reason, event.note.unwrap())).collect()
    }

    #[test]
    fn what_is_of_one_sort_is_told_once() {
        let adopted = |name: &str| ChildChange {
            object: ObjectKey::of::<Secret>("ns", name),
            kind: ChangeKind::Adopted,
        };
        let deleted = ChildChange { kind: ChangeKind::Deleted, ..adopted("d") };
        assert_eq!(
            told(&[adopted("a"), deleted, adopted("b"), adopted("c")]),
            [
                ("Adopted".into(), "took over Secret ns/a from the old operator (and 2 more)".into()),
                ("Deleted".into(), "deleted Secret ns/d, which is no longer wanted".into()),
            ]
        );
    }

    #[test]
    fn pods_that_restart_are_told_with_the_reason() {
        let because = |why| {
            let object = ObjectKey::of::<Deployment>("ns", "core");
            told(&[ChildChange { object, kind: ChangeKind::RollingOut(why) }]).remove(0).1
        };
        let of = |inputs: &[&str]| {
            because(RolloutReason::Inputs(
                inputs.iter().map(|name| ObjectKey::of::<Secret>("ns", name)).collect(),
            ))
        };
        assert_eq!(of(&[]), "Deployment ns/core replaces its pods because their template changed");
        assert_eq!(of(&["a"]), "Deployment ns/core replaces its pods because Secret ns/a changed");
        assert_eq!(
            of(&["a", "b", "c"]),
            "Deployment ns/core replaces its pods because Secret ns/a and 2 more changed"
        );
        assert_eq!(
            because(RolloutReason::Image("goharbor/harbor-core:v2.13.2".into())),
            "Deployment ns/core replaces its pods because their image is goharbor/harbor-core:v2.13.2 now"
        );
    }
}
