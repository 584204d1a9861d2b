//! The controller of one kind of owner: takes keys from a queue and reconciles them, with a deadline and without
//! letting a panic through.

use super::{PermissionWaiters, backoff::retry, queue::Queue};
use crate::{
    ReconcileError,
    external::has_finalizer,
    reconcile::{Context, Findings, Owner, Reasons, Reconciler, Session},
    telemetry::{ObjectState, ReconcileMetrics},
};
use futures::{FutureExt as _, StreamExt as _, future::FusedFuture as _, stream::FuturesUnordered};
use plan::{Class, Classify, ObjectKey, Outcome, Verdict};
use progress::Stage;
use std::{
    collections::BTreeSet,
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::{sync::mpsc, time::Instant};
use tracing::{Instrument as _, Span, field::Empty};

/// How long the controller sleeps while no reconcile is scheduled.
const IDLE: Duration = Duration::from_hours(1);

/// How long the write of a status may take.
const REPORT_DEADLINE: Duration = Duration::from_secs(10);

/// After how long an owner with certificates is reconciled before their renewal is due. This sends no requests.
const LONGEST_SLEEP: Duration = Duration::from_hours(24);

/// Limits of one controller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long one reconcile may take.
    pub(crate) deadline: Duration,
    /// How many reconciles run concurrently.
    pub(crate) concurrency: u16,
}

struct Controller {
    reconciler: Reconciler,
    waiters: Arc<PermissionWaiters>,
    limits: Limits,
}

/// Reconciles the owners of one kind that are `woken`, several concurrently, until the operator stops. Then it waits
/// for running reconciles. Owners stay in the queue until everything is `settled`: before the first lists have ended,
/// every child would seem to be missing, and before this operator is the leader, another one reconciles.
pub(crate) async fn control(
    reconciler: Reconciler,
    waiters: Arc<PermissionWaiters>,
    mut woken: mpsc::UnboundedReceiver<ObjectKey>,
    limits: Limits,
    settled: impl Future<Output = ()>,
) {
    let controller = Controller { reconciler, waiters, limits };
    let cluster = Arc::clone(&controller.reconciler.context.cluster);
    let backlog = cluster.metrics.backlog(&controller.reconciler.component.resource().kind);
    let wake = |queue: &mut Queue, key: ObjectKey| {
        let seniority = cluster.router.index.seniority(&key);
        queue.add(key, seniority);
    };
    let mut queue = Queue::new(limits.concurrency);
    let mut running = FuturesUnordered::new();
    let (mut settled, mut at_once) = (pin!(settled.fuse()), 0);
    loop {
        // Add all before taking the first: the last one may be the first in order.
        while let Ok(key) = woken.try_recv() {
            wake(&mut queue, key);
        }
        while running.len() < at_once
            && let Some(key) = queue.next(Instant::now())
        {
            running.push(controller.serve(key));
        }
        let (waiting, since) = queue.backlog();
        backlog.set(waiting, since);
        let due = queue.next_due().unwrap_or_else(|| Instant::now() + IDLE);
        tokio::select! {
            biased;
            () = cluster.stop.cancelled() => break,
            () = &mut settled, if !settled.is_terminated() => at_once = usize::from(limits.concurrency),
            Some((key, wait)) = running.next() => queue.done(key, wait, Instant::now()),
            Some(key) = woken.recv() => wake(&mut queue, key),
            () = tokio::time::sleep_until(due) => {}
        }
    }
    while running.next().await.is_some() {}
}

impl Controller {
    /// Reconciles one owner. Returns after how long to reconcile it again without an event, if at all.
    async fn serve(&self, key: ObjectKey) -> (ObjectKey, Option<Duration>) {
        let Self { reconciler, waiters, limits } = self;
        let cluster = &reconciler.context.cluster;
        let longest = limits.deadline + 3 * REPORT_DEADLINE;
        let wait = match reconciler.owner(&key) {
            Some(owner) => {
                let _underway = cluster.health.begin(&key, longest);
                self.guarded(&owner).await
            }
            // The owner was deleted before its reconcile.
            None => None,
        };
        // The owner was deleted during its reconcile.
        if !cluster.owners.contains(&key) {
            reconciler.forget(&key);
            waiters.forget(&key);
        }
        (key, wait)
    }

    /// Reconciles one owner with a deadline, catches panics, and reports every error.
    async fn guarded(&self, owner: &Owner) -> Option<Duration> {
        let Self { reconciler, waiters, .. } = self;
        let key = &owner.key;
        let work = async {
            let is_deleting = owner.meta().deletion_timestamp.is_some();
            // The garbage collector deletes the children with their owner.
            if is_deleting && !has_finalizer(&owner.stored) || owner.is_idle(&reconciler.context.cluster) {
                reconciler.forget(key);
                waiters.forget(key);
                return None;
            }
            reconciler
                .context
                .progress
                .stored(key, &|| serde_json::to_value(&owner.stored).unwrap_or_default());
            let mut session = reconciler.take_session(key);
            let findings = if is_deleting {
                Some(self.finalize(owner, &session).await)
            } else if owner.is_paused() {
                None
            } else {
                Some(self.guard(reconciler.reconcile(owner, &mut session)).await)
            };
            if is_deleting && findings.as_ref().is_some_and(|findings| findings.outcomes.is_empty()) {
                reconciler.forget(key);
                return None;
            }
            let wait = self.conclude(owner, &mut session, findings).await;
            reconciler.keep_session(key, session);
            wait
        };
        let began = Instant::now();
        let wait = work.instrument(span(key, &reconciler.context)).await;
        reconciler.metrics.took(began.elapsed());
        wait
    }

    /// What work finds that ends in time, and does not end everything else with it.
    async fn guard(&self, work: impl Future<Output = Result<Findings, ReconcileError>>) -> Findings {
        within(self.limits.deadline, work).await.unwrap_or_else(|error| Findings::failed(&error))
    }

    /// Finalizes an owner. Whatever fails, it keeps no namespace from being deleted.
    async fn finalize(&self, owner: &Owner, session: &Session) -> Findings {
        let Self { reconciler, limits, .. } = self;
        let error = match within(limits.deadline, reconciler.finalize(owner, session)).await {
            Ok(findings) => return findings,
            Err(error) => error,
        };
        match within(REPORT_DEADLINE, reconciler.leave_behind(owner, session, &error)).await {
            Ok(true) => Findings::nothing(),
            Ok(false) => Findings::failed(&error),
            Err(error) => Findings::failed(&error),
        }
    }

    /// Writes the status, and decides when to reconcile again.
    async fn conclude(
        &self,
        owner: &Owner,
        session: &mut Session,
        findings: Option<Findings>,
    ) -> Option<Duration> {
        let Self { reconciler, .. } = self;
        let (reported, verdict) = match &findings {
            None => {
                (tokio::time::timeout(REPORT_DEADLINE, reconciler.report_pause(owner, session)).await, None)
            }
            Some(Findings { outcomes, aspects }) => {
                let verdict = Verdict::of(outcomes);
                if verdict == Verdict::Interrupted {
                    reconciler.metrics.ended(ObjectState::Interrupted);
                    return None;
                }
                let cause = plan::cause(outcomes);
                let reasons = Reasons { cause: cause.as_ref(), aspects: aspects.as_ref() };
                let report = reconciler.report(owner, session, &verdict, reasons);
                (tokio::time::timeout(REPORT_DEADLINE, report).await, Some(verdict))
            }
        };
        let (unreported, more_to_report) = match reported {
            Ok(Ok(more)) => (None, more),
            Ok(Err(error)) => (Some(error), None),
            Err(_elapsed) => (Some(ReconcileError::DeadlineExceeded(REPORT_DEADLINE)), None),
        };
        match &unreported {
            Some(error) if session.attempts == 0 => {
                tracing::warn!(error = plan::one_line(error), "could not write the status");
            }
            Some(error) => tracing::debug!(error = plan::one_line(error), "could not write the status"),
            None => {}
        }
        reconciler.context.progress.stage(&owner.key, || match &verdict {
            Some(verdict) => Stage::Concluded(verdict.clone()),
            None => Stage::Paused,
        });
        session.logged.log(owner.meta(), verdict.as_ref());
        let state = ObjectState::of(verdict.as_ref());
        reconciler.metrics.ended(state);
        session.counted = reconciler.metrics.count(state);
        let cluster = &reconciler.context.cluster;
        session.track_certificates(&cluster.router.index, &cluster.metrics);
        session.track_installation(owner, state, &cluster.metrics);
        let outcomes = findings.map(|findings| findings.outcomes).unwrap_or_default();
        count_failures(&outcomes, unreported.as_ref(), &reconciler.metrics);
        let retry = next(&owner.key, &outcomes, unreported.as_ref(), session, self);
        retry.into_iter().chain(more_to_report).min()
    }
}

/// The result of work that ends in time; a panic is an error.
async fn within<T>(
    deadline: Duration,
    work: impl Future<Output = Result<T, ReconcileError>>,
) -> Result<T, ReconcileError> {
    match tokio::time::timeout(deadline, AssertUnwindSafe(work).catch_unwind()).await {
        Ok(Ok(result)) => result,
        Ok(Err(_panic)) => Err(ReconcileError::Panicked),
        Err(_elapsed) => Err(ReconcileError::DeadlineExceeded(deadline)),
    }
}

/// The span of a reconcile: the fields of all its log lines, and the root of its trace.
fn span(key: &ObjectKey, context: &Context) -> Span {
    let number = context.reconciles.fetch_add(1, Ordering::Relaxed);
    // Not `name`: in JSON that is the name of the span.
    let span = tracing::info_span!(
        "reconcile",
        kind = key.kind,
        namespace = key.namespace,
        object_name = key.name,
        reconcile = number,
        trace_id = Empty,
        outcome = Empty,
    );
    if let Some(id) = (context.trace_id)(&span) {
        span.record("trace_id", id);
    }
    span
}

fn count_failures(outcomes: &[Outcome], unreported: Option<&ReconcileError>, metrics: &ReconcileMetrics) {
    for outcome in outcomes {
        if let Outcome::Failed(failure) = outcome {
            metrics.failed(failure.class, failure.reason);
        }
    }
    if let Some(failure) = unreported {
        metrics.failed(failure.class(), failure.reason());
    }
}

fn next(
    owner: &ObjectKey,
    outcomes: &[Outcome],
    unreported: Option<&ReconcileError>,
    session: &mut Session,
    controller: &Controller,
) -> Option<Duration> {
    let mut classes: BTreeSet<Class> = outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Failed(failure) => Some(failure.class),
            // An event of a watch triggers the reconcile; this is for a watch that fails to deliver it.
            Outcome::Waiting { .. } | Outcome::Held { .. } => Some(Class::Dependency),
            Outcome::Ready | Outcome::Blocked => None,
        })
        .collect();
    classes.extend(unreported.map(Classify::class));
    let Context { cluster, clock, .. } = &*controller.reconciler.context;
    // Systems outside the cluster are not asked every few seconds whether they allow something by now.
    let is_refused = |outcome: &Outcome| matches!(outcome, Outcome::Failed(failure) if failure.class == Class::Forbidden && failure.reason == "Forbidden");
    if outcomes.iter().any(is_refused) || unreported.is_some_and(|it| it.class() == Class::Forbidden) {
        controller.waiters.refused(owner);
    } else {
        cluster.router.wake(controller.waiters.permitted(owner));
    }
    let retries = classes.iter().filter_map(|class| retry(*class, session.attempts, &*cluster.entropy));
    // Timers drift over months, and clocks are adjusted.
    let renewal = session.due_in(clock()).map(|due| due.min(LONGEST_SLEEP));
    let soonest = retries.chain(renewal).min();
    let counts = |class: &Class| {
        matches!(class, Class::Transient | Class::Forbidden | Class::Conflict | Class::Internal)
    };
    session.attempts = if classes.iter().any(counts) { session.attempts.saturating_add(1) } else { 0 };
    soonest
}
