//! Events about changes of children that a user may ask about later.
//!
//! There are no events when the operator creates or changes children as the spec requires: the user who changed the
//! spec knows. There are events, with the reason, when pods restart and when a child is deleted, taken over or
//! renewed.

use api::names::ABANDON_ANNOTATION;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::runtime::events::{Event, EventType};
use plan::{Announcement, ObjectKey};
use std::fmt;

/// A change that the operator made to a child.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChildChange {
    pub(crate) object: ObjectKey,
    pub(crate) kind: ChangeKind,
}

/// The kind of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    /// The operator took over the fields of the old operator.
    Adopted,
    /// The operator replaced a certificate, for this reason.
    Renewed(String),
    /// Pods are replaced.
    RollingOut(RolloutReason),
    /// The operator deleted it because its owner no longer wants it.
    Deleted,
    /// The operator removed an owner reference that the old operator had set.
    Released,
    /// The operator added an item to it, as the text says. Another program manages it.
    Amended(String),
    /// The operator changed it outside the cluster, and users get this event.
    Announced(Announcement),
    /// It stays outside the cluster, although the operator created it and no owner wants it any more.
    Abandoned,
}

/// Why pods are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RolloutReason {
    /// The image changed to this one.
    Image(String),
    /// The content of these inputs changed; if there are none, another part of the template did.
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
    /// The reason and the action of the event.
    fn reason_and_action(&self) -> (&'static str, &'static str) {
        match self {
            Self::Adopted => ("Adopted", "Adopt"),
            Self::Renewed(_) => ("CertificateRenewed", "Renew"),
            Self::RollingOut(_) => ("RollingOut", "Apply"),
            Self::Deleted => ("Deleted", "Delete"),
            Self::Released => ("Released", "Release"),
            Self::Amended(_) => ("Amended", "Amend"),
            Self::Announced(announcement) => (announcement.reason, "Update"),
            Self::Abandoned => ("Abandoned", "Delete"),
        }
    }
}

impl ChildChange {
    fn note(&self) -> String {
        let object = &self.object;
        match &self.kind {
            ChangeKind::Adopted => format!("took over {object} from the old operator"),
            ChangeKind::Renewed(why) => format!("issued a new certificate into {object}: {why}"),
            ChangeKind::RollingOut(why) => format!("{object} replaces its pods because {why}"),
            ChangeKind::Deleted => format!("deleted {object}, which is no longer wanted"),
            ChangeKind::Amended(what) => format!("{object}: {what}"),
            ChangeKind::Announced(announcement) => announcement.note.clone(),
            ChangeKind::Abandoned => {
                format!("left {object} as it is: its system is gone, or {ABANDON_ANNOTATION} is set")
            }
            ChangeKind::Released => {
                format!("{object} is no longer deleted with this object: another program created it")
            }
        }
    }
}

/// One event for all changes of the same kind: twenty children that are taken over together are one event.
pub(crate) fn events(child_changes: &[ChildChange]) -> Vec<Event> {
    let mut events = Vec::new();
    let mut reported = Vec::new();
    for first in child_changes {
        let (reason, action) = first.kind.reason_and_action();
        if reported.contains(&reason) {
            continue;
        }
        reported.push(reason);
        let alike = child_changes.iter().filter(|other| other.kind.reason_and_action().0 == reason).count();
        let others = match alike - 1 {
            0 => String::new(),
            others => format!(" (and {others} more)"),
        };
        events.push(Event {
            type_: EventType::Normal,
            reason: reason.into(),
            note: Some(format!("{}{others}", first.note())),
            action: action.into(),
            secondary: Some(reference(&first.object)),
        });
    }
    events
}

/// Names an object in an event.
pub(super) fn reference(key: &ObjectKey) -> ObjectReference {
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

    fn notes(child_changes: &[ChildChange]) -> Vec<(String, String)> {
        events(child_changes).into_iter().map(|event| (event.reason, event.note.unwrap())).collect()
    }

    #[test]
    fn changes_of_the_same_kind_are_one_event() {
        let adopted = |name: &str| ChildChange {
            object: ObjectKey::of::<Secret>("ns", name),
            kind: ChangeKind::Adopted,
        };
        let deleted = ChildChange { kind: ChangeKind::Deleted, ..adopted("d") };
        assert_eq!(
            notes(&[adopted("a"), deleted, adopted("b"), adopted("c")]),
            [
                ("Adopted".into(), "took over Secret ns/a from the old operator (and 2 more)".into()),
                ("Deleted".into(), "deleted Secret ns/d, which is no longer wanted".into()),
            ]
        );
    }

    #[test]
    fn an_announcement_is_an_event_as_it_is() {
        let announcement = Announcement { reason: "PasswordChanged", note: "it has another one now".into() };
        let change = ChildChange {
            object: ObjectKey::of::<Secret>("ns", "a"),
            kind: ChangeKind::Announced(announcement),
        };
        assert_eq!(notes(&[change]), [("PasswordChanged".into(), "it has another one now".into())]);
    }

    #[test]
    fn a_restart_of_pods_is_reported_with_the_reason() {
        let because = |why| {
            let object = ObjectKey::of::<Deployment>("ns", "core");
            notes(&[ChildChange { object, kind: ChangeKind::RollingOut(why) }]).remove(0).1
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
