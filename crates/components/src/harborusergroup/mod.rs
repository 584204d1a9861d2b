//! HarborUserGroup: a claim that a Harbor knows a group of users.
//!
//! Groups come from a directory, and Harbor creates them itself when a member logs in. So the operator creates a group that
//! Harbor does not know yet, never changes or deletes one, and several objects may claim the same.
//!
//! Uses: management.

use crate::management::{self, Policy, Server};
use api::v1beta1::{self, HarborUserGroupSpec, harborusergroup::UserGroupType};
use harborstate::user_group::{self, UserGroup};
use plan::{
    All as _, Builder, Children, Component, Conclusion, Connect, External, PlanError, Sharing, World,
};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborUserGroup`].
pub struct HarborUserGroup;

impl Component for HarborUserGroup {
    type Owner = v1beta1::HarborUserGroup;

    const NAME: &'static str = "harborusergroup";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        management::managed_fields::<UserGroup>(conclusion)
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let spec = &owner.spec;
        let system = management::system(owner, &spec.target, world)?;
        let server = Server::read(&system, world)?;
        let (name, ()) = (name(spec), check_type(spec.group_type, &server)).all()?;

        let group = UserGroup { group_name: Some(spec.group_name.clone()) };
        let group = External {
            // Whatever Harbor shows is right.
            comparable: |desired, _| desired.clone(),
            sharing: Sharing::Fields,
            ..management::object(&system, &name, &group)?
        };
        graph.add::<External>(Policy::INHERENT.desired(group), ());
        Ok(())
    }
}

/// What identifies the group.
fn name(spec: &HarborUserGroupSpec) -> Result<String, PlanError> {
    let identity = match (spec.group_type, &spec.ldap_group_dn) {
        (UserGroupType::Ldap, Some(dn)) => dn,
        (UserGroupType::Http | UserGroupType::Oidc, None) => &spec.group_name,
        _ => {
            return Err(PlanError::invalid(
                "spec.ldapGroupDN",
                "is required with groupType ldap, and only then",
                "add or remove it",
            ));
        }
    };
    Ok(user_group::name(management::group_type(spec.group_type), identity))
}

/// A Harbor shows no groups of another directory than the one that its users log in with.
fn check_type(group_type: UserGroupType, server: &Server) -> Result<(), PlanError> {
    let mode = server.state().map(|server| server.auth_mode.as_str()).unwrap_or_default();
    let (needed, word) = match group_type {
        UserGroupType::Ldap => ("ldap_auth", "ldap"),
        UserGroupType::Http => ("http_auth", "http"),
        UserGroupType::Oidc => ("oidc_auth", "oidc"),
    };
    if mode == needed || !["ldap_auth", "http_auth", "oidc_auth"].contains(&mode) {
        return Ok(());
    }
    Err(PlanError::invalid(
        "spec.groupType",
        format!("{word} needs a Harbor with {needed}, and this one has {mode}"),
        "correct it, or delete this object",
    ))
}
