//! HarborProjectMember: one member of a project inside a Harbor.
//!
//! It is for projects whose members no HarborProject lists: a list is managed as a whole, and its owner has all members.
//!
//! Uses: management.

use crate::management::{self, Policy, Projects, Server};
use api::v1beta1::{self, HarborProjectMemberSpec};
use harborstate::{
    State as _,
    member::{self, Membership},
    members::{Kind, Member, Members},
};
use kube::ResourceExt as _;
use plan::{
    All as _, Builder, Children, Component, Conclusion, Connect, External, ObjectKey, PlanError, Whole, World,
};
use serde_json::{Map, Value};

/// The component behind a [`v1beta1::HarborProjectMember`].
pub struct HarborProjectMember;

impl Component for HarborProjectMember {
    type Owner = v1beta1::HarborProjectMember;

    const NAME: &'static str = "harborprojectmember";
    const CONNECT: Connect = management::connection;

    fn children() -> Children {
        Children::none().and_external()
    }

    fn details(_: &Self::Owner, conclusion: &Conclusion<'_>) -> Map<String, Value> {
        management::managed_fields::<Membership>(conclusion)
    }

    fn desired(owner: &Self::Owner, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let (spec, namespace) = (&owner.spec, owner.namespace().unwrap_or_default());
        let system = management::system(owner, &spec.target, world)?;
        let server = Server::read(&system, world)?;
        let projects = Projects { system: &system, server: &server, namespace: &namespace, world };
        let (project, member, ()) =
            (projects.named(&spec.project), checked(spec, &server), check_list(spec, projects)).all()?;

        let policy =
            Policy { creation: spec.effective_creation_policy(), deletion: spec.effective_deletion_policy() };
        // Harbor names an LDAP group as the directory does, whatever the spec calls it.
        let identity = member.ldap_group_dn.as_deref().unwrap_or(&member.name);
        let name = member::name(&project, member.kind, identity);
        let Member { role, group_type, ldap_group_dn, .. } = member;
        let membership = Membership { role, group_type, ldap_group_dn };
        let external = management::object(&system, &name, &membership)?;
        let part_of = Some(Whole {
            object: ObjectKey::external(&system, Members::COLLECTION, &project),
            remedy: "add the member to its spec.memberships, or remove that field".to_owned(),
        });
        let external = External { comparable, part_of, described_by: Some("spec.name"), ..external };
        graph.add::<External>(policy.desired(external), ());
        Ok(())
    }
}

/// The member. Harbor finds a group only with its type.
fn checked(spec: &HarborProjectMemberSpec, server: &Server) -> Result<Member, PlanError> {
    let member = management::member(&spec.member, server);
    let is_unknown = member.kind == Kind::Group && member.group_type.is_none();
    match (is_unknown, server.state()) {
        (true, Some(state)) => Err(PlanError::invalid(
            "spec.groupType",
            format!(
                "is required, because users of this Harbor log in with {}, which has no groups",
                state.auth_mode
            ),
            "set it to ldap, http or oidc",
        )),
        _ => Ok(member),
    }
}

/// Refuses a project whose HarborProject lists its members, and so removes all others.
fn check_list(spec: &HarborProjectMemberSpec, projects: Projects<'_>) -> Result<(), PlanError> {
    let Some(name) = &spec.project.project_ref else { return Ok(()) };
    if projects.referenced(name)?.spec.memberships.is_none() {
        return Ok(());
    }
    Err(PlanError::invalid(
        "spec.projectRef",
        format!("HarborProject {name} lists all members of the project"),
        "add the member to its spec.memberships, or remove that field",
    ))
}

/// LDAP ignores case in distinguished names, and Harbor stores some in lower case.
fn comparable(desired: &Value, actual: &Value) -> Value {
    let mut shown = plan::comparable(desired, actual);
    let dn = |value: &Value| value["ldap_group_dn"].as_str().map(str::to_lowercase);
    if dn(desired).is_some() && dn(desired) == dn(&shown) {
        shown["ldap_group_dn"] = desired["ldap_group_dn"].clone();
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::comparable;
    use serde_json::json;

    #[test]
    fn a_distinguished_name_is_the_same_in_any_case() {
        let desired = json!({"role": "guest", "group_type": "ldap", "ldap_group_dn": "CN=Dev,DC=example"});
        let shown = |dn: &str| json!({"role": "guest", "group_type": "ldap", "ldap_group_dn": dn});
        assert_eq!(comparable(&desired, &shown("cn=dev,dc=example")), desired);
        assert_ne!(comparable(&desired, &shown("cn=ops,dc=example")), desired);
    }
}
