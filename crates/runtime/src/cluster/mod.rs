//! What the operator knows about the cluster. Watches feed an index, the index returns the owners that a change
//! affects, and a cache holds objects that were recently read or written. Every request for a single object starts
//! here.
//!
//! Uses: telemetry.

mod absences;
mod address;
mod cache;
mod claims;
mod index;
mod lean_metadata;
mod namespaces;
mod owners;
mod reach;
mod reader;
mod router;
mod watch;

pub(crate) use absences::Absences;
pub(crate) use address::{addressable, api_of};
pub(crate) use cache::Cache;
pub(crate) use claims::{Claimant, Claims};
pub(crate) use index::{AffectedOwners, Index, Interest, MAX_OWNER_DEPTH, Seniority};
pub(crate) use reach::field_selector;
pub(crate) use watch::{Watched, is_input, start_watches};

use crate::{Entropy, Health, Metrics, Options};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{
    Client,
    core::{ApiResource, ObjectMeta},
};
use owners::Owners;
use plan::{Children, ComponentKind, DigestKey, HarborClass, ObjectKey};
use router::Router;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

/// Which owners the operator reconciles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Classes {
    /// All.
    All,
    /// Owners of this class; `None` for owners without a class.
    Only(Option<HarborClass>),
}

/// One scope of a cluster, either a namespace or all: what the operator knows about it, and how to read more.
pub(crate) struct Cluster {
    pub(crate) client: Client,
    pub(crate) components: Arc<[ComponentKind]>,
    pub(crate) children: Children,
    pub(crate) router: Router,
    pub(crate) owners: Owners,
    /// Which owner has which object outside the cluster.
    pub(crate) claims: Claims,
    /// What records of such objects are signed with; `None` for a reader, to which all count as signed.
    pub(crate) digest_key: Option<DigestKey>,
    pub(crate) cache: Arc<Cache>,
    /// Field managers of the old operator.
    pub(crate) predecessors: BTreeSet<String>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) health: Arc<Health>,
    pub(crate) stop: CancellationToken,
    resources: BTreeMap<(String, String), ApiResource>,
    classes: Classes,
    lists: OnceCell<watch::Lists>,
}

impl Cluster {
    /// A scope in which these components are reconciled.
    pub(crate) fn new(
        client: Client,
        components: Arc<[ComponentKind]>,
        classes: Classes,
        options: &Options,
        cache: Arc<Cache>,
        stop: CancellationToken,
    ) -> Self {
        let mut children = Children::none().and::<Secret>().and::<ConfigMap>();
        components.iter().for_each(|component| children.extend(component.children.clone()));
        let owners = components.iter().map(ComponentKind::resource);
        let resources = children.iter().map(|kind| &kind.resource).chain(owners);
        let resources = resources.map(|it| ((it.group.clone(), it.kind.clone()), it.clone())).collect();
        let router = Router::default();
        for component in &*components {
            router.index.track_children_of(&component.resource().group, &component.resource().kind);
        }
        Self {
            client,
            components,
            children,
            router,
            owners: Owners::default(),
            claims: Claims::default(),
            digest_key: Some(options.digest_key.clone()),
            cache,
            predecessors: options.predecessors.clone(),
            entropy: Arc::clone(&options.entropy),
            metrics: Arc::clone(&options.metrics),
            health: Arc::clone(&options.health),
            stop,
            resources,
            classes,
            lists: OnceCell::new(),
        }
    }

    /// Notes which objects outside the cluster an owner has, and wakes other owners that want one of them.
    pub(crate) fn claimed(&self, owner: &ObjectKey, meta: &ObjectMeta) {
        self.wake_others(owner, self.claims.put(owner, meta, self.digest_key.as_ref()));
    }

    /// Forgets which objects outside the cluster an owner had, and wakes other owners that want one of them.
    pub(crate) fn unclaimed(&self, owner: &ObjectKey) {
        self.wake_others(owner, self.claims.remove(owner));
    }

    fn wake_others(&self, owner: &ObjectKey, objects: BTreeSet<ObjectKey>) {
        for object in objects {
            let mut readers = self.router.index.readers(&object);
            readers.extend(self.claims.contenders(&object));
            readers.remove(owner);
            self.router.wake(readers);
        }
    }

    /// The component that reconciles objects of a kind, if there is one.
    pub(crate) fn component(&self, group: &str, kind: &str) -> Option<&ComponentKind> {
        self.components.iter().find(|component| component.is(group, kind))
    }

    /// The API resource of a kind, if the operator may read it.
    pub(crate) fn resource_of(&self, group: &str, kind: &str) -> Option<&ApiResource> {
        self.resources.get(&(group.to_owned(), kind.to_owned()))
    }
}
