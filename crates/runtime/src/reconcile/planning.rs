//! Planning, with reads between its passes.
//!
//! The cost of a pass depends on the object that a user wrote. Therefore passes run on blocking threads, where they
//! delay neither other objects nor the requests that the process serves, and have a time limit.

use super::Context;
use crate::{
    ReconcileError,
    apply::RunState,
    cluster::Interest,
    error::Verb,
    external::{Access, Age, Connect, Reader},
};
use futures::future::BoxFuture;
use jiff::Timestamp;
use kube::core::DynamicObject;
use plan::{
    ComponentObject, Connected, Needed, ObjectKey, Plan, PlanError, Planned, Snapshot, System, SystemError,
};
use std::{collections::BTreeSet, panic::resume_unwind, sync::Arc, time::Duration};
use tokio::runtime::{Handle, RuntimeFlavor};

/// A problem of an object, because of which it has no plan.
pub(crate) struct Unplannable {
    pub(crate) error: ReconcileError,
    /// When planning may succeed although nothing else changes.
    pub(crate) until: Option<Timestamp>,
}

impl From<Unplannable> for ReconcileError {
    fn from(unplannable: Unplannable) -> Self {
        unplannable.error
    }
}

/// Plans an object, and reads the objects that its component needs. The inner error is a problem of the object. The
/// outer error is a failure to plan it.
///
/// # Errors
/// [`ReconcileError::TooExpensive`] when a pass takes too long; what the API server answered to a read.
pub(crate) async fn plan(
    context: &Context,
    key: &ObjectKey,
    owner: &Arc<dyn ComponentObject>,
    state: &mut RunState,
) -> Result<Result<Plan, Unplannable>, ReconcileError> {
    let defaults = context.defaults.clone();
    let now = (context.clock)();
    let pass = move |owner: &dyn ComponentObject, known: &Snapshot| owner.plan_at(known, &defaults, now);
    Planning { context, key, owner }.run(state, pass, |plan: &Plan| (&plan.reads, &plan.statuses)).await
}

/// Asks the component of an object how to reach systems outside the cluster.
pub(crate) fn connector<'a>(
    context: &'a Context,
    key: &'a ObjectKey,
    owner: &'a Arc<dyn ComponentObject>,
) -> Connect<'a> {
    Box::new(move |system| Planning { context, key, owner }.connect(system))
}

/// Planning of one object.
#[derive(Clone, Copy)]
struct Planning<'a> {
    context: &'a Context,
    key: &'a ObjectKey,
    owner: &'a Arc<dyn ComponentObject>,
}

impl<'a> Planning<'a> {
    // Not an async function: reads of a plan may have to connect first.
    fn connect(self, system: System) -> BoxFuture<'a, Result<Access, ReconcileError>> {
        Box::pin(async move {
            let defaults = self.context.defaults.clone();
            let mut state = RunState::default();
            let pass = move |owner: &dyn ComponentObject, known: &Snapshot| {
                owner.connection(known, &defaults, &system)
            };
            let connected = self
                .run(&mut state, pass, |connected: &Connected| (&connected.reads, &connected.statuses))
                .await?;
            let connection = connected.map(|connected| connected.connection).map_err(ReconcileError::from);
            Ok(Access { connection, reads: state.reads })
        })
    }

    /// Runs passes until one needs no more reads. `reads_of` returns what the last one read, and of which it read the status.
    async fn run<T: Send + 'static>(
        self,
        state: &mut RunState,
        pass: impl Fn(&dyn ComponentObject, &Snapshot) -> Planned<T> + Send + Sync + 'static,
        reads_of: impl Fn(&T) -> (&BTreeSet<ObjectKey>, &BTreeSet<ObjectKey>),
    ) -> Result<Result<T, Unplannable>, ReconcileError> {
        let Self { context, key, owner } = self;
        let (cluster, pass) = (&context.cluster, Arc::new(pass));
        let mut snapshot = Snapshot::new();
        // What connections were decided on, no pass reads by itself.
        let mut connections = BTreeSet::new();
        loop {
            let (owner, known, pass) = (Arc::clone(owner), snapshot, Arc::clone(&pass));
            let pass = move || (pass(&*owner, &known), known);
            let (planned, known) = on_blocking_thread(context.planning, pass).await?;
            snapshot = known;
            let statuses = match &planned {
                Planned::Done(done) => reads_of(done).1,
                Planned::Needs(Needed { statuses, .. }) | Planned::Failed { statuses, .. } => statuses,
            };
            // An earlier pass asked for the object only, so what was shown to this one may have an old status.
            let is_shown_without =
                |key: &&ObjectKey| state.reads.get(*key).is_some_and(|read| read.interest == Interest::Spec);
            let again: BTreeSet<_> = statuses.iter().filter(is_shown_without).cloned().collect();
            if !again.is_empty() {
                let found = cluster.fetch(key, &again, Interest::SpecAndStatus).await?;
                state.note(&found, Interest::SpecAndStatus)?;
                snapshot.extend(found);
                continue;
            }
            match planned {
                Planned::Done(done) => {
                    state.forget_all_but(&(reads_of(&done).0 | &connections));
                    return Ok(Ok(done));
                }
                Planned::Failed { error: PlanError::Missing(keys), reads, until, .. } => {
                    // Ask the API server before reporting it: the watch may lag.
                    let unconfirmed = state.absences.unconfirmed(&keys, &cluster.router.index);
                    let found = cluster.confirm(key, &unconfirmed).await?;
                    if found.is_empty() {
                        state.absences.confirmed(unconfirmed);
                        state.forget_all_but(&(&reads | &connections));
                        let error = ReconcileError::Plan(PlanError::Missing(keys));
                        return Ok(Err(Unplannable { error, until }));
                    }
                    state.note(&found, Interest::Spec)?;
                    snapshot.extend(found);
                }
                Planned::Failed { error, reads, until, .. } => {
                    state.forget_all_but(&(&reads | &connections));
                    return Ok(Err(Unplannable { error: ReconcileError::Plan(error), until }));
                }
                Planned::Needs(Needed { keys, statuses }) => {
                    let (outside, inside): (BTreeSet<_>, BTreeSet<_>) =
                        keys.into_iter().partition(|key| key.system().is_some());
                    let (statuses, inside) = inside.into_iter().partition(|key| statuses.contains(key));
                    let settled = cluster.fetch(key, &statuses, Interest::SpecAndStatus).await?;
                    state.note(&settled, Interest::SpecAndStatus)?;
                    let mut found = cluster.fetch(key, &inside, Interest::Spec).await?;
                    found.extend(settled);
                    for object in outside {
                        let read = self.read(&object, state, &mut connections).await?;
                        found.insert(object, read);
                    }
                    state.note(&found, Interest::Spec)?;
                    if found.keys().all(|key| snapshot.contains_key(key)) {
                        return Err(ReconcileError::Bug(format!(
                            "planning {key} asks again for what it was shown"
                        )));
                    }
                    snapshot.extend(found);
                }
            }
        }
    }

    /// Reads an object outside the cluster.
    async fn read(
        self,
        object: &ObjectKey,
        state: &mut RunState,
        connections: &mut BTreeSet<ObjectKey>,
    ) -> Result<Option<Arc<DynamicObject>>, ReconcileError> {
        let Context { systems, cluster, .. } = self.context;
        let Some(system) = object.system() else { return Ok(None) };
        let Access { connection, reads } = self.connect(system.clone()).await?;
        connections.extend(reads.keys().cloned());
        state.reads.extend(reads);
        let gone = || systems.failed(Verb::Read, object, SystemError::Gone);
        let connection = connection?.ok_or_else(gone)?;
        let reader = Reader { cluster, owner: self.key };
        let found = systems.read(reader, &connection, object, Age::AsListed).await?;
        state.external.extend(found.iter().map(|found| (object.clone(), Arc::clone(found))));
        Ok(found)
    }
}

/// Runs `work` on a blocking thread, and waits no longer than `longest`. The thread itself cannot be stopped and
/// continues. On a runtime with one thread, as in tests with virtual time, `work` runs in place, so that the order is
/// fixed.
async fn on_blocking_thread<T: Send + 'static>(
    longest: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ReconcileError> {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        return Ok(work());
    }
    let span = tracing::Span::current();
    let working = tokio::task::spawn_blocking(move || span.in_scope(work));
    match tokio::time::timeout(longest, working).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => match error.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(error) => Err(ReconcileError::Bug(error.to_string())),
        },
        Err(_elapsed) => Err(ReconcileError::TooExpensive(longest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{sync::mpsc, thread};

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn endless_work_times_out_and_does_not_block_the_worker_thread() {
        let (release, held) = mpsc::channel::<()>();
        let endless = tokio::spawn(on_blocking_thread(Duration::from_millis(50), move || held.recv()));
        // This would not run if the only worker thread did the work.
        tokio::spawn(async {}).await.unwrap();
        let failure = endless.await.unwrap().unwrap_err();
        assert!(matches!(failure, ReconcileError::TooExpensive(_)), "{failure}");
        drop(release);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_panic_is_passed_on_to_the_caller() {
        let failing = tokio::spawn(on_blocking_thread(Duration::from_mins(1), || -> () { panic!("a bug") }));
        assert!(failing.await.unwrap_err().is_panic());
    }

    #[tokio::test(start_paused = true)]
    async fn in_virtual_time_work_runs_in_place() {
        let here = thread::current().id();
        assert_eq!(on_blocking_thread(Duration::ZERO, move || thread::current().id()).await.unwrap(), here);
    }
}
