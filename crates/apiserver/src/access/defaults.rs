//! The roles and bindings that every cluster has, unless others are stored under their names.

use super::authorize::GROUP;
use super::rule::Rule;
use super::user::{AUTHENTICATED, MASTERS, UNAUTHENTICATED};
use serde_json::{Value, json};
use std::sync::LazyLock;

const HEALTH: [&str; 5] = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

static CLUSTER_ROLES: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let mut discovery =
        [&HEALTH[..], &["/openapi", "/openapi/*", "/api", "/api/*", "/apis", "/apis/*"]].concat();
    discovery.sort_unstable();
    let reviews = ["selfsubjectaccessreviews", "selfsubjectrulesreviews"];
    vec![
        role("cluster-admin", &[Rule::resources(&["*"], &["*"], &["*"]), Rule::urls(&["*"], &["*"])]),
        role(
            "system:basic-user",
            &[
                Rule::resources(&["create"], &["authorization.k8s.io"], &reviews),
                Rule::resources(&["create"], &["authentication.k8s.io"], &["selfsubjectreviews"]),
            ],
        ),
        role("system:discovery", &[Rule::urls(&["get"], &discovery)]),
        role("system:public-info-viewer", &[Rule::urls(&["get"], &HEALTH)]),
    ]
});

static CLUSTER_ROLE_BINDINGS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    vec![
        binding("cluster-admin", &[MASTERS]),
        binding("system:basic-user", &[AUTHENTICATED]),
        binding("system:discovery", &[AUTHENTICATED]),
        binding("system:public-info-viewer", &[AUTHENTICATED, UNAUTHENTICATED]),
    ]
});

/// The default ClusterRoles.
pub(crate) fn cluster_roles() -> &'static [Value] {
    &CLUSTER_ROLES
}

/// The default ClusterRoleBindings.
pub(crate) fn cluster_role_bindings() -> &'static [Value] {
    &CLUSTER_ROLE_BINDINGS
}

fn metadata(name: &str) -> Value {
    json!({
        "name": name,
        "labels": { "kubernetes.io/bootstrapping": "rbac-defaults" },
        "annotations": { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    })
}

fn role(name: &str, rules: &[Rule]) -> Value {
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "ClusterRole",
        "metadata": metadata(name),
        "rules": rules,
    })
}

fn binding(name: &str, groups: &[&str]) -> Value {
    let subjects: Vec<Value> =
        groups.iter().map(|group| json!({ "apiGroup": GROUP, "kind": "Group", "name": group })).collect();
    json!({
        "apiVersion": format!("{GROUP}/v1"),
        "kind": "ClusterRoleBinding",
        "metadata": metadata(name),
        "roleRef": { "apiGroup": GROUP, "kind": "ClusterRole", "name": name },
        "subjects": subjects,
    })
}
