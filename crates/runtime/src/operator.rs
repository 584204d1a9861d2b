//! All controllers and all watches of a process.

use crate::{
    Dice, Health, Metrics, Observer, SystemDice,
    cache::Cache,
    controller::{Limits, serve},
    events::Events,
    health::FirstList,
    progress::Audience,
    reconcile::Shared,
    router::Router,
    watch::watch,
};
use futures::future::BoxFuture;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{Client, core::ApiResource};
use plan::{ChildKind, Children, Component, ObjectKey};
use std::{
    collections::BTreeSet,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use tokio::{sync::mpsc, task::JoinSet};
use tokio_util::sync::CancellationToken;

/// Which part of the cluster is looked after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of it.
    Cluster,
    /// One namespace, with permissions in that one only.
    Namespace(String),
}

/// How the operator works.
#[derive(Clone)]
pub struct Options {
    /// What is looked after; scopes must not overlap. The whole cluster by default.
    pub scopes: Vec<Scope>,
    /// How long one reconcile may take before it is given up and tried again. One minute by default.
    pub deadline: Duration,
    /// How many objects of one kind are reconciled at once. 4 by default: more would not be faster, only in less of an order.
    pub concurrency: u16,
    /// Field managers whose fields we take over. None by default.
    pub predecessors: BTreeSet<String>,
    /// Randomness. The operating system's by default.
    pub dice: Arc<dyn Dice>,
    /// The time. The system's by default.
    pub clock: fn() -> Timestamp,
    /// Where everything is counted. Nobody else's by default.
    pub metrics: Arc<Metrics>,
    /// Where the operator says how it is. Nobody else's by default.
    pub health: Arc<Health>,
    /// The id of the trace a span belongs to, where traces are made. None by default.
    pub trace_id: fn(&tracing::Span) -> Option<String>,
    /// Who is told what happens while it does. Nobody by default.
    pub observer: Option<Arc<dyn Observer>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scopes: vec![Scope::Cluster],
            deadline: Duration::from_mins(1),
            concurrency: 4,
            predecessors: BTreeSet::new(),
            dice: Arc::new(SystemDice),
            clock: Timestamp::now,
            metrics: Arc::default(),
            health: Arc::default(),
            trace_id: |_| None,
            observer: None,
        }
    }
}

type Serve = fn(
    Arc<Shared>,
    Option<ChildKind>,
    mpsc::UnboundedReceiver<ObjectKey>,
    Scope,
    Limits,
    FirstList,
    Vec<CancellationToken>,
) -> BoxFuture<'static, ()>;

struct Registration {
    resource: ApiResource,
    children: Children,
    serve: Serve,
}

/// Everything the process does. Register components, then run.
pub struct Operator {
    client: Client,
    options: Options,
    registrations: Vec<Registration>,
}

impl Operator {
    /// An operator without components.
    pub fn new(client: Client, options: Options) -> Self {
        Self { client, options, registrations: Vec::new() }
    }

    /// Looks after objects of this kind, too.
    pub fn register<C: Component>(&mut self) {
        self.registrations.push(Registration {
            resource: ApiResource::erase::<C::Owner>(&()),
            children: C::children(),
            serve: |shared, as_child, queue, scope, limits, first, settled| {
                Box::pin(serve::<C>(shared, as_child, queue, scope, limits, first, settled))
            },
        });
    }

    /// Works until `stop` is cancelled, then lets reconciles under way come to an end.
    ///
    /// # Errors
    /// When one of its tasks panics, which no reconcile can cause: better to be restarted than to go on half-blind.
    pub async fn run(self, stop: CancellationToken) -> Result<(), tokio::task::JoinError> {
        let mut tasks = JoinSet::new();
        let (events, send_events) =
            Events::new(self.client.clone(), Arc::clone(&self.options.metrics), stop.clone());
        tasks.spawn(send_events);
        let cache = Arc::new(Cache::default());
        for scope in &self.options.scopes {
            self.start(scope, &cache, &events, &stop, &mut tasks);
        }
        while let Some(ended) = tasks.join_next().await {
            if ended.is_err() {
                stop.cancel();
            }
            ended?;
        }
        Ok(())
    }

    fn start(
        &self,
        scope: &Scope,
        cache: &Arc<Cache>,
        events: &Events,
        stop: &CancellationToken,
        tasks: &mut JoinSet<()>,
    ) {
        let mut children = Children::none().and::<Secret>().and::<ConfigMap>();
        self.registrations.iter().for_each(|registration| children.extend(registration.children.clone()));
        let mut router = Router::default();
        let queues: Vec<_> = self
            .registrations
            .iter()
            .map(|Registration { resource, .. }| router.queue(&resource.group, &resource.kind))
            .collect();
        let is_owner = |resource: &ApiResource| self.registrations.iter().any(|r| r.resource == *resource);
        let shared = Arc::new(Shared {
            client: self.client.clone(),
            router,
            kinds: children
                .iter()
                .map(|kind| {
                    ((kind.resource.group.clone(), kind.resource.kind.clone()), kind.resource.clone())
                })
                .collect(),
            cache: Arc::clone(cache),
            predecessors: self.options.predecessors.clone(),
            dice: Arc::clone(&self.options.dice),
            clock: self.options.clock,
            events: events.clone(),
            metrics: Arc::clone(&self.options.metrics),
            health: Arc::clone(&self.options.health),
            trace_id: self.options.trace_id,
            reconciles: AtomicU64::new(0),
            audience: Audience(self.options.observer.clone()),
            stop: stop.clone(),
        });
        let mut settled = Vec::new();
        for kind in children.iter().filter(|kind| !is_owner(&kind.resource)) {
            let first = shared.health.first_list(&kind.resource.kind);
            settled.push(first.settled());
            tasks.spawn(watch(Arc::clone(&shared), kind.clone(), scope.clone(), first));
        }
        let limits = Limits { deadline: self.options.deadline, concurrency: self.options.concurrency };
        // Owners are children too: before they are listed, Core would seem to be missing to Harbor.
        let first_list = |it: &Registration| shared.health.first_list(&it.resource.kind);
        let first_lists: Vec<_> = self.registrations.iter().map(first_list).collect();
        settled.extend(first_lists.iter().map(FirstList::settled));
        for ((Registration { resource, serve, .. }, queue), first) in
            self.registrations.iter().zip(queues).zip(first_lists)
        {
            let as_child = children.iter().find(|kind| kind.resource == *resource).cloned();
            let settled = settled.clone();
            tasks.spawn(serve(Arc::clone(&shared), as_child, queue, scope.clone(), limits, first, settled));
        }
    }
}
