//! All controllers and all watches of a process.

use crate::{
    Dice, Health, Metrics, Observer, SystemDice,
    cache::Cache,
    controller::{Limits, serve},
    events::Events,
    forbidden::probe,
    health::FirstList,
    lease::{Election, Elector, Leadership, Lost},
    router::Router,
    shared::Shared,
    watch::watch,
};
use futures::future::BoxFuture;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{Client, core::ApiResource};
use plan::{ChildKind, Children, Component, Defaults, DigestKey, HarborClass, ObjectKey};
use std::{collections::BTreeSet, sync::Arc, time::Duration};
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
    /// Of which class the objects are that are looked after. Those without a class by default.
    pub class: Option<HarborClass>,
    /// What is wanted of objects that say nothing. Nothing by default.
    pub defaults: Defaults,
    /// How long one reconcile may take before it is given up and tried again. One minute by default.
    pub deadline: Duration,
    /// How long one pass of planning may take before the object is given up as too expensive. Ten seconds by default: the
    /// largest object that the definitions allow takes a fraction of a second.
    pub planning: Duration,
    /// How many objects of one kind are reconciled at once. 4 by default: more would not be faster, only in less of an order.
    pub concurrency: u16,
    /// Field managers whose fields we take over. None by default.
    pub predecessors: BTreeSet<String>,
    /// Randomness. The operating system's by default.
    pub dice: Arc<dyn Dice>,
    /// What makes the digests of what pods use. A placeholder by default, with which passwords can be guessed: an
    /// operator that is more than a test is given that of [`crate::make_digest_key`].
    pub digest_key: DigestKey,
    /// The time. The system's by default.
    pub clock: fn() -> Timestamp,
    /// The lease for which this operator competes with others like it. None by default: then it has no rivals.
    pub election: Option<Election>,
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
            class: None,
            defaults: Defaults::default(),
            deadline: Duration::from_mins(1),
            planning: Duration::from_secs(10),
            concurrency: 4,
            predecessors: BTreeSet::new(),
            dice: Arc::new(SystemDice),
            digest_key: DigestKey::PLACEHOLDER,
            clock: Timestamp::now,
            election: None,
            metrics: Arc::default(),
            health: Arc::default(),
            trace_id: |_| None,
            observer: None,
        }
    }
}

/// Why an operator ended that nobody had told to.
#[derive(Debug, thiserror::Error)]
pub enum Ended {
    /// A bug.
    #[error("one of its tasks panicked: {0}")]
    Panicked(#[from] tokio::task::JoinError),
    /// Another one may be at work.
    #[error("it no longer leads: {0}")]
    Deposed(Lost),
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

/// What all scopes share.
struct Means {
    /// Changes nothing unless we lead.
    client: Client,
    events: Events,
    cache: Arc<Cache>,
    stop: CancellationToken,
    leading: CancellationToken,
}

/// Everything the process does. Register components, then run.
pub struct Operator {
    client: Client,
    options: Options,
    leadership: Leadership,
    registrations: Vec<Registration>,
}

impl Operator {
    /// An operator without components.
    pub fn new(client: Client, options: Options) -> Self {
        let leadership = match options.election {
            Some(_) => Leadership::contested(),
            None => Leadership::unrivalled(),
        };
        Self { client, options, leadership, registrations: Vec::new() }
    }

    /// Whether it leads, for whoever wants to tell.
    pub fn leadership(&self) -> Leadership {
        self.leadership.clone()
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

    /// Works until `stop` is cancelled, then lets reconciles under way come to an end and hands over to the next.
    ///
    /// What it looks after is watched from the start; anything is changed only while it leads.
    ///
    /// # Errors
    /// When one of its tasks panics, which no reconcile can cause: better to be restarted than to go on half-blind.
    /// When it no longer leads: whatever was under way is abandoned, and all it knows is forgotten with it.
    pub async fn run(self, stop: CancellationToken) -> Result<(), Ended> {
        let leading = CancellationToken::new();
        let mut elector = self.elector();
        let mut tasks = self.tasks(&stop, &leading);
        let work = async {
            while let Some(ended) = tasks.join_next().await {
                if ended.is_err() {
                    stop.cancel();
                }
                ended?;
            }
            Ok(())
        };
        let metrics = &self.options.metrics;
        let lead = async {
            if let Some(elector) = &mut elector {
                elector.win().await;
            }
            metrics.leading(true);
            leading.cancel();
            match &mut elector {
                Some(elector) => elector.keep().await,
                None => std::future::pending().await,
            }
        };
        let ended = tokio::select! {
            ended = work => ended,
            lost = lead => Err(Ended::Deposed(lost)),
        };
        if let Some(elector) = &mut elector
            && !matches!(ended, Err(Ended::Deposed(_)))
        {
            elector.release().await;
        }
        ended
    }

    fn elector(&self) -> Option<Elector> {
        let Self { client, leadership, options, .. } = self;
        let election = options.election.clone()?;
        let dice = Arc::clone(&options.dice);
        Some(Elector::new(client.clone(), election, leadership.clone(), options.clock, dice))
    }

    /// Everything that is done, begun; reconciles wait until the operator is `leading`.
    fn tasks(&self, stop: &CancellationToken, leading: &CancellationToken) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        let client = self.leadership.guard(self.client.clone());
        let metrics = Arc::clone(&self.options.metrics);
        let (events, send_events) = Events::new(client.clone(), metrics, stop.clone());
        tasks.spawn(send_events);
        let means =
            Means { client, events, cache: Arc::default(), stop: stop.clone(), leading: leading.clone() };
        for scope in &self.options.scopes {
            self.start(scope, &means, &mut tasks);
        }
        tasks
    }

    fn start(&self, scope: &Scope, means: &Means, tasks: &mut JoinSet<()>) {
        let Means { client, events, cache, stop, leading } = means;
        let mut children = Children::none().and::<Secret>().and::<ConfigMap>();
        self.registrations.iter().for_each(|registration| children.extend(registration.children.clone()));
        let mut router = Router::default();
        let queues: Vec<_> = self
            .registrations
            .iter()
            .map(|Registration { resource, .. }| router.queue(&resource.group, &resource.kind))
            .collect();
        let is_owner = |resource: &ApiResource| self.registrations.iter().any(|r| r.resource == *resource);
        let (client, events, cache) = (client.clone(), events.clone(), Arc::clone(cache));
        let shared = Shared::new(client, router, &children, &self.options, events, cache, stop.clone());
        let shared = Arc::new(shared);
        tasks.spawn(probe(Arc::clone(&shared)));
        let mut settled = vec![leading.clone()];
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
