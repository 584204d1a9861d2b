//! Sends events from a queue, so that reconciles do not wait for them.

use super::{
    child_changes::{self, ChildChange},
    recorder::EventRecorder,
};
use crate::Metrics;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Client,
    runtime::events::{Event, EventType},
};
use plan::{Announcement, ObjectKey, Verdict, Warning};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// How many events may wait in the queue. Further events are dropped and logged.
const BACKLOG: usize = 1024;

/// The queue of events.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    queue: mpsc::Sender<(Event, ObjectReference)>,
    metrics: Arc<Metrics>,
}

impl Events {
    /// A queue, and the future that sends its events until `stop`.
    pub(crate) fn new(
        client: Client,
        metrics: Arc<Metrics>,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (sender, mut queue) = mpsc::channel::<(Event, ObjectReference)>(BACKLOG);
        let recorder = EventRecorder::new(client);
        let lost = Arc::clone(&metrics);
        let send = async move {
            while let Some(Some((event, about))) = stop.run_until_cancelled(queue.recv()).await {
                let reason = event.reason.clone();
                if let Err(error) = recorder.publish(event, &about).await {
                    lost.event_lost();
                    let error = plan::one_line(&error);
                    tracing::warn!(error, reason, "could not send an event");
                }
            }
        };
        (Self { queue: sender, metrics }, send)
    }

    /// Reports a problem of an owner, or its end.
    pub(crate) fn verdict(&self, about: ObjectReference, verdict: &Verdict) {
        let (type_, note) = match verdict {
            Verdict::Ready => (EventType::Normal, "all children are ready".to_owned()),
            Verdict::Interrupted => return,
            Verdict::Progressing { message, .. } | Verdict::Stalled { message, .. } => {
                (EventType::Warning, message.clone())
            }
        };
        self.enqueue(event(type_, verdict.reason(), &note), about);
    }

    /// Reports a problem of a descendant of an object.
    pub(crate) fn verdict_of_part(&self, about: ObjectReference, part: &ObjectKey, verdict: &Verdict) {
        if let Some(message) = verdict.message() {
            self.enqueue(event(EventType::Warning, verdict.reason(), &format!("{part}: {message}")), about);
        }
    }

    /// Reports a condition that has begun to warn.
    pub(crate) fn warning(&self, about: ObjectReference, warning: &Warning) {
        self.enqueue(event(EventType::Warning, warning.reason, &warning.message), about);
    }

    /// Reports what users should learn about an owner.
    pub(crate) fn announce(&self, about: ObjectReference, Announcement { reason, note }: &Announcement) {
        self.enqueue(event(EventType::Normal, reason, note), about);
    }

    /// Reports changes of children.
    pub(crate) fn child_changes(&self, about: &ObjectReference, changes: &[ChildChange]) {
        for event in child_changes::events(changes) {
            self.enqueue(event, about.clone());
        }
    }

    /// Reports what stays outside the cluster when a namespace is deleted with an owner in it. The namespace accepts no events
    /// any more, so the event is about the Namespace, and stored where those about objects of the cluster are.
    pub(crate) fn left_behind(&self, owner: &ObjectKey, note: String) {
        let event = Event {
            type_: EventType::Warning,
            reason: "Abandoned".into(),
            note: Some(note),
            action: "Delete".into(),
            secondary: Some(child_changes::reference(owner)),
        };
        let namespace = ObjectReference {
            api_version: Some("v1".into()),
            kind: Some("Namespace".into()),
            name: Some(owner.namespace.clone()),
            ..ObjectReference::default()
        };
        self.enqueue(event, namespace);
    }

    fn enqueue(&self, event: Event, about: ObjectReference) {
        if let Err(error) = self.queue.try_send((event, about)) {
            self.metrics.event_lost();
            tracing::warn!(%error, "dropped an event");
        }
    }
}

fn event(type_: EventType, reason: &str, note: &str) -> Event {
    Event {
        type_,
        reason: reason.into(),
        note: Some(note.to_owned()),
        action: "Reconcile".into(),
        secondary: None,
    }
}

/// Whether an event has reported a problem that has not ended.
///
/// Every event is a request, so there are events only for a new reason of a problem, for a new mistake that a user
/// must correct, and for the end of all problems. Children that are not ready yet are no problem, and an owner that
/// becomes ready without a problem gets no event.
#[derive(Debug, Default)]
pub(crate) struct ReportedProblem(bool);

impl ReportedProblem {
    /// Whether a verdict needs an event after a status with the reason and the message `before`.
    pub(crate) fn needs_event(&mut self, before: Option<(&str, Option<&str>)>, verdict: &Verdict) -> bool {
        let (before, message) = before.unzip();
        let another_mistake =
            matches!(verdict, Verdict::Stalled { .. }) && message != Some(verdict.message());
        if before == Some(verdict.reason()) && !another_mistake {
            return false;
        }
        match verdict {
            // An earlier process of the operator may have reported the problem.
            Verdict::Ready => std::mem::take(&mut self.0) || before.is_some_and(is_problem),
            Verdict::Interrupted => false,
            verdict if verdict.is_waiting() => false,
            Verdict::Progressing { .. } | Verdict::Stalled { .. } => {
                self.0 = true;
                true
            }
        }
    }
}

fn is_problem(reason: &str) -> bool {
    ![Verdict::Ready.reason(), Verdict::WAITING, plan::PAUSED].contains(&reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::{ObjectKey, Outcome};

    fn waiting() -> Verdict {
        let object = ObjectKey::of::<k8s_openapi::api::core::v1::Secret>("ns", "a");
        Verdict::of(&[Outcome::Waiting { object, why: "later".into() }])
    }

    fn problem(reason: &'static str) -> Verdict {
        Verdict::Progressing { reason, message: "no".into() }
    }

    /// The reasons of the verdicts that need an event.
    fn reported(verdicts: &[Verdict]) -> Vec<&'static str> {
        let mut known = ReportedProblem::default();
        let mut before = None;
        let mut reported = Vec::new();
        for verdict in verdicts {
            if known.needs_event(before, verdict) {
                reported.push(verdict.reason());
            }
            before = Some((verdict.reason(), verdict.message()));
        }
        reported
    }

    #[test]
    fn becoming_ready_without_a_problem_needs_no_event() {
        assert_eq!(reported(&[waiting(), Verdict::Ready, waiting(), Verdict::Ready]), Vec::<&str>::new());
    }

    #[test]
    fn each_reason_of_a_problem_is_reported_once_and_the_end_too() {
        let verdicts = [
            problem("Missing"),
            problem("Missing"),
            problem("Forbidden"),
            waiting(),
            Verdict::Ready,
            waiting(),
            Verdict::Ready,
        ];
        assert_eq!(reported(&verdicts), ["Missing", "Forbidden", "Ready"]);
    }

    #[test]
    fn another_mistake_with_the_same_reason_is_reported_and_another_transient_failure_is_not() {
        let stalled = |message: &str| Verdict::Stalled { reason: "InvalidSpec", message: message.into() };
        let transient =
            |message: &str| Verdict::Progressing { reason: "Unreachable", message: message.into() };
        assert_eq!(reported(&[stalled("a"), stalled("a"), stalled("b")]), ["InvalidSpec", "InvalidSpec"]);
        assert_eq!(reported(&[transient("a"), transient("b")]), ["Unreachable"]);
    }

    #[test]
    fn the_end_of_a_problem_is_reported_also_after_a_restart() {
        assert!(ReportedProblem::default().needs_event(Some(("Forbidden", None)), &Verdict::Ready));
        assert!(!ReportedProblem::default().needs_event(Some((Verdict::WAITING, None)), &Verdict::Ready));
        assert!(
            !ReportedProblem::default().needs_event(Some((plan::PAUSED, None)), &Verdict::Ready),
            "a pause is no problem"
        );
    }
}
