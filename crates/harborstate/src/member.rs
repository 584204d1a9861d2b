//! One membership in a project, for owners that do not manage the whole list. See [`name`] for the name of an
//! object.

use crate::{
    members::{GroupType, Kind, Role},
    names::in_project,
    state::{NoFacts, State},
};
use serde::{Deserialize, Serialize};

/// A membership.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// The role.
    pub role: Role,
    /// Where a group comes from. Harbor finds a group by its name only with this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_type: Option<GroupType>,
    /// The distinguished name of an LDAP group, by which Harbor finds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_group_dn: Option<String>,
}

impl State for Membership {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "member";
}

/// The name of a membership: `alpha/user:anna` or `alpha/group:dev`.
pub fn name(project: &str, kind: Kind, name: &str) -> String {
    let kind = match kind {
        Kind::User => "user",
        Kind::Group => "group",
    };
    in_project(project, &format!("{kind}:{name}"))
}

/// The kind and the name of a member, from the name of a membership without its project.
pub fn parse(name: &str) -> Option<(Kind, &str)> {
    let (kind, name) = name.split_once(':')?;
    match kind {
        "user" => Some((Kind::User, name)),
        "group" => Some((Kind::Group, name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{name, parse};
    use crate::{members::Kind, names::split};

    #[test]
    fn a_name_contains_the_project_the_kind_and_the_name_of_the_member() {
        let dev = name("alpha", Kind::Group, "cn=dev:a/b");
        assert_eq!(dev, "alpha/group:cn=dev:a/b");
        assert_eq!(split(&dev).and_then(|(_, member)| parse(member)), Some((Kind::Group, "cn=dev:a/b")));
        assert_eq!(parse("robot:x"), None);
    }
}
