//! Robot accounts. The name of an object is `ci` for a robot of the system, and `alpha+ci` for one of a
//! project.

use crate::state::State;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The write-only field for the secret: 8 to 128 characters with an upper-case letter, a lower-case letter
/// and a digit.
pub const SECRET: &str = "secret";

/// The duration of a robot that does not expire.
pub const NEVER: i64 = -1;

/// A robot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Robot {
    /// A description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// How many days it lives, counted from its creation, or [`NEVER`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<i64>,
    /// Whether it is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable: Option<bool>,
    /// What it may do. Make it with [`permissions`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<BTreeSet<Permission>>,
}

/// What a robot may do in one place.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Permission {
    /// `system` or `project`.
    pub kind: String,
    /// `/` for the system; the name of the project, or `*` for all.
    pub namespace: String,
    /// What it may do there.
    pub access: BTreeSet<Access>,
}

/// An action on a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Access {
    /// The resource, such as `repository`.
    pub resource: String,
    /// The action, such as `pull`.
    pub action: String,
}

impl Access {
    /// An action on a resource.
    pub fn new(resource: &str, action: &str) -> Self {
        Self { resource: resource.to_owned(), action: action.to_owned() }
    }
}

/// What Harbor adds to a robot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// Its number, a hint.
    pub id: i64,
    /// The user name to log in with: its name with the prefix of robots and, if it belongs to one, the
    /// project.
    pub login: String,
    /// When it expires, in seconds since 1970; -1 is never.
    pub expires_at: i64,
    /// When it was created, in seconds since 1970; 0 if unknown.
    pub created_at: i64,
    /// Whether it can be changed. Robots of the first generation cannot.
    pub editable: bool,
}

impl State for Robot {
    type Facts = Facts;
    const COLLECTION: &'static str = "robot";
    const WRITE_ONLY: &'static [&'static str] = &[SECRET];
}

/// The name of a robot of a project.
pub fn project_robot(project: &str, name: &str) -> String {
    format!("{project}+{name}")
}

/// Permissions in canonical form: one per place, without doubles. Those that allow nothing are dropped.
pub fn permissions(permissions: impl IntoIterator<Item = Permission>) -> BTreeSet<Permission> {
    let mut places = BTreeMap::<_, BTreeSet<_>>::new();
    for Permission { kind, namespace, access } in permissions {
        places.entry((kind, namespace)).or_default().extend(access);
    }
    let places = places.into_iter().filter(|(_, access)| !access.is_empty());
    places.map(|((kind, namespace), access)| Permission { kind, namespace, access }).collect()
}

#[cfg(test)]
mod tests {
    use super::{Access, Permission, permissions};

    #[test]
    fn permissions_that_allow_the_same_are_equal() {
        let in_alpha = |actions: &[&str]| Permission {
            kind: "project".into(),
            namespace: "alpha".into(),
            access: actions.iter().map(|action| Access::new("repository", action)).collect(),
        };
        let split = permissions([in_alpha(&["push"]), in_alpha(&[]), in_alpha(&["pull", "push"])]);
        assert_eq!(split, permissions([in_alpha(&["pull", "push"])]));
        assert_eq!(split.len(), 1);
    }
}
