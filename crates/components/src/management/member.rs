//! Members of projects, as specs describe them.

use super::Server;
use api::v1beta1::{
    harborproject::{MemberType, Membership, ProjectRole},
    harborusergroup::UserGroupType,
};
use harborstate::members::{GroupType, Kind, Member, Role};

/// A member. Harbor finds a group by its name and its type, so the type comes from how users log in if the spec has none.
pub(crate) fn member(membership: &Membership, server: &Server) -> Member {
    let group_type = match (membership.type_, membership.group_type) {
        (MemberType::User, _) => None,
        (MemberType::Group, Some(of)) => Some(group_type(of)),
        (MemberType::Group, None) => match server.state().map(|server| server.auth_mode.as_str()) {
            Some("ldap_auth") => Some(GroupType::Ldap),
            Some("http_auth") => Some(GroupType::Http),
            Some("oidc_auth") => Some(GroupType::Oidc),
            _ => None,
        },
    };
    Member {
        kind: match membership.type_ {
            MemberType::User => Kind::User,
            MemberType::Group => Kind::Group,
        },
        name: membership.name.clone(),
        role: match membership.role {
            ProjectRole::ProjectAdmin => Role::ProjectAdmin,
            ProjectRole::Maintainer => Role::Maintainer,
            ProjectRole::Developer => Role::Developer,
            ProjectRole::Guest => Role::Guest,
            ProjectRole::LimitedGuest => Role::LimitedGuest,
        },
        group_type,
        ldap_group_dn: membership.ldap_group_dn.clone(),
    }
}

/// Where a group comes from.
pub(crate) const fn group_type(of: UserGroupType) -> GroupType {
    match of {
        UserGroupType::Ldap => GroupType::Ldap,
        UserGroupType::Http => GroupType::Http,
        UserGroupType::Oidc => GroupType::Oidc,
    }
}
