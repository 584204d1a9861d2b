//! User groups. See [`name`] for the name of an object.

use crate::{
    members::GroupType,
    state::{NoFacts, State},
};
use serde::{Deserialize, Serialize};

/// A user group. What identifies it is its name, see [`name`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserGroup {
    /// How it is shown. Only that of an LDAP group can be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_name: Option<String>,
}

impl State for UserGroup {
    type Facts = NoFacts;
    const COLLECTION: &'static str = "user-group";
}

/// The name of an object: `oidc:dev`, `http:dev`, or `ldap:` and a distinguished name, which LDAP compares
/// without case.
pub fn name(group_type: GroupType, identity: &str) -> String {
    match group_type {
        GroupType::Ldap => format!("ldap:{}", identity.to_lowercase()),
        GroupType::Http => format!("http:{identity}"),
        GroupType::Oidc => format!("oidc:{identity}"),
    }
}

/// The type and the identity of a group, from the name of its object.
pub fn parse(name: &str) -> Option<(GroupType, &str)> {
    let (group_type, identity) = name.split_once(':')?;
    match group_type {
        "ldap" => Some((GroupType::Ldap, identity)),
        "http" => Some((GroupType::Http, identity)),
        "oidc" => Some((GroupType::Oidc, identity)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{name, parse};
    use crate::members::GroupType;

    #[test]
    fn a_group_is_named_by_its_type_and_its_identity() {
        assert_eq!(name(GroupType::Ldap, "CN=Dev,DC=example"), "ldap:cn=dev,dc=example");
        assert_eq!(parse("oidc:a:b"), Some((GroupType::Oidc, "a:b")));
        assert_eq!(parse("dev"), None);
    }
}
