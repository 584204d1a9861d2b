//! All members of a project, as one list. The name of an object is that of the project.

use crate::state::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// All members of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Members {
    /// The members.
    pub members: BTreeSet<Member>,
}

/// A user or a group with a role.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Member {
    /// Whether it is a user or a group. They may have the same name.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Where a group comes from. Harbor finds a group by its name only with this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_type: Option<GroupType>,
    /// The distinguished name of an LDAP group, which identifies it instead of its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ldap_group_dn: Option<String>,
}

/// Whether a member is a user or a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A user.
    User,
    /// A group.
    Group,
}

/// The role of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// Manages the project.
    ProjectAdmin,
    /// Pushes, pulls, scans and deletes.
    Maintainer,
    /// Pushes and pulls.
    Developer,
    /// Pulls.
    Guest,
    /// Pulls, without a look at logs and members.
    LimitedGuest,
}

/// Where a group comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupType {
    /// LDAP.
    Ldap,
    /// An HTTP proxy.
    Http,
    /// OIDC.
    Oidc,
}

/// What Harbor adds to the members of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The user that created the project, and so became its administrator.
    pub creator: String,
}

impl State for Members {
    type Facts = Facts;
    const COLLECTION: &'static str = "members";
    const COMPARABLE: plan::Comparable = comparable;
}

impl Member {
    /// A user with a role.
    pub fn user(name: &str, role: Role) -> Self {
        Self { kind: Kind::User, name: name.to_owned(), role, group_type: None, ldap_group_dn: None }
    }

    /// A group with a role.
    pub fn group(name: &str, group_type: GroupType, role: Role) -> Self {
        Self { kind: Kind::Group, group_type: Some(group_type), ..Self::user(name, role) }
    }

    /// Whether the other is the same user or group, whatever its role. `self` is desired and may name a group
    /// in fewer words than `actual`.
    pub fn is(&self, actual: &Self) -> bool {
        match (&self.ldap_group_dn, &actual.ldap_group_dn) {
            _ if self.kind != actual.kind => false,
            // LDAP ignores case in names, and Harbor stores some in lower case.
            (Some(dn), Some(actual)) => dn.to_lowercase() == actual.to_lowercase(),
            _ => {
                let types = self.group_type.zip(actual.group_type);
                self.name == actual.name && types.is_none_or(|(desired, actual)| desired == actual)
            }
        }
    }
}

impl Members {
    /// The members that are not desired: all others but the creator of the project. Only a list that contains
    /// the creator changes its role.
    pub fn surplus<'a>(&self, actual: &'a Self, creator: &str) -> Vec<&'a Member> {
        let is_kept = |member: &Member| {
            let created = member.kind == Kind::User && member.name == creator;
            created && member.role == Role::ProjectAdmin
                || self.members.iter().any(|wanted| wanted.is(member))
        };
        actual.members.iter().filter(|member| !is_kept(member)).collect()
    }
}

/// The actual list in the order and the words of the desired one, without the creator unless desired.
fn comparable(desired: &Value, actual: &Value) -> Value {
    let parsed = (Members::deserialize(desired), Members::deserialize(actual), Facts::deserialize(actual));
    let (Ok(wanted), Ok(members), Ok(facts)) = parsed else {
        return plan::comparable(desired, actual);
    };
    let found = wanted.members.iter().filter_map(|wanted| {
        let actual = members.members.iter().find(|actual| wanted.is(actual))?;
        Some(Member { role: actual.role, ..wanted.clone() })
    });
    let surplus = wanted.surplus(&members, &facts.creator).into_iter().cloned();
    let list: Vec<_> = found.chain(surplus).collect();
    match serde_json::to_value(list) {
        Ok(list) => [("members".to_owned(), list)].into_iter().collect(),
        Err(_) => plan::comparable(desired, actual),
    }
}

#[cfg(test)]
mod tests {
    use super::{GroupType, Member, Members, Role};
    use crate::state::State as _;
    use serde_json::{Value, json};

    fn differences(desired: impl IntoIterator<Item = Member>, actual: Value) -> Vec<String> {
        let members = Members { members: desired.into_iter().collect() };
        let external = members.external(&crate::system("registry", "acme"), "alpha").unwrap();
        external.differences(&json!({"members": actual, "creator": "admin"}))
    }

    fn admin(role: &str) -> Value {
        json!({"kind": "user", "name": "admin", "role": role})
    }

    #[test]
    fn the_creator_is_no_difference_unless_it_is_listed() {
        let none = [""; 0];
        assert_eq!(differences([], json!([admin("projectAdmin")])), none);
        assert_eq!(differences([], json!([])), none);
        assert_eq!(differences([], json!([admin("guest")])), ["members"]);
        let listed = [Member::user("admin", Role::Guest)];
        assert_eq!(differences(listed.clone(), json!([admin("projectAdmin")])), ["members"]);
        assert_eq!(differences(listed, json!([admin("guest")])), none);
    }

    #[test]
    fn a_member_too_many_too_few_or_with_another_role_is_a_difference() {
        let anna = |role: &str| json!({"kind": "user", "name": "anna", "role": role});
        let wanted = || [Member::user("anna", Role::Developer)];
        assert_eq!(differences(wanted(), json!([anna("developer")])), [""; 0]);
        assert_eq!(differences(wanted(), json!([anna("guest")])), ["members"]);
        assert_eq!(differences(wanted(), json!([])), ["members"]);
        assert_eq!(differences([], json!([anna("developer")])), ["members"]);
    }

    #[test]
    fn a_user_and_a_group_of_one_name_are_two_members() {
        let group = json!({"kind": "group", "name": "anna", "role": "guest", "group_type": "oidc"});
        assert_eq!(differences([Member::user("anna", Role::Guest)], json!([group])), ["members"]);
        let wanted = [Member::group("anna", GroupType::Oidc, Role::Guest)];
        assert_eq!(differences(wanted, json!([group])), [""; 0]);
    }

    #[test]
    fn an_ldap_group_is_known_by_its_distinguished_name() {
        let dn = Some("CN=Dev,DC=example".to_owned());
        let wanted = Member { ldap_group_dn: dn, ..Member::group("dev", GroupType::Ldap, Role::Guest) };
        let shown = json!({
            "kind": "group", "name": "developers", "role": "guest", "group_type": "ldap",
            "ldap_group_dn": "cn=dev,dc=example",
        });
        assert_eq!(differences([wanted], json!([shown])), [""; 0]);
    }
}
