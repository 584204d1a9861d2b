//! The name of an object in the cluster.

use kube::{Resource, core::ApiResource};
use std::fmt;

/// Names one object, whatever version of its kind is looked at; or, without a name, the kind itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    /// API group, empty for the core group.
    pub group: String,
    /// Kind, in the singular and as Kubernetes spells it.
    pub kind: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl ObjectKey {
    /// The key of the `K` called `name`.
    pub fn of<K: Resource<DynamicType = ()>>(namespace: &str, name: &str) -> Self {
        Self {
            group: K::group(&()).into(),
            kind: K::kind(&()).into(),
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// Stands for the kind itself: a [`crate::Snapshot`] holds something for it when the cluster serves the kind.
    pub fn kind_of<K: Resource<DynamicType = ()>>() -> Self {
        Self::of::<K>("", "")
    }

    /// Whether this stands for a kind, not for an object of it.
    pub fn is_kind(&self) -> bool {
        self.name.is_empty()
    }

    /// The key of an object of a kind known only at run time.
    pub fn dynamic(resource: &ApiResource, namespace: &str, name: &str) -> Self {
        Self {
            group: resource.group.clone(),
            kind: resource.kind.clone(),
            namespace: namespace.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_kind() {
            return match self.group.as_str() {
                "" => f.write_str(&self.kind),
                group => write!(f, "{} of {group}", self.kind),
            };
        }
        write!(f, "{} {}/{}", self.kind, self.namespace, self.name)
    }
}
