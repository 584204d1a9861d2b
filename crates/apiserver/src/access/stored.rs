//! Roles, bindings and service accounts, as they are stored.

use super::{RoleKind, Roles, ServiceAccounts};
use crate::{state::State, store::Key};
use serde_json::Value;
use std::sync::Arc;

impl Roles for State {
    fn object(&self, kind: RoleKind, namespace: &str, name: &str) -> Option<Arc<Value>> {
        stored(self, "rbac.authorization.k8s.io", kind.plural(), namespace, name)
    }

    fn objects(&self, kind: RoleKind, namespace: &str) -> Vec<Arc<Value>> {
        self.store.objects("rbac.authorization.k8s.io", kind.plural(), Some(namespace)).cloned().collect()
    }
}

impl ServiceAccounts for State {
    fn service_account(&self, namespace: &str, name: &str) -> Option<Arc<Value>> {
        stored(self, "", "serviceaccounts", namespace, name)
    }

    fn bound(&self, plural: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        stored(self, "", plural, namespace, name)
    }
}

fn stored(state: &State, group: &str, plural: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
    let key =
        Key { group: group.into(), plural: plural.into(), namespace: namespace.into(), name: name.into() };
    state.store.get(&key).cloned()
}
