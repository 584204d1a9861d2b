//! Permissions that a write needs besides the verb of its request.

use super::Write;
use crate::{
    access::{Authorizer, Question, Target},
    failure::Failure,
    server::OwnerReferences,
};
use serde_json::Value;

impl Write<'_> {
    /// An apply or update that creates an object needs permission to create it.
    pub(super) fn may_create(&self, name: &str) -> Result<(), Failure> {
        let Write { resource, namespace, .. } = self;
        let target = Target::Resource {
            group: &resource.group,
            resource: &resource.plural,
            subresource: "",
            namespace: namespace.unwrap_or_default(),
            name,
        };
        self.may("create", target)
    }

    /// The admission plugin OwnerReferencesPermissionEnforcement: a client that changes the owners of an object must
    /// be allowed to delete it, and a client that lets it block the deletion of its owner must be allowed to set that
    /// owner's finalizers.
    pub(super) fn may_own(&self, name: &str, live: Option<&Value>, object: &Value) -> Result<(), Failure> {
        if self.server.owner_references == OwnerReferences::Free
            || owners(object) == live.map_or(&[][..], owners)
        {
            return Ok(());
        }
        let Write { resource, namespace, .. } = self;
        let namespace = namespace.unwrap_or_default();
        let forbidden = |why: &str| Failure::forbidden(&resource.group, &resource.plural, name, why);
        if live.is_some() {
            let (group, plural) = (&resource.group, &resource.plural);
            let target = Target::Resource { group, resource: plural, subresource: "", namespace, name };
            self.may("delete", target)
                .map_err(|_| forbidden("cannot set an ownerRef on a resource you can't delete: , <nil>"))?;
        }
        let before: Vec<_> = live.into_iter().flat_map(blocking).collect();
        for owner in blocking(object).filter(|owner| !before.contains(owner)) {
            let text = |field: &str| owner[field].as_str().unwrap_or_default();
            let (group, version) = text("apiVersion").rsplit_once('/').unwrap_or(("", text("apiVersion")));
            let kind = self.server.state().kinds.by_kind(group, version, text("kind"));
            let Some(kind) = kind else {
                return Err(forbidden(&format!(
                    "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion {} Kind {}",
                    text("apiVersion"),
                    text("kind"),
                )));
            };
            let target = Target::Resource {
                group,
                resource: &kind.plural,
                subresource: "finalizers",
                namespace: if kind.namespaced { namespace } else { "" },
                name: text("name"),
            };
            self.may("update", target).map_err(|_| {
                forbidden(
                    "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>",
                )
            })?;
        }
        Ok(())
    }

    fn may(&self, verb: &str, target: Target<'_>) -> Result<(), Failure> {
        let state = self.server.state();
        let authorizer = Authorizer { access: self.server.access, roles: &*state };
        authorizer.authorize(self.user, &Question { verb, target })
    }
}

fn owners(object: &Value) -> &[Value] {
    object["metadata"]["ownerReferences"].as_array().map_or(&[], Vec::as_slice)
}

/// The owners whose deletion waits for the object.
fn blocking(object: &Value) -> impl Iterator<Item = &Value> {
    owners(object).iter().filter(|owner| owner["blockOwnerDeletion"] == true)
}
