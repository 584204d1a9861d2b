//! Members in both forms: as Harbor shows and takes them, and as they are compared.

use crate::{
    client::Client,
    failure::{rejected, system_error},
};
use harbor::{GroupId, MemberId, members as api, system::AuthMode, user_groups as groups};
use harborstate::members::{GroupType, Kind, Member, Role};
use plan::SystemError;

/// Members as they are compared, with their numbers. Those with a role that is none are left out.
pub(crate) async fn show(
    client: &Client,
    members: &[api::Member],
) -> Result<Vec<(MemberId, Member)>, SystemError> {
    let has_groups = members.iter().any(|member| member.kind == api::EntityKind::Group);
    let known = if has_groups { Some(client.groups().await?) } else { None };
    let shown = members.iter().filter_map(|member| {
        let role = role(member.role?);
        let kind = match member.kind {
            api::EntityKind::User => Kind::User,
            api::EntityKind::Group => Kind::Group,
            api::EntityKind::Other(_) => return None,
        };
        let group = known.as_ref().filter(|_| kind == Kind::Group);
        let group = group.and_then(|known| known.get(&GroupId(member.entity_id)));
        let dn = group.map(|group| group.ldap_group_dn.clone()).filter(|dn| !dn.is_empty());
        let shown = Member {
            group_type: group.and_then(|group| group.kind).map(group_type),
            ldap_group_dn: dn,
            kind,
            ..Member::user(&member.name, role)
        };
        Some((member.id, shown))
    });
    Ok(shown.collect())
}

/// The user or group to add.
pub(crate) async fn entity(client: &Client, member: &Member) -> Result<api::Entity, SystemError> {
    if member.kind == Kind::User {
        return Ok(api::Entity::UserNamed(member.name.clone()));
    }
    if let Some(dn) = &member.ldap_group_dn {
        return Ok(api::Entity::LdapGroup(dn.clone()));
    }
    let kind = match member.group_type {
        Some(kind) => group_type_of(kind),
        None => default_type(client, &member.name).await?,
    };
    Ok(api::Entity::GroupNamed(member.name.clone(), kind))
}

/// The type of groups that the mode of authentication has.
async fn default_type(client: &Client, group: &str) -> Result<groups::GroupType, SystemError> {
    match client.harbor.server_info().await.map_err(system_error)?.auth_mode {
        AuthMode::Ldap => Ok(groups::GroupType::Ldap),
        AuthMode::Http => Ok(groups::GroupType::Http),
        AuthMode::Oidc => Ok(groups::GroupType::Oidc),
        AuthMode::Database | AuthMode::Uaa | AuthMode::Other(_) => Err(rejected(
            format!("the group {group} has no type, and this Harbor has local users only"),
            "say where the group comes from: ldap, http or oidc",
        )),
    }
}

/// A role as Harbor takes it.
pub(crate) fn role_of(role: Role) -> api::Role {
    match role {
        Role::ProjectAdmin => api::Role::ProjectAdmin,
        Role::Maintainer => api::Role::Maintainer,
        Role::Developer => api::Role::Developer,
        Role::Guest => api::Role::Guest,
        Role::LimitedGuest => api::Role::LimitedGuest,
    }
}

fn role(role: api::Role) -> Role {
    match role {
        api::Role::ProjectAdmin => Role::ProjectAdmin,
        api::Role::Maintainer => Role::Maintainer,
        api::Role::Developer => Role::Developer,
        api::Role::Guest => Role::Guest,
        api::Role::LimitedGuest => Role::LimitedGuest,
    }
}

/// The type of a group as it is compared.
pub(crate) fn group_type(kind: groups::GroupType) -> GroupType {
    match kind {
        groups::GroupType::Ldap => GroupType::Ldap,
        groups::GroupType::Http => GroupType::Http,
        groups::GroupType::Oidc => GroupType::Oidc,
    }
}

/// The type of a group as Harbor takes it.
fn group_type_of(kind: GroupType) -> groups::GroupType {
    match kind {
        GroupType::Ldap => groups::GroupType::Ldap,
        GroupType::Http => groups::GroupType::Http,
        GroupType::Oidc => groups::GroupType::Oidc,
    }
}
