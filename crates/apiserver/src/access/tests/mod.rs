//! Roles and accounts for tests of access.

mod identity;
mod rbac;
mod review;

use super::{Access, Authorizer, RoleKind, Roles, ServiceAccounts, User};
use crate::failure::Failure;
use serde_json::{Value, json};
use std::sync::Arc;

/// Roles, bindings and service accounts as they would be stored.
#[derive(Default)]
struct World(Vec<Arc<Value>>);

impl World {
    fn with(mut self, kind: &str, namespace: &str, name: &str, mut rest: Value) -> Self {
        rest["kind"] = kind.into();
        rest["metadata"]["name"] = name.into();
        rest["metadata"]["uid"] = format!("uid-of-{name}").into();
        if !namespace.is_empty() {
            rest["metadata"]["namespace"] = namespace.into();
        }
        self.0.push(Arc::new(rest));
        self
    }

    fn role(self, namespace: &str, name: &str, rules: Value) -> Self {
        let kind = if namespace.is_empty() { "ClusterRole" } else { "Role" };
        self.with(kind, namespace, name, json!({ "rules": rules }))
    }

    fn bind(self, namespace: &str, role: (&str, &str), subject: Value) -> Self {
        let kind = if namespace.is_empty() { "ClusterRoleBinding" } else { "RoleBinding" };
        let name = format!("bind-{}", role.1);
        self.with(
            kind,
            namespace,
            &name,
            json!({ "roleRef": { "kind": role.0, "name": role.1 }, "subjects": [subject] }),
        )
    }

    fn authorizer(&self) -> Authorizer<'_> {
        Authorizer { access: Access::Rbac, roles: self }
    }

    fn find(&self, kind: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let mut objects = self.of(kind, namespace).into_iter();
        objects.find(|object| object["metadata"]["name"] == name)
    }

    fn of(&self, kind: &str, namespace: &str) -> Vec<Arc<Value>> {
        let here = |object: &&Arc<Value>| {
            object["kind"] == kind
                && object["metadata"]["namespace"].as_str().unwrap_or_default() == namespace
        };
        self.0.iter().filter(here).cloned().collect()
    }
}

impl Roles for World {
    fn object(&self, kind: RoleKind, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.find(&format!("{kind:?}"), namespace, name)
    }

    fn objects(&self, kind: RoleKind, namespace: &str) -> Vec<Arc<Value>> {
        self.of(&format!("{kind:?}"), namespace)
    }
}

impl ServiceAccounts for World {
    fn service_account(&self, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.find("ServiceAccount", namespace, name)
    }

    fn bound(&self, plural: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let kind = match plural {
            "pods" => "Pod",
            "secrets" => "Secret",
            _ => "Node",
        };
        self.find(kind, namespace, name)
    }
}

fn jane() -> User {
    User::authenticated("jane", [])
}

fn to_jane() -> Value {
    json!({ "kind": "User", "name": "jane" })
}

fn code_and_message(failure: Failure) -> (u16, String) {
    (failure.code.as_u16(), failure.message)
}
