//! What a robot may do.

use crate::{Version, version::permissions, words::words};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

words! {
    /// Where a permission applies.
    pub enum PermissionKind {
        /// In all of Harbor; the namespace is `/`.
        System = "system",
        /// In a project; the namespace is its name, or `*` for all.
        Project = "project",
    }
}

/// A permission: actions in a namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Permission {
    /// Where it applies.
    pub kind: PermissionKind,
    /// The namespace.
    pub namespace: String,
    /// At least one action.
    pub access: Vec<Access>,
}

impl Permission {
    /// A permission in all of Harbor.
    pub fn system<'a>(access: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self::new(PermissionKind::System, "/", access)
    }

    /// A permission in a project, or in all if the name is `*`.
    pub fn project<'a>(name: &str, access: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        Self::new(PermissionKind::Project, name, access)
    }

    fn new<'a>(
        kind: PermissionKind,
        namespace: &str,
        access: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let access = access.into_iter().map(|(resource, action)| Access::new(resource, action)).collect();
        Self { kind, namespace: namespace.to_owned(), access }
    }
}

/// An action on a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Access {
    /// The resource, such as `repository`.
    pub resource: String,
    /// The action, such as `pull`.
    pub action: String,
}

impl Access {
    /// An action on a resource.
    pub fn new(resource: &str, action: &str) -> Self {
        Self { resource: resource.to_owned(), action: action.to_owned() }
    }
}

/// One action that a robot may do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Grant {
    /// Where it applies.
    pub kind: PermissionKind,
    /// The namespace.
    pub namespace: String,
    /// The action.
    pub access: Access,
}

impl Grant {
    /// What a version does with it.
    pub fn check(&self, version: Version) -> permissions::Verdict {
        let level = match &self.kind {
            PermissionKind::System => permissions::Level::System,
            PermissionKind::Project => permissions::Level::Project,
            PermissionKind::Other(_) => return permissions::Verdict::Never,
        };
        permissions::check(version, level, &self.access.resource, &self.access.action)
    }
}

/// Everything that a robot may do, however it is grouped and ordered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PermissionSet(pub BTreeSet<Grant>);

impl PermissionSet {
    /// What these permissions allow.
    pub fn new(permissions: &[Permission]) -> Self {
        let grants = permissions.iter().flat_map(|permission| {
            permission.access.iter().map(|access| Grant {
                kind: permission.kind.clone(),
                namespace: permission.namespace.clone(),
                access: access.clone(),
            })
        });
        Self(grants.collect())
    }
}
