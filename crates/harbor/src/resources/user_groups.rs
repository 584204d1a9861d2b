//! User groups: names for groups of LDAP, an HTTP proxy or OIDC.

use crate::{Deletion, GroupId, Harbor, client::Path, error::Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

impl Harbor {
    /// User groups.
    pub fn user_groups(&self) -> UserGroups<'_> {
        UserGroups { harbor: self }
    }
}

/// Calls about user groups. An LDAP group is identified by its distinguished name, others by their name and type.
#[derive(Clone, Copy, Debug)]
pub struct UserGroups<'h> {
    harbor: &'h Harbor,
}

const GROUPS: &str = "/usergroups";

impl UserGroups<'_> {
    /// All groups; with LDAP and HTTP only those of that type.
    pub async fn list(&self) -> Result<Vec<UserGroup>, Error> {
        self.harbor.get(Path::new(GROUPS)).pages().await
    }

    /// The group with the identity of this one.
    pub async fn find(&self, group: &NewUserGroup) -> Result<Option<UserGroup>, Error> {
        let call = match group {
            NewUserGroup::Ldap { dn, .. } => self.harbor.get(Path::new(GROUPS)).query("ldap_group_dn", dn),
            NewUserGroup::Http { name } | NewUserGroup::Oidc { name } => {
                self.harbor.get(Path::new(GROUPS)).query("group_name", name)
            }
        };
        let found: Vec<UserGroup> = call.pages().await?;
        Ok(found.into_iter().find(|found| group.is(found)))
    }

    /// Creates a group. Harbor asks LDAP whether it has an LDAP group.
    pub async fn create(&self, group: &NewUserGroup) -> Result<GroupId, Error> {
        self.harbor.post(Path::new(GROUPS)).body(&group.body()).created().await
    }

    /// Changes the name, the only thing that can be changed.
    pub async fn rename(&self, id: GroupId, group: &NewUserGroup) -> Result<(), Error> {
        self.harbor.put(Path::new(GROUPS).id(id)).body(&group.body()).done().await
    }

    /// Deletes a group and its memberships. It comes back when a member logs in.
    pub async fn delete(&self, id: GroupId) -> Result<Deletion, Error> {
        self.harbor.delete(Path::new(GROUPS).id(id)).gone().await
    }
}

/// Where a group comes from. Harbor accepts any number and makes nothing of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupType {
    /// LDAP.
    Ldap,
    /// An HTTP proxy.
    Http,
    /// OIDC.
    Oidc,
}

impl GroupType {
    /// Its number.
    pub fn id(self) -> i64 {
        match self {
            Self::Ldap => 1,
            Self::Http => 2,
            Self::Oidc => 3,
        }
    }
}

impl Serialize for GroupType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.id())
    }
}

/// A group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct UserGroup {
    /// Its number.
    pub id: GroupId,
    /// Its name.
    #[serde(rename = "group_name")]
    pub name: String,
    /// Where it comes from; `None` for a number that is none.
    #[serde(rename = "group_type", deserialize_with = "group_type")]
    pub kind: Option<GroupType>,
    /// Its distinguished name in LDAP.
    pub ldap_group_dn: String,
}

fn group_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<GroupType>, D::Error> {
    let id = i64::deserialize(deserializer)?;
    Ok([GroupType::Ldap, GroupType::Http, GroupType::Oidc].into_iter().find(|kind| kind.id() == id))
}

/// A group to create or to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NewUserGroup {
    /// A group of LDAP.
    Ldap {
        /// Its distinguished name.
        dn: String,
        /// How it is shown; the name in LDAP if empty.
        name: String,
    },
    /// A group of an HTTP proxy.
    Http {
        /// Its name.
        name: String,
    },
    /// A group of OIDC.
    Oidc {
        /// Its name.
        name: String,
    },
}

#[derive(Debug, Serialize)]
struct Body<'a> {
    group_name: &'a str,
    group_type: GroupType,
    #[serde(skip_serializing_if = "Option::is_none")]
    ldap_group_dn: Option<&'a str>,
}

impl NewUserGroup {
    /// Whether a group has this identity.
    pub fn is(&self, group: &UserGroup) -> bool {
        let kind = |kind| group.kind == Some(kind);
        match self {
            // LDAP ignores case in names, and Harbor stores some in lower case.
            Self::Ldap { dn, .. } => {
                kind(GroupType::Ldap) && group.ldap_group_dn.to_lowercase() == dn.to_lowercase()
            }
            Self::Http { name } => kind(GroupType::Http) && group.name == *name,
            Self::Oidc { name } => kind(GroupType::Oidc) && group.name == *name,
        }
    }

    fn body(&self) -> Body<'_> {
        match self {
            Self::Ldap { dn, name } => {
                Body { group_name: name, group_type: GroupType::Ldap, ldap_group_dn: Some(dn) }
            }
            Self::Http { name } => {
                Body { group_name: name, group_type: GroupType::Http, ldap_group_dn: None }
            }
            Self::Oidc { name } => {
                Body { group_name: name, group_type: GroupType::Oidc, ldap_group_dn: None }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{GroupType, NewUserGroup, UserGroup};

    #[test]
    fn groups_of_one_name_and_several_types_are_several_groups() {
        let group = UserGroup { name: "devs".into(), kind: Some(GroupType::Http), ..UserGroup::default() };
        assert!(NewUserGroup::Http { name: "devs".into() }.is(&group));
        assert!(!NewUserGroup::Oidc { name: "devs".into() }.is(&group));
    }

    #[test]
    fn an_ldap_group_is_known_by_its_distinguished_name() {
        let kind = Some(GroupType::Ldap);
        let group = UserGroup { ldap_group_dn: "cn=devs,dc=a".into(), kind, ..UserGroup::default() };
        assert!(NewUserGroup::Ldap { dn: "CN=devs,dc=a".into(), name: "anything".into() }.is(&group));
    }
}
