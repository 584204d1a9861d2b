//! The rules, kept current by watches.

use crate::rules_map::RulesMap;
use api::{
    names::REWRITING_LABEL,
    v1beta1::{Core, Harbor, HarborCluster, HarborServerConfiguration, Registry},
};
use futures::{Stream, StreamExt as _};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::{
    Api, Client, Resource, ResourceExt as _,
    core::{ApiResource, PartialObjectMeta},
    runtime::{WatchStreamExt as _, watcher},
};
use runtime::Lists;
use std::{
    pin::pin,
    sync::{PoisonError, RwLock},
};
use tokio::sync::watch;
use webhook::admission::{ConfigMapSource, NamespaceSource, ServerSource, Sources, Table};

/// The kinds that rules come from.
const FEEDS: usize = 7;

/// How many objects are in memory at the same time while they are listed in pages. ConfigMaps come with their content.
const PAGE: u32 = 10;

/// The objects that rules come from. Reviews read them, watches change them.
#[derive(Debug)]
pub(crate) struct Rules {
    sources: RwLock<Sources>,
    state: watch::Sender<State>,
}

/// How much the watches have delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// How many kinds have been listed.
    listed: usize,
    /// How often an object has changed since.
    changes: u64,
}

impl State {
    /// Whether all kinds have been listed.
    pub fn is_complete(self) -> bool {
        self.listed == FEEDS
    }
}

impl Rules {
    /// Rules that never apply to pods in `excluded` namespaces.
    pub fn new(excluded: impl IntoIterator<Item = String>) -> Self {
        let sources = Sources { excluded: excluded.into_iter().collect(), ..Sources::default() };
        Self { sources: RwLock::new(sources), state: watch::Sender::new(State::default()) }
    }

    /// Rules from objects of all kinds, which have been listed.
    pub fn listed(sources: Sources) -> Self {
        let state = State { listed: FEEDS, changes: 0 };
        Self { sources: RwLock::new(sources), state: watch::Sender::new(state) }
    }

    /// Reads the objects, once all kinds have been listed.
    pub fn read<T>(&self, read: impl FnOnce(&Sources) -> T) -> Option<T> {
        let complete = self.state.borrow().is_complete();
        complete.then(|| read(&self.sources.read().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Reports when objects have changed.
    pub fn changes(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Waits until all kinds have been listed.
    pub async fn until_listed(&self) {
        // The sender is in `self`.
        let _ = self.changes().wait_for(|state| state.is_complete()).await;
    }

    /// Watches all kinds. Never ends.
    pub async fn feed(&self, client: &Client) {
        let probed = Api::all_with(client.clone(), &ApiResource::erase::<ConfigMap>(&()));
        let lists = Lists::probe(&probed).await.unwrap_or(Lists::Paged);
        let all = || lists.config(watcher::Config::default(), PAGE);
        let labelled = all().labels(&format!("{REWRITING_LABEL}=enabled"));
        let namespaces = watcher(Api::<Namespace>::all(client.clone()), labelled);
        let config_maps = watcher(Api::<RulesMap>::all(client.clone()), all());
        let servers = watcher(Api::<HarborServerConfiguration>::all(client.clone()), all());
        let harbors = watcher(Api::<PartialObjectMeta<Harbor>>::all(client.clone()), all());
        let clusters = watcher(Api::<PartialObjectMeta<HarborCluster>>::all(client.clone()), all());
        let cores = watcher(Api::<PartialObjectMeta<Core>>::all(client.clone()), all());
        let registries = watcher(Api::<PartialObjectMeta<Registry>>::all(client.clone()), all());
        tokio::join!(
            self.follow(namespaces, |it| &mut it.namespaces, |it| Some(NamespaceSource::new(it))),
            self.follow(config_maps, |it| &mut it.config_maps, |it| ConfigMapSource::new(&it.config_map())),
            self.follow(servers, |it| &mut it.servers, |it| Some(ServerSource::new(it))),
            self.follow(harbors, |it| &mut it.harbors, |_| Some(())),
            self.follow(clusters, |it| &mut it.clusters, |_| Some(())),
            self.follow(cores, |it| &mut it.cores, |_| Some(())),
            self.follow(registries, |it| &mut it.registries, |_| Some(())),
        );
    }

    /// Keeps a table as the watch says. Objects that `compile` returns nothing for are not in it.
    async fn follow<K, T>(
        &self,
        events: impl Stream<Item = Result<watcher::Event<K>, watcher::Error>>,
        table: impl Fn(&mut Sources) -> &mut Table<T>,
        compile: impl Fn(&K) -> Option<T>,
    ) where
        K: Resource,
    {
        let mut events = pin!(events.default_backoff());
        let mut listing = Table::new();
        let mut listed = false;
        while let Some(event) = events.next().await {
            match event {
                Ok(watcher::Event::Init) => listing = Table::new(),
                Ok(watcher::Event::InitApply(object)) => {
                    if let Some(compiled) = compile(&object) {
                        listing.insert(key(&object), compiled);
                    }
                }
                Ok(watcher::Event::InitDone) => {
                    let all = std::mem::take(&mut listing);
                    self.change(|sources| {
                        *table(sources) = all;
                        true
                    });
                    if !listed {
                        listed = true;
                        self.state.send_modify(|state| state.listed += 1);
                    }
                }
                Ok(watcher::Event::Apply(object)) => self.change(|sources| match compile(&object) {
                    Some(compiled) => {
                        table(sources).insert(key(&object), compiled);
                        true
                    }
                    None => table(sources).remove(&key(&object)).is_some(),
                }),
                Ok(watcher::Event::Delete(object)) => {
                    self.change(|sources| table(sources).remove(&key(&object)).is_some());
                }
                Err(error) => {
                    tracing::warn!(
                        error = runtime::with_sources(&error),
                        "a watch of rewriting rules failed"
                    );
                }
            }
        }
    }

    /// Changes the objects, and reports it if `change` returns that something differs.
    fn change(&self, change: impl FnOnce(&mut Sources) -> bool) {
        if change(&mut self.sources.write().unwrap_or_else(PoisonError::into_inner)) {
            self.state.send_modify(|state| state.changes += 1);
        }
    }
}

fn key<K: Resource>(object: &K) -> (String, String) {
    (object.namespace().unwrap_or_default(), object.name_any())
}

#[cfg(test)]
mod tests;
