//! Members of a project: users and groups with a role.

use super::{in_project::InProject, user_groups::GroupType};
use crate::{Deletion, GroupId, MemberId, ProjectId, UserId, error::Error, words::words};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeStruct as _};

impl<'h> InProject<'h> {
    /// The members of the project.
    pub fn members(self) -> Members<'h> {
        Members { project: self }
    }
}

/// Calls about members. A member is identified by its kind and name, since a user and a group may have the same.
#[derive(Clone, Copy, Debug)]
pub struct Members<'h> {
    project: InProject<'h>,
}

const MEMBERS: &str = "members";

impl Members<'_> {
    /// All members, including the creator of the project.
    pub async fn list(&self) -> Result<Vec<Member>, Error> {
        self.project.harbor().get(self.project.path(MEMBERS)).pages().await
    }

    /// The member of this kind with this name.
    pub async fn find(&self, kind: &EntityKind, name: &str) -> Result<Option<Member>, Error> {
        let call = self.project.harbor().get(self.project.path(MEMBERS)).query("entityname", name);
        let found: Vec<Member> = call.pages().await?;
        Ok(found.into_iter().find(|member| member.kind == *kind && member.name == name))
    }

    /// Adds a member.
    ///
    /// Except with local users, Harbor searches an unknown user or group in LDAP or OIDC and adds it to its own; from
    /// then on, `auth_mode` cannot be changed.
    pub async fn add(&self, member: &NewMember) -> Result<MemberId, Error> {
        self.project.harbor().post(self.project.path(MEMBERS)).body(member).created().await
    }

    /// Changes the role of a member.
    pub async fn set_role(&self, member: MemberId, role: Role) -> Result<(), Error> {
        let path = self.project.path(MEMBERS).id(member);
        self.project.harbor().put(path).body(&RoleUpdate { role_id: role }).done().await
    }

    /// Removes a member.
    pub async fn remove(&self, member: MemberId) -> Result<Deletion, Error> {
        self.project.harbor().delete(self.project.path(MEMBERS).id(member)).gone().await
    }
}

/// The role of a member. Harbor accepts any other number in an update and then hides the member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Manages the project.
    ProjectAdmin,
    /// Pushes and pulls.
    Developer,
    /// Pulls.
    Guest,
    /// Pushes, pulls, scans and deletes.
    Maintainer,
    /// Pulls, without a look at logs and members.
    LimitedGuest,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::ProjectAdmin, Self::Developer, Self::Guest, Self::Maintainer, Self::LimitedGuest];

    /// Its number.
    pub fn id(self) -> i64 {
        match self {
            Self::ProjectAdmin => 1,
            Self::Developer => 2,
            Self::Guest => 3,
            Self::Maintainer => 4,
            Self::LimitedGuest => 5,
        }
    }

    /// Its name, as Harbor spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ProjectAdmin => "projectAdmin",
            Self::Developer => "developer",
            Self::Guest => "guest",
            Self::Maintainer => "maintainer",
            Self::LimitedGuest => "limitedGuest",
        }
    }

    /// The role with this number.
    pub fn from_id(id: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.id() == id)
    }

    /// The role with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.id())
    }
}

words! {
    /// Whether a member is a user or a group.
    pub enum EntityKind {
        /// A user.
        User = "u",
        /// A group.
        Group = "g",
    }
}

/// A member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Member {
    /// The number of the membership.
    pub id: MemberId,
    /// The project.
    pub project_id: ProjectId,
    /// The name of the user or group.
    #[serde(rename = "entity_name")]
    pub name: String,
    /// Whether it is a user or a group.
    #[serde(rename = "entity_type")]
    pub kind: EntityKind,
    /// The number of the user or group.
    pub entity_id: i64,
    /// The role; `None` for a number that is none.
    #[serde(rename = "role_id", deserialize_with = "role")]
    pub role: Option<Role>,
}

fn role<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Role>, D::Error> {
    Ok(Role::from_id(i64::deserialize(deserializer)?))
}

#[derive(Debug, Serialize)]
struct RoleUpdate {
    role_id: Role,
}

/// A member to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewMember {
    /// The user or group.
    pub entity: Entity,
    /// The role.
    pub role: Role,
}

/// A user or a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entity {
    /// The user with this number.
    User(UserId),
    /// The user with this name.
    UserNamed(String),
    /// The group with this number.
    Group(GroupId),
    /// The LDAP group with this distinguished name.
    LdapGroup(String),
    /// The group with this name and type. Without the type, Harbor finds none.
    GroupNamed(String, GroupType),
}

impl Serialize for NewMember {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum Reference<'a> {
            User { user_id: UserId },
            Username { username: &'a str },
            Group { id: GroupId },
            LdapGroup { ldap_group_dn: &'a str },
            GroupName { group_name: &'a str, group_type: GroupType },
        }
        let (field, entity) = match &self.entity {
            Entity::User(user_id) => ("member_user", Reference::User { user_id: *user_id }),
            Entity::UserNamed(username) => ("member_user", Reference::Username { username }),
            Entity::Group(id) => ("member_group", Reference::Group { id: *id }),
            Entity::LdapGroup(ldap_group_dn) => ("member_group", Reference::LdapGroup { ldap_group_dn }),
            Entity::GroupNamed(group_name, group_type) => {
                ("member_group", Reference::GroupName { group_name, group_type: *group_type })
            }
        };
        let mut member = serializer.serialize_struct("NewMember", 2)?;
        member.serialize_field("role_id", &self.role)?;
        member.serialize_field(field, &entity)?;
        member.end()
    }
}

#[cfg(test)]
mod tests {
    use super::{Entity, GroupType, NewMember, Role};
    use crate::{GroupId, UserId};
    use serde_json::json;

    #[test]
    fn a_new_member_is_exactly_one_user_or_group() {
        let sent = |entity| serde_json::to_value(NewMember { entity, role: Role::Developer }).unwrap();
        assert_eq!(sent(Entity::User(UserId(3))), json!({"role_id": 2, "member_user": {"user_id": 3}}));
        assert_eq!(
            sent(Entity::UserNamed("dora".into())),
            json!({"role_id": 2, "member_user": {"username": "dora"}})
        );
        assert_eq!(sent(Entity::Group(GroupId(4))), json!({"role_id": 2, "member_group": {"id": 4}}));
        assert_eq!(
            sent(Entity::LdapGroup("cn=a".into())),
            json!({"role_id": 2, "member_group": {"ldap_group_dn": "cn=a"}})
        );
        assert_eq!(
            sent(Entity::GroupNamed("devs".into(), GroupType::Oidc)),
            json!({"role_id": 2, "member_group": {"group_name": "devs", "group_type": 3}})
        );
    }

    #[test]
    fn roles_are_found_by_number_and_name() {
        for role in Role::ALL {
            assert_eq!((Role::from_id(role.id()), Role::from_name(role.as_str())), (Some(role), Some(role)));
        }
        assert_eq!((Role::from_id(9), Role::from_name("boss")), (None, None));
    }
}
