//! The identity of an object in the cluster.

use api::v1beta1::name::ObjectName;
use kube::{Resource, core::ApiResource};
use std::{fmt, ops::Deref, sync::Arc};

/// Stands for the definition of a kind. No object can have this name.
const DEFINITION: &str = "{definition}";

/// Identifies one object, independent of the API version; or, without a name, a kind; or the definition of a kind.
///
/// Copies share their content, because the key of each of thousands of children is in half a dozen maps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(Arc<Parts>);

/// The parts of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parts {
    /// API group, empty for the core group.
    pub group: String,
    /// Kind, in the singular and as Kubernetes spells it.
    pub kind: String,
    /// Namespace.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl Deref for ObjectKey {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

impl ObjectKey {
    /// The key with these parts.
    pub fn new(group: &str, kind: &str, namespace: &str, name: &str) -> Self {
        Self(Arc::new(Parts {
            group: group.into(),
            kind: kind.into(),
            namespace: namespace.into(),
            name: name.into(),
        }))
    }

    /// The key of the `K` called `name`.
    pub fn of<K: Resource<DynamicType = ()>>(namespace: &str, name: &str) -> Self {
        Self::new(&K::group(&()), &K::kind(&()), namespace, name)
    }

    /// Stands for the kind itself: a [`crate::Snapshot`] has an object for it when the API server serves the kind.
    pub fn kind_of<K: Resource<DynamicType = ()>>() -> Self {
        Self::of::<K>("", "")
    }

    /// Whether this stands for a kind, not for an object of it.
    pub fn is_kind(&self) -> bool {
        self.name.is_empty()
    }

    /// Stands for the definition of the kind: a [`crate::Snapshot`] holds its schema, if the operator can read it.
    pub fn definition_of<K: Resource<DynamicType = ()>>() -> Self {
        Self::of::<K>("", DEFINITION)
    }

    /// Whether this stands for the definition of a kind.
    pub fn is_definition(&self) -> bool {
        self.name == DEFINITION
    }

    /// Whether namespace and name are valid, so that each is one segment of a request path. Clients put names into
    /// paths unescaped, so an invalid name in a user's spec could address another object.
    pub fn is_addressable(&self) -> bool {
        ObjectName::is_valid(&self.name) && is_namespace(&self.namespace)
    }

    /// The key of an object whose kind is known only at run time.
    pub fn dynamic(resource: &ApiResource, namespace: &str, name: &str) -> Self {
        Self::new(&resource.group, &resource.kind, namespace, name)
    }

    /// The same object in another namespace.
    #[must_use]
    pub fn within(&self, namespace: &str) -> Self {
        Self::new(&self.group, &self.kind, namespace, &self.name)
    }

    /// Stands for the kind of this object.
    #[must_use]
    pub fn its_kind(&self) -> Self {
        Self::new(&self.group, &self.kind, "", "")
    }
}

/// Whether a text is a valid name of a namespace.
pub fn is_namespace(text: &str) -> bool {
    text.len() <= 63 && !text.contains('.') && ObjectName::is_valid(text)
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
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
        if self.is_definition() {
            return write!(f, "the definition of {}", self.its_kind());
        }
        write!(f, "{} {}/{}", self.kind, self.namespace, self.name)
    }
}
