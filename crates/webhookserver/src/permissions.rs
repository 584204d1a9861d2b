//! The permissions for webhooks, beyond those to reconcile all kinds.

use crate::definition;
use k8s_openapi::api::rbac::v1::PolicyRule;

/// The rules of a ClusterRole for the webhook that rewrites images, with this name.
///
/// RBAC cannot limit creation to a name.
pub fn to_rewrite(name: &str) -> Vec<PolicyRule> {
    let (group, plural) = ("admissionregistration.k8s.io", "mutatingwebhookconfigurations");
    vec![
        rule("", &["namespaces"], &["get", "list", "watch"]),
        rule(group, &[plural], &["create"]),
        PolicyRule {
            resource_names: Some(vec![name.to_owned()]),
            ..rule(group, &[plural], &["list", "patch", "watch"])
        },
        rule("goharbor.io", &["harborserverconfigurations"], &["get"]),
    ]
}

/// The rules of a ClusterRole for the webhook that converts objects, and for the migration of stored ones.
///
/// The operator may patch the other kinds that it converts already, because a Harbor creates them.
pub fn to_convert() -> Vec<PolicyRule> {
    let group = "apiextensions.k8s.io";
    let named = |rule: PolicyRule| PolicyRule { resource_names: Some(definition::names().to_vec()), ..rule };
    vec![
        named(rule(group, &["customresourcedefinitions"], &["list", "patch", "watch"])),
        named(rule(group, &["customresourcedefinitions/status"], &["patch"])),
        rule("goharbor.io", &["harborclusters"], &["patch"]),
    ]
}

fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> PolicyRule {
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    PolicyRule {
        api_groups: Some(owned(&[group])),
        resources: Some(owned(resources)),
        verbs: owned(verbs),
        ..PolicyRule::default()
    }
}
