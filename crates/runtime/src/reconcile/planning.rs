//! Planning, with reads between its passes.
//!
//! The cost of a pass depends on the object that a user wrote. Therefore passes run on blocking threads, where they
//! delay neither other objects nor the requests that the process serves, and have a time limit.

use super::Context;
use crate::{ReconcileError, apply::RunState, cluster::Interest};
use plan::{ComponentObject, ObjectKey, Plan, PlanError, Planned, Snapshot};
use std::{panic::resume_unwind, sync::Arc, time::Duration};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Plans an object, and reads the objects that its component needs. The inner error is a problem of the object. The
/// outer error is a failure to plan it.
///
/// # Errors
/// [`ReconcileError::TooExpensive`] when a pass takes longer than `longest`, and errors of reads.
pub(crate) async fn plan(
    context: &Context,
    key: &ObjectKey,
    owner: &Arc<dyn ComponentObject>,
    state: &mut RunState,
) -> Result<Result<Plan, ReconcileError>, ReconcileError> {
    let Context { cluster, defaults, planning: longest, .. } = context;
    let mut snapshot = Snapshot::new();
    let given = Arc::new((Arc::clone(owner), defaults.clone()));
    loop {
        let (owner_and_defaults, known) = (Arc::clone(&given), snapshot);
        let pass = move || {
            let (owner, defaults) = &*owner_and_defaults;
            (owner.plan(&known, defaults), known)
        };
        let (planned, known) = aside(*longest, pass).await?;
        snapshot = known;
        match planned {
            Planned::Done(plan) => {
                state.forget_all_but(&plan.reads);
                return Ok(Ok(plan));
            }
            Planned::Failed { error: PlanError::Missing(keys), reads } => {
                // The watch may lag, so read the object before reporting that it is missing.
                let unconfirmed = state.absences.unconfirmed(&keys, &cluster.router.index);
                let found = cluster.confirm(key, &unconfirmed).await?;
                if found.is_empty() {
                    state.absences.confirmed(unconfirmed);
                    state.forget_all_but(&reads);
                    return Ok(Err(ReconcileError::Plan(PlanError::Missing(keys))));
                }
                state.note(&found, Interest::Spec)?;
                snapshot.extend(found);
            }
            Planned::Failed { error, reads } => {
                state.forget_all_but(&reads);
                return Ok(Err(ReconcileError::Plan(error)));
            }
            Planned::Needs(keys) => {
                let found = cluster.fetch(key, &keys, Interest::Spec).await?;
                state.note(&found, Interest::Spec)?;
                if found.keys().all(|key| snapshot.contains_key(key)) {
                    return Err(ReconcileError::Bug(format!(
                        "planning {key} requires objects that it already has"
                    )));
                }
                snapshot.extend(found);
            }
        }
    }
}

/// Runs `work` on a blocking thread, and waits no longer than `longest`. The thread itself cannot be stopped and
/// continues. On a runtime with one thread, as in tests with virtual time, `work` runs in place, so that the order is
/// fixed.
async fn aside<T: Send + 'static>(
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
        let endless = tokio::spawn(aside(Duration::from_millis(50), move || held.recv()));
        // This would not run if the only worker thread did the work.
        tokio::spawn(async {}).await.unwrap();
        let failure = endless.await.unwrap().unwrap_err();
        assert!(matches!(failure, ReconcileError::TooExpensive(_)), "{failure}");
        drop(release);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_panic_is_passed_on_to_the_caller() {
        let failing = tokio::spawn(aside(Duration::from_mins(1), || -> () { panic!("a bug") }));
        assert!(failing.await.unwrap_err().is_panic());
    }

    #[tokio::test(start_paused = true)]
    async fn in_virtual_time_work_runs_in_place() {
        let here = thread::current().id();
        assert_eq!(aside(Duration::ZERO, move || thread::current().id()).await.unwrap(), here);
    }
}
