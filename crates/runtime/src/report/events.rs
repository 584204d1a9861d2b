//! Events, off the path of the reconcile.

use super::child_changes::{self, ChildChange};
use crate::Metrics;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Client,
    runtime::events::{Event, EventType, Recorder, Reporter},
};
use plan::{ObjectKey, Verdict};
use std::{collections::HashMap, sync::Arc, time::Duration};
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

/// Events that may wait to be sent; what comes on top of that is only logged.
const BACKLOG: usize = 1024;
/// The API allows a kilobyte.
const LONGEST_NOTE: usize = 1000;

/// How long an event that is repeated is counted; as long as kube's recorder remembers it.
const REPETITION: Duration = Duration::from_mins(6);

/// Where reconciles leave events.
#[derive(Clone, Debug)]
pub(crate) struct Events {
    queue: mpsc::Sender<(Event, ObjectReference)>,
    metrics: Arc<Metrics>,
}

impl Events {
    /// A queue, and the future that empties it until `stop`.
    pub(crate) fn new(
        client: Client,
        metrics: Arc<Metrics>,
        stop: CancellationToken,
    ) -> (Self, impl Future<Output = ()> + Send) {
        let (sender, mut queue) = mpsc::channel::<(Event, ObjectReference)>(BACKLOG);
        let mut recorders = Recorders { client, kept: HashMap::new() };
        let lost = Arc::clone(&metrics);
        let send = async move {
            while let Some(Some((event, about))) = stop.run_until_cancelled(queue.recv()).await {
                if let Err(error) = recorders.of(&event).publish(&event, &about).await {
                    lost.event_lost();
                    tracing::warn!(%error, reason = event.reason, "an event could not be sent");
                }
            }
        };
        (Self { queue: sender, metrics }, send)
    }

    /// Tells users of trouble, or of its end.
    pub(crate) fn verdict(&self, about: ObjectReference, verdict: &Verdict) {
        let (type_, note) = match verdict {
            Verdict::Ready => (EventType::Normal, "everything is as it should be".to_owned()),
            Verdict::Interrupted => return,
            Verdict::Progressing { message, .. } | Verdict::Stalled { message, .. } => {
                (EventType::Warning, message.clone())
            }
        };
        self.leave(event(type_, verdict, &note), about);
    }

    /// Tells users of an object what is wrong with a part of it.
    pub(crate) fn verdict_of_part(&self, about: ObjectReference, part: &ObjectKey, verdict: &Verdict) {
        if let Some(message) = verdict.message() {
            self.leave(event(EventType::Warning, verdict, &format!("{part}: {message}")), about);
        }
    }

    /// Tells users what was done to children.
    pub(crate) fn child_changes(&self, about: &ObjectReference, changes: &[ChildChange]) {
        for event in child_changes::events(changes) {
            self.leave(event, about.clone());
        }
    }

    fn leave(&self, event: Event, about: ObjectReference) {
        if let Err(error) = self.queue.try_send((event, about)) {
            self.metrics.event_lost();
            tracing::warn!(%error, "an event was dropped");
        }
    }
}

fn event(type_: EventType, verdict: &Verdict, note: &str) -> Event {
    Event {
        type_,
        reason: verdict.reason().into(),
        note: Some(note.chars().take(LONGEST_NOTE / 4).collect()),
        action: "Reconcile".into(),
        secondary: None,
    }
}

/// What writes events, and counts one that is repeated instead of writing it again.
///
/// kube's recorder tells events apart by everything but their note: a second mistake in a spec would be counted as the
/// first one, whose note stays. So there is one for each note.
struct Recorders {
    client: Client,
    kept: HashMap<Option<String>, (Recorder, Instant)>,
}

impl Recorders {
    fn of(&mut self, event: &Event) -> &Recorder {
        self.kept.retain(|_, (_, used)| used.elapsed() < REPETITION);
        let recorder = || {
            let reporter = Reporter { controller: "harbor-operator".into(), instance: None };
            (Recorder::new(self.client.clone(), reporter), Instant::now())
        };
        let (recorder, used) = self.kept.entry(event.note.clone()).or_insert_with(recorder);
        *used = Instant::now();
        recorder
    }
}

/// Whether users know of trouble that has not ended.
///
/// An event is a request, and what is as expected is in the status: told are each new reason for trouble, each new mistake
/// that only somebody can correct, and that all of it is over. That children are not ready yet is no trouble, and becoming ready without any is no news.
#[derive(Debug, Default)]
pub(crate) struct Trouble(bool);

impl Trouble {
    /// Whether a verdict is worth an event after a status with the reason and the message `before`.
    pub(crate) fn is_news(&mut self, before: Option<(&str, Option<&str>)>, verdict: &Verdict) -> bool {
        let (before, words) = before.unzip();
        let another_mistake = matches!(verdict, Verdict::Stalled { .. }) && words != Some(verdict.message());
        if before == Some(verdict.reason()) && !another_mistake {
            return false;
        }
        match verdict {
            // A process before this one may have told of it.
            Verdict::Ready => std::mem::take(&mut self.0) || before.is_some_and(is_trouble),
            Verdict::Interrupted => false,
            verdict if verdict.is_waiting() => false,
            Verdict::Progressing { .. } | Verdict::Stalled { .. } => {
                self.0 = true;
                true
            }
        }
    }
}

fn is_trouble(reason: &str) -> bool {
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

    fn trouble(reason: &'static str) -> Verdict {
        Verdict::Progressing { reason, message: "no".into() }
    }

    /// The reasons of those verdicts that are told.
    fn told(verdicts: &[Verdict]) -> Vec<&'static str> {
        let mut known = Trouble::default();
        let mut before = None;
        let mut told = Vec::new();
        for verdict in verdicts {
            if known.is_news(before, verdict) {
                told.push(verdict.reason());
            }
            before = Some((verdict.reason(), verdict.message()));
        }
        told
    }

    #[test]
    fn becoming_ready_as_expected_is_no_news() {
        assert_eq!(told(&[waiting(), Verdict::Ready, waiting(), Verdict::Ready]), Vec::<&str>::new());
    }

    #[test]
    fn each_reason_for_trouble_is_told_once_and_its_end_too() {
        let story = [
            trouble("Missing"),
            trouble("Missing"),
            trouble("Forbidden"),
            waiting(),
            Verdict::Ready,
            waiting(),
            Verdict::Ready,
        ];
        assert_eq!(told(&story), ["Missing", "Forbidden", "Ready"]);
    }

    #[test]
    fn another_mistake_of_the_same_sort_is_told_and_another_hiccup_is_not() {
        let stalled = |message: &str| Verdict::Stalled { reason: "InvalidSpec", message: message.into() };
        let hiccup = |message: &str| Verdict::Progressing { reason: "Unreachable", message: message.into() };
        assert_eq!(told(&[stalled("a"), stalled("a"), stalled("b")]), ["InvalidSpec", "InvalidSpec"]);
        assert_eq!(told(&[hiccup("a"), hiccup("b")]), ["Unreachable"]);
    }

    #[test]
    fn the_end_of_trouble_is_told_after_a_restart_too() {
        assert!(Trouble::default().is_news(Some(("Forbidden", None)), &Verdict::Ready));
        assert!(!Trouble::default().is_news(Some((Verdict::WAITING, None)), &Verdict::Ready));
        assert!(
            !Trouble::default().is_news(Some((plan::PAUSED, None)), &Verdict::Ready),
            "it was not paused in trouble"
        );
    }
}
