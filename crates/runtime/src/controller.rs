//! The shell around a reconcile: queue, deadline, panics, backoff.

use crate::{
    Failure, Scope,
    backoff::retry,
    health::FirstList,
    metrics::{Looks, State},
    progress::Stage,
    queue::Queue,
    reconcile::{Findings, Reconciler, key_of, stored},
    session::Session,
    shared::Shared,
    watch::{Patience, paged},
};
use api::names::PAUSE_ANNOTATION;
use futures::{FutureExt as _, StreamExt as _, future::FusedFuture as _, stream::FuturesUnordered};
use kube::{
    Api, Resource as _, ResourceExt as _,
    core::{DeserializeGuard, ObjectMeta},
    runtime::{
        reflector::{self, ObjectRef, Store, store::Writer},
        watcher::{Event, watcher},
    },
};
use plan::{ChildKind, Class, Classify as _, Component, HarborClass, ObjectKey, Outcome, Verdict};
use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument as _, Span, field::Empty};

/// How long a queue sleeps in which nothing is due at any time.
const IDLE: Duration = Duration::from_hours(1);
/// How long a status may take to be written.
const REPORT_DEADLINE: Duration = Duration::from_secs(10);

/// After how long an object whose certificates are to be renewed some day is looked at anyway; nothing is sent then.
const LONGEST_SLEEP: Duration = Duration::from_hours(24);

/// Limits of one controller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// How long one reconcile may take.
    pub(crate) deadline: Duration,
    /// How many reconciles run at once.
    pub(crate) concurrency: u16,
}

type Guarded<C> = DeserializeGuard<<C as Component>::Owner>;

/// Reconciles every object of one kind until the operator stops, once all are `settled`: before the first lists have
/// ended, every child would seem to be missing, and before the operator leads, another one looks after them. `first`,
/// one of them, hears when the list of this kind has.
pub(crate) async fn serve<C: Component>(
    shared: Arc<Shared>,
    as_child: Option<ChildKind>,
    woken: mpsc::UnboundedReceiver<ObjectKey>,
    scope: Scope,
    limits: Limits,
    first: FirstList,
    settled: Vec<CancellationToken>,
) {
    let reconciler = Arc::new(Reconciler::<C>::new(shared, as_child));
    let (reader, writer) = reflector::store();
    let watching = watch_owners(Arc::clone(&reconciler), scope, writer, first);
    let settled = futures::future::join_all(settled.iter().map(CancellationToken::cancelled)).map(drop);
    futures::join!(watching, control(&reconciler, &reader, woken, limits, settled));
}

/// Looks at whatever is due, at many at once, until the operator stops; then lets looks under way come to an end. Until
/// all is `settled`, what is due only queues up, each object once.
async fn control<C: Component>(
    reconciler: &Arc<Reconciler<C>>,
    store: &Store<Guarded<C>>,
    mut woken: mpsc::UnboundedReceiver<ObjectKey>,
    limits: Limits,
    settled: impl Future<Output = ()>,
) {
    let Shared { stop, router, metrics, health, .. } = &*reconciler.shared;
    let backlog = metrics.backlog(&reconciler.resource.kind);
    let longest = limits.deadline + 3 * REPORT_DEADLINE;
    let wake = |queue: &mut Queue, key: ObjectKey| {
        let seniority = router.index.seniority(&key);
        queue.wake(key, seniority);
    };
    let mut queue = Queue::new(limits.concurrency);
    let mut looks = FuturesUnordered::new();
    let (mut settled, mut at_once) = (pin!(settled.fuse()), 0);
    loop {
        // All before the first is chosen: the most senior may be the last to be heard of.
        while let Ok(key) = woken.try_recv() {
            wake(&mut queue, key);
        }
        while looks.len() < at_once
            && let Some(key) = queue.next(Instant::now())
        {
            let owner = store.get(&ObjectRef::new(&key.name).within(&key.namespace));
            looks.push(async move {
                // An object that is gone by the time its turn comes is no error.
                let wait = match owner {
                    Some(owner) => {
                        let _underway = health.begin(&key, longest);
                        guarded(owner, reconciler, limits.deadline).await
                    }
                    None => None,
                };
                if store.get(&ObjectRef::new(&key.name).within(&key.namespace)).is_none() {
                    // It went meanwhile; what the look has left behind goes too.
                    reconciler.forget(&key);
                }
                (key, wait)
            });
        }
        let (waiting, since) = queue.in_line();
        backlog.set(waiting, since);
        let due = queue.next_due().unwrap_or_else(|| Instant::now() + IDLE);
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            () = &mut settled, if !settled.is_terminated() => at_once = usize::from(limits.concurrency),
            Some((key, wait)) = looks.next() => queue.done(key, wait, Instant::now()),
            Some(key) = woken.recv() => wake(&mut queue, key),
            () = tokio::time::sleep_until(due) => {}
        }
    }
    while looks.next().await.is_some() {}
}

/// Feeds the store, and wakes the controller for changes a reconcile could act on: our own status is none.
async fn watch_owners<C: Component>(
    reconciler: Arc<Reconciler<C>>,
    scope: Scope,
    mut store: Writer<Guarded<C>>,
    first: FirstList,
) {
    let shared = &reconciler.shared;
    let api: Api<Guarded<C>> = match scope {
        Scope::Cluster => Api::all(shared.client.clone()),
        Scope::Namespace(namespace) => Api::namespaced(shared.client.clone(), &namespace),
    };
    let mut patience = Patience::default();
    // Ordered, so that two runs over the same objects take them in the same order.
    let mut noticed = BTreeMap::<ObjectKey, u64>::new();
    let mut listed = BTreeMap::<ObjectKey, u64>::new();
    let mut others = BTreeSet::<ObjectKey>::new();
    let mut events = pin!(watcher(api, paged()));
    while let Some(Some(event)) = shared.stop.run_until_cancelled(events.next()).await {
        let mut event = match event {
            Ok(event) => event,
            Err(error) => {
                first.failed();
                let wait = patience.lose(shared, &reconciler.resource.kind, &error);
                shared.stop.run_until_cancelled(tokio::time::sleep(wait)).await;
                continue;
            }
        };
        let gone = matches!(event, Event::Delete(_));
        let mut ours = true;
        if let Event::InitApply(object) | Event::Apply(object) | Event::Delete(object) = &mut event {
            if let Some(sighting) = reconciler.sighting(object) {
                let index = &shared.router.index;
                shared.router.wake(if gone { index.gone(&sighting) } else { index.seen(sighting) });
            }
            ours = HarborClass::of(object.meta()) == shared.class;
            if ours && !gone {
                shared.router.index.exists(&key_of::<C>(object.meta()), object.meta());
            }
            // By far the largest part of an object, and of no use from here on.
            object.managed_fields_mut().clear();
        }
        // An object of another operator may be a child of ours, but there is nothing to be done about it.
        let event = match event {
            Event::InitApply(object) if !ours => {
                others.insert(key_of::<C>(object.meta()));
                continue;
            }
            Event::Apply(object) if !ours => Event::Delete(object),
            event => event,
        };
        store.apply_watcher_event(&event);
        match event {
            Event::Init => {
                listed.clear();
                others.clear();
            }
            Event::InitApply(object) => {
                listed.insert(key_of::<C>(object.meta()), attention(object.meta()));
            }
            // Only now does the store show what was listed.
            Event::InitDone => {
                patience.restore();
                others.extend(listed.keys().cloned());
                reconciler.relisted(&std::mem::take(&mut others));
                first.ended();
                for (key, digest) in &listed {
                    if noticed.remove(key) != Some(*digest) {
                        shared.router.wake([key.clone()].into());
                    }
                }
                let vanished = std::mem::replace(&mut noticed, std::mem::take(&mut listed));
                for key in vanished.keys() {
                    reconciler.forget(key);
                }
            }
            Event::Apply(object) => {
                patience.restore();
                let key = key_of::<C>(object.meta());
                let digest = attention(object.meta());
                if noticed.insert(key.clone(), digest) != Some(digest) {
                    shared.router.wake([key].into());
                }
            }
            Event::Delete(object) => {
                let key = key_of::<C>(object.meta());
                if noticed.remove(&key).is_some() {
                    reconciler.forget(&key);
                }
            }
        }
    }
}

/// A digest of everything about an object that is a reason to look at it.
fn attention(meta: &ObjectMeta) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&meta.uid, meta.generation, &meta.labels, &meta.annotations, &meta.finalizers).hash(&mut hasher);
    meta.deletion_timestamp.is_some().hash(&mut hasher);
    hasher.finish()
}

/// A reconcile that neither hangs nor panics, and whose every failure reaches the user. Answers when to look again
/// without an event, if ever.
async fn guarded<C: Component>(
    owner: Arc<Guarded<C>>,
    reconciler: &Reconciler<C>,
    deadline: Duration,
) -> Option<Duration> {
    let key = key_of::<C>(owner.meta());
    let span = span(&key, &reconciler.shared);
    let work = async {
        if owner.meta().deletion_timestamp.is_some() {
            // Children go with their owner; there is nothing left to be done.
            reconciler.forget(&key);
            return None;
        }
        reconciler.shared.audience.show(&key, &|| stored::<C>(&owner));
        let mut session = reconciler.take_session(&key);
        let findings = if is_paused(owner.meta()) {
            None
        } else {
            Some(look(&owner, reconciler, &mut session, deadline).await)
        };
        let wait = conclude(&owner, reconciler, &mut session, findings).await;
        reconciler.keep_session(&key, session);
        wait
    };
    let began = Instant::now();
    let wait = work.instrument(span).await;
    reconciler.looks.took(began.elapsed());
    wait
}

/// What all lines of a reconcile have in common, and what its trace begins with.
fn span(key: &ObjectKey, shared: &Shared) -> Span {
    let number = shared.reconciles.fetch_add(1, Ordering::Relaxed);
    // Not `name`: in JSON that is the span's own.
    let span = tracing::info_span!(
        "reconcile",
        kind = key.kind,
        namespace = key.namespace,
        object_name = key.name,
        reconcile = number,
        trace_id = Empty,
        outcome = Empty,
    );
    if let Some(id) = (shared.trace_id)(&span) {
        span.record("trace_id", id);
    }
    span
}

fn is_paused(meta: &ObjectMeta) -> bool {
    let annotations = meta.annotations.as_ref();
    annotations.and_then(|all| all.get(PAUSE_ANNOTATION)).is_some_and(|value| value == "true")
}

async fn look<C: Component>(
    owner: &Guarded<C>,
    reconciler: &Reconciler<C>,
    session: &mut Session,
    deadline: Duration,
) -> Findings {
    let failure = match &owner.0 {
        Err(invalid) => Failure::Undecodable(invalid.error.clone()),
        Ok(owner) => {
            let look = AssertUnwindSafe(reconciler.look(owner, session)).catch_unwind();
            match tokio::time::timeout(deadline, look).await {
                Ok(Ok(Ok(findings))) => return findings,
                Ok(Ok(Err(failure))) => failure,
                Ok(Err(_panic)) => Failure::Panicked,
                Err(_elapsed) => Failure::DeadlineExceeded(deadline),
            }
        }
    };
    Findings { outcomes: vec![Outcome::Failed(plan::Failure::from(&failure))], aspects: None }
}

/// Reports, and decides when to look again.
async fn conclude<C: Component>(
    owner: &Guarded<C>,
    reconciler: &Reconciler<C>,
    session: &mut Session,
    findings: Option<Findings>,
) -> Option<Duration> {
    let (reported, verdict) = match &findings {
        None => (tokio::time::timeout(REPORT_DEADLINE, reconciler.report_pause(owner, session)).await, None),
        Some(Findings { outcomes, aspects }) => {
            let verdict = Verdict::of(outcomes);
            if verdict == Verdict::Interrupted {
                reconciler.looks.ended(State::Interrupted);
                return None;
            }
            let report = reconciler.report(owner, session, &verdict, aspects.as_ref());
            (tokio::time::timeout(REPORT_DEADLINE, report).await, Some(verdict))
        }
    };
    let (unreported, more_to_report) = match reported {
        Ok(Ok(more)) => (None, more),
        Ok(Err(failure)) => (Some(failure), None),
        Err(_elapsed) => (Some(Failure::DeadlineExceeded(REPORT_DEADLINE)), None),
    };
    match &unreported {
        Some(failure) if session.attempts == 0 => tracing::warn!(%failure, "the status could not be written"),
        Some(failure) => tracing::debug!(%failure, "the status could not be written"),
        None => {}
    }
    reconciler.shared.audience.tell(&key_of::<C>(owner.meta()), || match &verdict {
        Some(verdict) => Stage::Concluded(verdict.clone()),
        None => Stage::Paused,
    });
    session.logged.tell(owner.meta(), verdict.as_ref());
    let state = State::of(verdict.as_ref());
    reconciler.looks.ended(state);
    session.counted = reconciler.looks.count(state);
    session.track_certificates(&reconciler.shared.router.index, &reconciler.shared.metrics);
    let outcomes = findings.map(|findings| findings.outcomes).unwrap_or_default();
    count_failures(&outcomes, unreported.as_ref(), &reconciler.looks);
    let retry = next(&key_of::<C>(owner.meta()), &outcomes, unreported.as_ref(), session, &reconciler.shared);
    retry.into_iter().chain(more_to_report).min()
}

fn count_failures(outcomes: &[Outcome], unreported: Option<&Failure>, looks: &Looks) {
    for outcome in outcomes {
        if let Outcome::Failed(failure) = outcome {
            looks.failed(failure.class, failure.reason);
        }
    }
    if let Some(failure) = unreported {
        looks.failed(failure.class(), failure.reason());
    }
}

fn next(
    owner: &ObjectKey,
    outcomes: &[Outcome],
    unreported: Option<&Failure>,
    session: &mut Session,
    shared: &Shared,
) -> Option<Duration> {
    let mut classes: BTreeSet<Class> = outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            Outcome::Failed(failure) => Some(failure.class),
            // A watch brings us back; the safety net is for the day it does not.
            Outcome::Waiting { .. } => Some(Class::Dependency),
            Outcome::Ready | Outcome::Blocked => None,
        })
        .collect();
    classes.extend(unreported.map(plan::Classify::class));
    if classes.contains(&Class::Forbidden) {
        shared.forbidden.refused(owner);
    } else {
        shared.router.wake(shared.forbidden.permitted(owner));
    }
    let retries = classes.iter().filter_map(|class| retry(*class, session.attempts, &*shared.dice));
    // Timers of months drift, and clocks are put right meanwhile.
    let renewal = session.due_in((shared.clock)()).map(|due| due.min(LONGEST_SLEEP));
    let soonest = retries.chain(renewal).min();
    let counts = |class: &Class| {
        matches!(class, Class::Transient | Class::Forbidden | Class::Conflict | Class::Internal)
    };
    session.attempts = if classes.iter().any(counts) { session.attempts.saturating_add(1) } else { 0 };
    soonest
}
