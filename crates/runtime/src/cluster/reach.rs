//! Which objects of a kind belong to a scope.

use super::Cluster;
use crate::Scope;
use kube::{Api, Client, Resource, core::DynamicResourceScope, runtime::watcher};
use plan::{ChildKind, Placement};
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// Which objects of a kind are watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All that are in the scope.
    All(Scope),
    /// The Namespace of this name: the scope itself, if Namespaces are owners.
    Home(String),
}

impl Reach {
    /// The objects of a kind in a scope. With permissions in a namespace only, other objects of the cluster cannot be watched.
    pub(super) fn of(kind: &ChildKind, scope: &Scope, cluster: &Cluster) -> Option<Self> {
        let resource = &kind.resource;
        let is_owner = || cluster.component(&resource.group, &resource.kind).is_some();
        let is_namespace = resource.group.is_empty() && resource.kind == "Namespace";
        match (scope, kind.placement) {
            (Scope::Cluster, _) | (Scope::Namespace(_), Placement::Namespaced) => {
                Some(Self::All(scope.clone()))
            }
            (Scope::Namespace(name), Placement::ClusterWide) if is_namespace && is_owner() => {
                Some(Self::Home(name.clone()))
            }
            (Scope::Namespace(_), Placement::ClusterWide) => None,
        }
    }

    /// The scope that the objects are in.
    pub(super) fn scope(&self) -> Scope {
        match self {
            Self::All(scope) => scope.clone(),
            Self::Home(name) => Scope::Namespace(name.clone()),
        }
    }

    /// The API of the kind.
    pub(crate) fn api<K>(&self, client: &Client, resource: &K::DynamicType) -> Api<K>
    where
        K: Resource<Scope = DynamicResourceScope> + Clone + DeserializeOwned + Debug,
    {
        match self {
            Self::All(scope) => scope.api(client, resource),
            Self::Home(_) => Api::all_with(client.clone(), resource),
        }
    }

    /// How to watch the objects.
    pub(super) fn config(&self) -> watcher::Config {
        match self.name() {
            None => watcher::Config::default(),
            Some(name) => watcher::Config::default().fields(&field_selector(name)),
        }
    }

    /// The name of the object, if there is only one.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::All(_) => None,
            Self::Home(name) => Some(name),
        }
    }
}

/// Selects the object of a name. A role can allow to list and to watch that object only.
pub(crate) fn field_selector(name: &str) -> String {
    format!("metadata.name={name}")
}

impl Scope {
    /// The API of a kind within this scope.
    pub(crate) fn api<K>(&self, client: &Client, resource: &K::DynamicType) -> Api<K>
    where
        K: Resource<Scope = DynamicResourceScope> + Clone + DeserializeOwned + Debug,
    {
        match self {
            Self::Cluster => Api::all_with(client.clone(), resource),
            Self::Namespace(namespace) => Api::namespaced_with(client.clone(), namespace, resource),
        }
    }
}
