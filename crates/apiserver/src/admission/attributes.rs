//! The write to be admitted.

use crate::access::User;
use serde_json::Value;

/// A write that webhooks review.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attributes<'a> {
    pub operation: Operation,
    pub group: &'a str,
    pub version: &'a str,
    pub kind: &'a str,
    pub plural: &'a str,
    /// Empty for none.
    pub subresource: &'a str,
    /// Empty for cluster-scoped objects.
    pub namespace: &'a str,
    /// Empty for an object without a name yet, or for a whole collection.
    pub name: &'a str,
    pub user: &'a User,
    /// The object before the write; None where it is created.
    pub old: Option<&'a Value>,
    pub dry_run: bool,
    /// `CreateOptions`, `UpdateOptions`, `PatchOptions` or `DeleteOptions`.
    pub options: &'a Value,
    /// Labels of the namespace that the write is in, as an object; None where there is no such namespace.
    pub namespace_labels: Option<&'a Value>,
    /// Other names under which the same objects are served.
    pub equivalents: &'a [Equivalent],
}

/// What a write does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Create,
    Update,
    Delete,
}

/// Another version of a kind. Its objects differ only in `apiVersion`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Equivalent {
    pub group: String,
    pub version: String,
    pub kind: String,
    pub plural: String,
}

impl Operation {
    /// The name in rules and reviews.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

impl<'a> Attributes<'a> {
    /// A namespace is in itself.
    pub(super) fn effective_namespace(&self) -> &'a str {
        if self.is_namespace() && self.namespace.is_empty() { self.name } else { self.namespace }
    }

    pub(super) fn is_namespace(&self) -> bool {
        self.group.is_empty() && self.plural == "namespaces"
    }

    /// The names of this write, its own first.
    pub(super) fn own(&self) -> Equivalent {
        Equivalent {
            group: self.group.into(),
            version: self.version.into(),
            kind: self.kind.into(),
            plural: self.plural.into(),
        }
    }
}
