//! Escalation: a user can grant only permissions that they hold, unless they may `escalate` or `bind`.

use super::authorize::{Authorizer, GROUP, Question, RoleKind, Target, rules_of};
use super::rule::{Rule, missing};
use super::tokens::quoted;
use super::user::User;
use crate::failure::Failure;
use serde_json::Value;

/// A write of a role or binding.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grant<'a> {
    pub kind: RoleKind,
    /// Empty for cluster-scoped kinds.
    pub namespace: &'a str,
    /// The name in the path; empty where an object is created by POST.
    pub requested: &'a str,
    pub object: &'a Value,
    /// None where the object is created.
    pub old: Option<&'a Value>,
}

/// Ok if the user may grant what the object grants.
pub(crate) fn confirm_no_escalation(
    authorizer: &Authorizer<'_>,
    user: &User,
    grant: &Grant<'_>,
) -> Result<(), Failure> {
    if user.is_master() || grant.old.is_some_and(|old| only_releases(old, grant.object)) {
        return Ok(());
    }
    match grant.kind {
        RoleKind::Role | RoleKind::ClusterRole => role(authorizer, user, grant),
        RoleKind::RoleBinding | RoleKind::ClusterRoleBinding => binding(authorizer, user, grant),
    }
}

fn role(authorizer: &Authorizer<'_>, user: &User, grant: &Grant<'_>) -> Result<(), Failure> {
    if may(authorizer, user, "escalate", grant.kind.plural(), grant.namespace, grant.requested) {
        return Ok(());
    }
    covered(authorizer, user, grant, &rules_of(grant.object))?;
    if aggregates(grant.object) || grant.old.is_some_and(aggregates) {
        let everything = [Rule::resources(&["*"], &["*"], &["*"]), Rule::urls(&["*"], &["*"])];
        covered(authorizer, user, grant, &everything)
            .map_err(|_| refused(grant, "must have cluster-admin privileges to use the aggregationRule"))?;
    }
    Ok(())
}

fn binding(authorizer: &Authorizer<'_>, user: &User, grant: &Grant<'_>) -> Result<(), Failure> {
    let reference = &grant.object["roleRef"];
    let name = reference["name"].as_str().unwrap_or_default();
    let plural = match reference["kind"].as_str() {
        Some("Role") => RoleKind::Role.plural(),
        Some("ClusterRole") => RoleKind::ClusterRole.plural(),
        other => {
            let other = other.unwrap_or_default();
            return Err(Failure::internal(format!("unsupported role reference kind: {other:?}")));
        }
    };
    if may(authorizer, user, "bind", plural, grant.namespace, name) {
        return Ok(());
    }
    let rules = authorizer
        .referenced(reference, grant.namespace)
        // kube-apiserver takes the resource from the request, and so calls the role a binding.
        .map_err(|_| Failure::not_found(GROUP, grant.kind.plural(), name))?;
    covered(authorizer, user, grant, &rules)
}

fn may(
    authorizer: &Authorizer<'_>,
    user: &User,
    verb: &str,
    resource: &str,
    namespace: &str,
    name: &str,
) -> bool {
    let target = Target::Resource { group: GROUP, resource, subresource: "", namespace, name };
    authorizer.authorize(user, &Question { verb, target }).is_ok()
}

fn covered(
    authorizer: &Authorizer<'_>,
    user: &User,
    grant: &Grant<'_>,
    wanted: &[Rule],
) -> Result<(), Failure> {
    let applying = authorizer.applying(user, grant.namespace);
    let held: Vec<Rule> = applying.rules.into_iter().map(|(rule, _)| rule).collect();
    let lines = missing(&held, wanted);
    if lines.is_empty() {
        return Ok(());
    }
    let mut why = format!(
        "user {:?} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
        user.name,
        quoted(&user.groups),
        lines.join("\n")
    );
    if !applying.errors.is_empty() {
        why = format!("{why}; resolution errors: [{}]", applying.errors.join(" "));
    }
    Err(refused(grant, &why))
}

fn refused(grant: &Grant<'_>, why: &str) -> Failure {
    let name = grant.object["metadata"]["name"].as_str().unwrap_or_default();
    Failure::forbidden(GROUP, grant.kind.plural(), name, why)
}

fn aggregates(role: &Value) -> bool {
    role["aggregationRule"]["clusterRoleSelectors"].as_array().is_some_and(|all| !all.is_empty())
}

/// Whether an update changes only what garbage collection changes.
fn only_releases(old: &Value, new: &Value) -> bool {
    let rest = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            for field in ["ownerReferences", "finalizers", "managedFields"] {
                metadata.remove(field);
            }
        }
        object
    };
    rest(old) == rest(new)
}
