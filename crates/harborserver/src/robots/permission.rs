//! What robots may do.

use crate::{
    access::Scope,
    rest::{Shown, go_struct},
};
use serde_json::{Value, json};

go_struct! {
    /// A permission as bodies describe it.
    PermissionRequest = "RobotPermission" { kind: String, namespace: String, access: Vec<AccessRequest> }
}

go_struct! {
    /// An action on a resource.
    AccessRequest = "Access" { resource: String, action: String, effect: String }
}

/// What a robot may do in one place.
#[derive(Clone, PartialEq)]
pub(crate) struct Permission {
    pub scope: Scope,
    /// The name of a project, `*` for all of them, or `/` for the system.
    pub namespace: String,
    access: Vec<AccessRequest>,
}

impl From<&PermissionRequest> for Permission {
    fn from(wanted: &PermissionRequest) -> Self {
        Self { scope: wanted.scope(), namespace: wanted.namespace.clone(), access: wanted.access.clone() }
    }
}

impl PermissionRequest {
    pub fn scope(&self) -> Scope {
        if self.kind == "system" { Scope::System } else { Scope::Project }
    }
}

impl Permission {
    pub fn grants(&self, resource: &str, action: &str) -> bool {
        self.access.iter().any(|access| {
            access.effect != "deny"
                && (access.resource == resource || access.resource == "*")
                && (access.action == action || access.action == "*")
        })
    }

    /// Whether everything that another permission allows is allowed by this one.
    pub fn covers(&self, other: &PermissionRequest) -> bool {
        self.scope == other.scope()
            && (self.namespace == "*" || self.namespace == other.namespace)
            && other.access.iter().all(|access| self.grants(&access.resource, &access.action))
    }

    pub fn show(&self) -> Value {
        let kind = match self.scope {
            Scope::System => "system",
            Scope::Project => "project",
        };
        let access: Vec<Value> = self
            .access
            .iter()
            .map(|access| {
                Shown::new()
                    .nonzero("resource", access.resource.as_str())
                    .nonzero("action", access.action.as_str())
                    .nonzero("effect", access.effect.as_str())
                    .into()
            })
            .collect();
        json!({ "kind": kind, "namespace": self.namespace, "access": access })
    }
}
