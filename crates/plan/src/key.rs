//! The identity of an object.

use crate::external::System;
use api::v1beta1::name::ObjectName;
use kube::{Resource, core::ApiResource};
use std::{fmt, ops::Deref, sync::Arc};

/// Identifies one object, independent of the API version; or a kind, its definition, or all objects of it; or the pods of a Job.
///
/// Copies share their content, because the key of each of thousands of children is in half a dozen maps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey(Arc<Identity>);

#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Identity {
    // First, so that keys are ordered by it.
    parts: Parts,
    target: Target,
}

/// What a key identifies.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Target {
    /// A kind of the cluster. Has neither namespace nor name.
    Kind,
    /// The definition of a kind. Has neither namespace nor name.
    Definition,
    /// All objects of a kind of the cluster. Has neither namespace nor name.
    All,
    /// The pods of a Job, which gives its name.
    PodsOfJob,
    /// An object of the cluster.
    Object,
    /// All objects of one sort in a system outside the cluster. Has neither namespace nor name.
    Collection(Arc<System>),
    /// An object in a system outside the cluster. In the place of a namespace, it has the name of the system.
    External(Arc<System>),
}

/// The parts of a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Parts {
    /// API group, empty for the core group. Outside the cluster, a text that no API group can be and that is different for
    /// each system.
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
        &self.0.parts
    }
}

impl ObjectKey {
    fn to(target: Target, [group, kind, namespace, name]: [&str; 4]) -> Self {
        let [group, kind, namespace, name] = [group, kind, namespace, name].map(str::to_owned);
        Self(Arc::new(Identity { parts: Parts { group, kind, namespace, name }, target }))
    }

    /// The key of an object of the cluster.
    pub fn new(group: &str, kind: &str, namespace: &str, name: &str) -> Self {
        Self::to(Target::Object, [group, kind, namespace, name])
    }

    /// The key of the `K` called `name`.
    pub fn of<K: Resource<DynamicType = ()>>(namespace: &str, name: &str) -> Self {
        Self::new(&K::group(&()), &K::kind(&()), namespace, name)
    }

    /// The key of an object whose kind is known only at run time.
    pub fn dynamic(resource: &ApiResource, namespace: &str, name: &str) -> Self {
        Self::new(&resource.group, &resource.kind, namespace, name)
    }

    /// The key of an owner of objects in `namespace`. A Namespace lives in no namespace, any other owner beside its children.
    pub fn owner(group: &str, kind: &str, namespace: &str, name: &str) -> Self {
        let owner = Self::new(group, kind, namespace, name);
        if owner.is_namespace() { owner.within("") } else { owner }
    }

    /// The key of a kind: a [`crate::Snapshot`] has an object for it when the API server serves the kind.
    pub fn kind(resource: &ApiResource) -> Self {
        Self::to(Target::Kind, [&resource.group, &resource.kind, "", ""])
    }

    /// The key of the kind `K`, see [`ObjectKey::kind`].
    pub fn kind_of<K: Resource<DynamicType = ()>>() -> Self {
        Self::to(Target::Kind, [&K::group(&()), &K::kind(&()), "", ""])
    }

    /// The key of the definition of a kind: a [`crate::Snapshot`] holds its schema, if the operator can read it.
    pub fn definition_of<K: Resource<DynamicType = ()>>() -> Self {
        Self::to(Target::Definition, [&K::group(&()), &K::kind(&()), "", ""])
    }

    /// The key of all objects of a kind: a [`crate::Snapshot`] holds a list of them.
    pub fn all(resource: &ApiResource) -> Self {
        Self::to(Target::All, [&resource.group, &resource.kind, "", ""])
    }

    /// The key of all objects of the kind `K`, see [`ObjectKey::all`].
    pub fn all_of<K: Resource<DynamicType = ()>>() -> Self {
        Self::to(Target::All, [&K::group(&()), &K::kind(&()), "", ""])
    }

    /// The key of the pods of a Job: a [`crate::Snapshot`] holds a list of them.
    pub fn pods_of_job(namespace: &str, job: &str) -> Self {
        Self::to(Target::PodsOfJob, ["", "Pod", namespace, job])
    }

    /// The key of an object in a system outside the cluster.
    pub fn external(system: &System, collection: &str, name: &str) -> Self {
        let target = Target::External(Arc::new(system.clone()));
        Self::to(target, [&system.group(), collection, &system.name, name])
    }

    /// The key of the kind of an object, or of the collection of an object outside the cluster.
    #[must_use]
    pub fn its_kind(&self) -> Self {
        let target = match &self.0.target {
            Target::Kind | Target::Definition | Target::All | Target::PodsOfJob | Target::Object => {
                Target::Kind
            }
            Target::Collection(system) | Target::External(system) => Target::Collection(Arc::clone(system)),
        };
        Self::to(target, [&self.group, &self.kind, "", ""])
    }

    /// The key of an object of this kind; of one in a collection, wherever its owner lives.
    #[must_use]
    pub fn object(&self, namespace: &str, name: &str) -> Self {
        match &self.0.target {
            Target::Kind | Target::Definition | Target::All | Target::PodsOfJob | Target::Object => {
                Self::new(&self.group, &self.kind, namespace, name)
            }
            Target::Collection(system) | Target::External(system) => Self::external(system, &self.kind, name),
        }
    }

    /// The same object in another namespace.
    #[must_use]
    pub fn within(&self, namespace: &str) -> Self {
        Self::to(self.0.target.clone(), [&self.group, &self.kind, namespace, &self.name])
    }

    /// The namespace in which the object has children: its own, or that of which it is the Namespace. Empty for other objects
    /// that live in no namespace.
    pub fn home(&self) -> &str {
        if self.is_namespace() { &self.name } else { &self.namespace }
    }

    fn is_namespace(&self) -> bool {
        self.is_object() && self.group.is_empty() && self.kind == "Namespace"
    }

    /// Whether this identifies a kind of the cluster, not an object of it.
    pub fn is_kind(&self) -> bool {
        self.0.target == Target::Kind
    }

    /// Whether this identifies the definition of a kind.
    pub fn is_definition(&self) -> bool {
        self.0.target == Target::Definition
    }

    /// Whether this identifies all objects of a kind.
    pub fn is_all(&self) -> bool {
        self.0.target == Target::All
    }

    /// Whether this identifies the pods of a Job.
    pub fn is_pods_of_job(&self) -> bool {
        self.0.target == Target::PodsOfJob
    }

    /// Whether this identifies an object of the cluster.
    pub fn is_object(&self) -> bool {
        self.0.target == Target::Object
    }

    /// The system outside the cluster that the object lives in; `None` for objects of the cluster.
    pub fn system(&self) -> Option<&System> {
        match &self.0.target {
            Target::Collection(system) | Target::External(system) => Some(system),
            Target::Kind | Target::Definition | Target::All | Target::PodsOfJob | Target::Object => None,
        }
    }

    /// What distinguishes it from objects of the same kind and name: its namespace or, outside the cluster, a text that is
    /// different for each system and that no namespace can be.
    pub fn place(&self) -> &str {
        if self.system().is_some() { &self.group } else { &self.namespace }
    }

    /// Whether its namespace and its name are one segment of a path each, so that a request for it goes to this object and
    /// to no other. A name that a user wrote need not be: clients put it into paths as it is.
    pub fn is_addressable(&self) -> bool {
        // Objects without a namespace are those of cluster-wide kinds.
        let is_placed = self.namespace.is_empty() || is_namespace(&self.namespace);
        self.is_object() && ObjectName::is_valid(&self.name) && is_placed
    }
}

/// Whether a text is a valid name of a namespace.
pub fn is_namespace(text: &str) -> bool {
    text.len() <= 63 && !text.contains('.') && ObjectName::is_valid(text)
}

impl fmt::Debug for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.target {
            Target::Kind | Target::Definition | Target::All | Target::PodsOfJob => {
                write!(f, "ObjectKey({self})")
            }
            Target::Object | Target::Collection(_) | Target::External(_) => self.0.parts.fmt(f),
        }
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { group, kind, namespace, name } = &self.0.parts;
        match &self.0.target {
            Target::Object if namespace.is_empty() => write!(f, "{kind} {name}"),
            Target::Object | Target::External(_) => write!(f, "{kind} {namespace}/{name}"),
            Target::Definition => write!(f, "the definition of {}", self.its_kind()),
            Target::All => write!(f, "all objects of the kind {kind}"),
            Target::PodsOfJob => write!(f, "the pods of Job {namespace}/{name}"),
            Target::Kind if group.is_empty() => f.write_str(kind),
            Target::Kind | Target::Collection(_) => write!(f, "{kind} of {group}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::v1beta1::{Harbor, HarborServerConfiguration};
    use k8s_openapi::api::{
        apps::v1::Deployment,
        core::v1::{Namespace, Secret},
    };

    #[test]
    fn keys_of_different_things_are_different_ordered_by_kind_and_shown_as_what_they_are() {
        let system = System::new("harbor", "registry", "acme");
        let project = ObjectKey::external(&system, "project", "alpha");
        let keys = [
            ObjectKey::kind_of::<Secret>(),
            ObjectKey::definition_of::<Secret>(),
            ObjectKey::all_of::<Secret>(),
            ObjectKey::of::<Secret>("", ""),
            ObjectKey::of::<Secret>("ns", "a"),
            ObjectKey::kind_of::<Deployment>(),
            ObjectKey::of::<Deployment>("ns", "a"),
            project.its_kind(),
            project,
        ];
        assert!(keys.is_sorted_by(|one, next| one < next));
        assert_eq!(
            keys.map(|key| key.to_string()),
            [
                "Secret",
                "the definition of Secret",
                "all objects of the kind Secret",
                "Secret ",
                "Secret ns/a",
                "Deployment of apps",
                "Deployment ns/a",
                "project of harbor:registry/acme",
                "project acme/alpha",
            ]
        );
    }

    #[test]
    fn an_object_without_a_name_stands_for_no_kind_and_nothing_but_an_object_is_addressed_by_its_name() {
        let system = System::new("harbor", "registry", "acme");
        assert!(!ObjectKey::of::<Secret>("", "").is_kind());
        assert!(ObjectKey::of::<Secret>("ns", "a").is_addressable());
        let others = [ObjectKey::of::<Secret>("ns", ""), ObjectKey::external(&system, "project", "alpha")];
        assert!(others.iter().all(|key| !key.is_addressable()));
        assert_eq!(others.map(|key| key.system().cloned()), [None, Some(system)]);
    }

    #[test]
    fn owners_live_beside_their_children_and_a_namespace_around_them() {
        let namespace = ObjectKey::of::<Namespace>("", "team");
        let harbor = ObjectKey::of::<Harbor>("team", "acme");
        assert_eq!(ObjectKey::owner("", "Namespace", "team", "team"), namespace);
        assert_eq!(ObjectKey::owner("goharbor.io", "Harbor", "team", "acme"), harbor);
        let elsewhere = ObjectKey::of::<HarborServerConfiguration>("", "acme");
        assert_eq!([namespace.home(), harbor.home(), elsewhere.home()], ["team", "team", ""]);
    }
}
