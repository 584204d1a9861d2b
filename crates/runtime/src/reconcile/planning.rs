//! Planning, with reads between its passes.
//!
//! What a pass costs is up to the user who wrote the object. Therefore passes run on threads of their own, where they
//! delay neither other objects nor the requests that the process serves, and are given up after a while.

use super::Context;
use crate::{ReconcileError, apply::RunState, cluster::Interest};
use plan::{ComponentObject, ObjectKey, Plan, PlanError, Planned, Snapshot};
use std::{panic::resume_unwind, sync::Arc, time::Duration};
use tokio::runtime::{Handle, RuntimeFlavor};

/// Plans an object, reading what its component asks for until it is satisfied. The inner error is one of the object, the
/// outer one is what kept the operator from finding out.
///
/// # Errors
/// [`Failure::TooExpensive`] when a pass takes longer than `longest`; what the API server answered to a read.
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
                // Before a user is told, the API server is asked: the watch may lag.
                let unconfirmed = state.absences.unconfirmed(&keys, &cluster.router.index);
                let found = cluster.confirm(key, &unconfirmed).await?;
                if found.is_empty() {
                    state.absences.confirmed(unconfirmed);
                    state.forget_all_but(&reads);
                    return Ok(Err(ReconcileError::Plan(PlanError::Missing(keys))));
                }
                state.note(&found, Interest::Substance)?;
                snapshot.extend(found);
            }
            Planned::Failed { error, reads } => {
                state.forget_all_but(&reads);
                return Ok(Err(ReconcileError::Plan(error)));
            }
            Planned::Needs(keys) => {
                let found = cluster.fetch(key, &keys, Interest::Substance).await?;
                state.note(&found, Interest::Substance)?;
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

/// Runs `work` on a thread of its own, and waits for it no longer than this: a thread cannot be stopped, but it can be
/// left to itself. A runtime of one thread, which tests in virtual time have, runs it in place and so in a fixed order.
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
    async fn work_that_does_not_end_is_given_up_and_keeps_no_request_waiting() {
        let (release, held) = mpsc::channel::<()>();
        let endless = tokio::spawn(aside(Duration::from_millis(50), move || held.recv()));
        // The only worker thread would be in the way of this if the work were done on it.
        tokio::spawn(async {}).await.unwrap();
        let failure = endless.await.unwrap().unwrap_err();
        assert!(matches!(failure, ReconcileError::TooExpensive(_)), "{failure}");
        drop(release);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_panic_reaches_the_one_who_waits() {
        let failing = tokio::spawn(aside(Duration::from_mins(1), || -> () { panic!("a bug") }));
        assert!(failing.await.unwrap_err().is_panic());
    }

    #[tokio::test(start_paused = true)]
    async fn in_virtual_time_work_is_done_in_place() {
        let here = thread::current().id();
        assert_eq!(aside(Duration::ZERO, move || thread::current().id()).await.unwrap(), here);
    }
}
