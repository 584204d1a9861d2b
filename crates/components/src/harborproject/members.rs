//! The members of a project.

use crate::management::Server;
use api::v1beta1::{
    HarborProjectSpec,
    harborproject::{MemberType, Membership, ProjectRole},
    harborusergroup::UserGroupType,
};
use harborstate::members::{GroupType, Kind, Member, Members, Role};
use plan::PlanError;
use std::collections::BTreeSet;

/// All members, if the spec lists them.
pub(super) fn members(spec: &HarborProjectSpec, server: &Server) -> Result<Option<Members>, PlanError> {
    let Some(memberships) = &spec.memberships else { return Ok(None) };
    let mut seen = BTreeSet::new();
    for membership in memberships {
        if !seen.insert((membership.type_ == MemberType::Group, &membership.name)) {
            return Err(PlanError::invalid(
                "spec.memberships",
                format!("{:?} is listed twice", membership.name),
                "keep one of the two",
            ));
        }
    }
    let auth_mode = server.state().map(|server| server.auth_mode.as_str());
    let members = memberships.iter().map(|membership| member(membership, auth_mode)).collect();
    Ok(Some(Members { members }))
}

/// A member. Harbor finds a group by its name and its type, so the type comes from how users log in if the spec has none.
pub(crate) fn member(membership: &Membership, auth_mode: Option<&str>) -> Member {
    let group_type = match (membership.type_, membership.group_type) {
        (MemberType::User, _) => None,
        (MemberType::Group, Some(UserGroupType::Ldap)) => Some(GroupType::Ldap),
        (MemberType::Group, Some(UserGroupType::Http)) => Some(GroupType::Http),
        (MemberType::Group, Some(UserGroupType::Oidc)) => Some(GroupType::Oidc),
        (MemberType::Group, None) => match auth_mode {
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
