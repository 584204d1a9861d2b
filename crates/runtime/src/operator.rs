//! Starts and ends all watches and controllers of a process.

use crate::{
    Options, Scope,
    cluster::{Cache, Classes, Cluster, start_watches},
    external::Systems,
    reconcile::{Context, Reconciler},
    report::Events,
    schedule::{Limits, PermissionWaiters, control, probe},
};
use election::{Elector, Leadership, Lost};
use futures::{FutureExt as _, future::join_all};
use kube::Client;
use plan::ComponentKind;
use std::{sync::Arc, time::Duration};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long the first reconciles of all owners take at most.
const FIRST_RECONCILES: Duration = Duration::from_mins(5);

/// Why the operator ended although it was not stopped.
#[derive(Debug, thiserror::Error)]
pub enum Ended {
    /// A bug.
    #[error("one of its tasks panicked: {0}")]
    Panicked(#[from] tokio::task::JoinError),
    /// It lost the lease, so another operator may be the leader.
    #[error("it is no longer the leader: {0}")]
    Deposed(Lost),
}

/// The parts that all scopes share.
struct Process {
    /// Writes only while the operator is the leader.
    client: Client,
    events: Events,
    cache: Arc<Cache>,
    systems: Arc<Systems>,
    stop: CancellationToken,
    leading: CancellationToken,
}

/// The operator: all controllers, watches and the leader election.
pub struct Operator {
    client: Client,
    components: Arc<[ComponentKind]>,
    options: Options,
    leadership: Leadership,
}

impl Operator {
    /// An operator for these components.
    pub fn new(client: Client, components: Vec<ComponentKind>, options: Options) -> Self {
        let leadership = match options.election {
            Some(_) => Leadership::candidate(),
            None => Leadership::permanent(),
        };
        Self { client, components: components.into(), options, leadership }
    }

    /// Whether it is the leader.
    pub fn leadership(&self) -> Leadership {
        self.leadership.clone()
    }

    /// Runs until `stop` is cancelled, then waits for running reconciles and releases the lease.
    ///
    /// It watches from the start, and makes changes only while it is the leader.
    ///
    /// # Errors
    /// When one of its tasks panics, which no reconcile can cause. A restart is better than missing some changes.
    /// When it loses the lease. It then abandons all running reconciles, and the process must restart.
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
                elector.acquire().await;
            }
            metrics.leading(true);
            leading.cancel();
            match &mut elector {
                Some(elector) => elector.renew_until_lost().await,
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
        let entropy = Arc::clone(&options.entropy);
        let jitter = Arc::new(move |most| entropy.jitter(most));
        Some(Elector::new(client.clone(), election, leadership.clone(), options.clock, jitter))
    }

    /// Starts all tasks. Reconciles wait until the operator is `leading`.
    fn tasks(&self, stop: &CancellationToken, leading: &CancellationToken) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        let client = self.leadership.guard(self.client.clone());
        let (events, send_events) =
            Events::new(client.clone(), Arc::clone(&self.options.metrics), stop.clone());
        tasks.spawn(send_events);
        let cache = Arc::default();
        let systems = Arc::new(Systems::new(&self.options, self.leadership()));
        tasks.spawn(Arc::clone(&systems).refresh(stop.clone()));
        let process =
            Process { client, events, cache, systems, stop: stop.clone(), leading: leading.clone() };
        for scope in &self.options.scopes {
            self.start(scope, &process, &mut tasks);
        }
        tasks
    }

    fn start(&self, scope: &Scope, process: &Process, tasks: &mut JoinSet<()>) {
        let Self { components, options, .. } = self;
        let Process { client, events, cache, systems, stop, leading } = process;
        let classes = Classes::Only(options.class.clone());
        let (cache, stop) = (Arc::clone(cache), stop.clone());
        let cluster =
            Arc::new(Cluster::new(client.clone(), Arc::clone(components), classes, options, cache, stop));
        let systems = Arc::clone(systems);
        let context = Arc::new(Context::new(Arc::clone(&cluster), systems, options, events.clone()));
        let waiters = Arc::<PermissionWaiters>::default();
        tasks.spawn(probe(Arc::clone(&cluster), Arc::clone(&waiters)));
        let queues: Vec<_> =
            components.iter().map(|component| cluster.router.queue([component.resource()])).collect();
        let mut settled = vec![leading.clone()];
        settled.extend(start_watches(&cluster, scope, tasks).iter().map(|it| it.first.settled()));
        tasks.spawn(end_preload(Arc::clone(&cluster), settled.clone()));
        let limits = Limits { deadline: options.deadline, concurrency: options.concurrency };
        for (component, queue) in components.iter().zip(queues) {
            let reconciler = Reconciler::new(Arc::clone(&context), component.clone());
            let settled = settled.clone();
            let waiters = Arc::clone(&waiters);
            tasks.spawn(async move {
                let settled = join_all(settled.iter().map(CancellationToken::cancelled)).map(drop);
                control(reconciler, waiters, queue, limits, settled).await;
            });
        }
    }
}

/// Frees what was read for the first reconciles, some time after they began.
async fn end_preload(cluster: Arc<Cluster>, settled: Vec<CancellationToken>) {
    let ended = async {
        join_all(settled.iter().map(CancellationToken::cancelled)).await;
        tokio::time::sleep(FIRST_RECONCILES).await;
        cluster.cache.end_preload();
    };
    cluster.stop.run_until_cancelled(ended).await;
}
