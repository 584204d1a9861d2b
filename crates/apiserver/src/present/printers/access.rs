//! RBAC and service accounts.

use super::{
    AGE, About, NAME, Printer, each,
    reading::{created, list, name, text},
    wide, words,
};
use jiff::Timestamp;
use serde_json::Value;

pub(super) const SERVICE_ACCOUNTS: Printer =
    each(&[NAME, AGE], |object, now| vec![name(object), created(object, now)]);

pub(super) const ROLE_BINDINGS: Printer = each(
    &[
        NAME,
        words("Role", About::Field("api.rbac.v1.RoleBinding", "roleRef")),
        AGE,
        wide("Users", About::Text("Users in the roleBinding")),
        wide("Groups", About::Text("Groups in the roleBinding")),
        wide("ServiceAccounts", About::Text("ServiceAccounts in the roleBinding")),
    ],
    binding,
);

pub(super) const CLUSTER_ROLE_BINDINGS: Printer = each(
    &[
        NAME,
        words("Role", About::Field("api.rbac.v1.ClusterRoleBinding", "roleRef")),
        AGE,
        wide("Users", About::Text("Users in the clusterRoleBinding")),
        wide("Groups", About::Text("Groups in the clusterRoleBinding")),
        wide("ServiceAccounts", About::Text("ServiceAccounts in the clusterRoleBinding")),
    ],
    binding,
);

fn binding(object: &Value, now: Timestamp) -> Vec<Value> {
    let subjects = |kind: &str| -> Value {
        list(object, "/subjects")
            .iter()
            .filter(|subject| text(subject, "/kind") == kind)
            .map(|subject| match kind {
                "ServiceAccount" => format!("{}/{}", text(subject, "/namespace"), text(subject, "/name")),
                _ => text(subject, "/name").to_owned(),
            })
            .collect::<Vec<_>>()
            .join(", ")
            .into()
    };
    vec![
        name(object),
        format!("{}/{}", text(object, "/roleRef/kind"), text(object, "/roleRef/name")).into(),
        created(object, now),
        subjects("User"),
        subjects("Group"),
        subjects("ServiceAccount"),
    ]
}
