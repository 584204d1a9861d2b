//! Events, off the path of the reconcile.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Client,
    runtime::events::{Event, EventType, Recorder, Reporter},
};
use plan::Verdict;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Events that may wait to be sent; what comes on top of that is only logged.
const BACKLOG: usize = 1024;
/// The API allows a kilobyte.
const LONGEST_NOTE: usize = 1000;

/// Where reconciles leave events.
#[derive(Clone, Debug)]
pub(crate) struct Events(mpsc::Sender<(Event, ObjectReference)>);

impl Events {
    /// A queue, and the future that empties it until `stop`.
    pub(crate) fn new(client: Client, stop: CancellationToken) -> (Self, impl Future<Output = ()> + Send) {
        let (sender, mut queue) = mpsc::channel::<(Event, ObjectReference)>(BACKLOG);
        let reporter = Reporter { controller: "harbor-operator".into(), instance: None };
        let recorder = Recorder::new(client, reporter);
        let send = async move {
            while let Some(Some((event, about))) = stop.run_until_cancelled(queue.recv()).await {
                if let Err(error) = recorder.publish(&event, &about).await {
                    tracing::warn!(%error, reason = event.reason, "an event could not be sent");
                }
            }
        };
        (Self(sender), send)
    }

    /// Tells users of trouble, or of its end.
    pub(crate) fn tell(&self, about: ObjectReference, verdict: &Verdict) {
        let (type_, note) = match verdict {
            Verdict::Ready => (EventType::Normal, "everything is as it should be".to_owned()),
            Verdict::Interrupted => return,
            Verdict::Progressing { message, .. } | Verdict::Stalled { message, .. } => {
                (EventType::Warning, message.chars().take(LONGEST_NOTE / 4).collect())
            }
        };
        let event = Event {
            type_,
            reason: verdict.reason().into(),
            note: Some(note),
            action: "Reconcile".into(),
            secondary: None,
        };
        if let Err(error) = self.0.try_send((event, about)) {
            tracing::warn!(%error, "an event was dropped");
        }
    }
}

/// Whether users know of trouble that has not ended.
///
/// An event is a request, and what is as expected is in the status: told are each new reason for trouble, and that all
/// of it is over. That children are not ready yet is no trouble, and becoming ready without any is no news.
#[derive(Debug, Default)]
pub(crate) struct Trouble(bool);

impl Trouble {
    /// Whether a verdict is worth an event after a status with the reason `before`.
    pub(crate) fn is_news(&mut self, before: Option<&str>, verdict: &Verdict) -> bool {
        if before == Some(verdict.reason()) {
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
    reason != Verdict::Ready.reason() && reason != Verdict::WAITING
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
            before = Some(verdict.reason());
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
    fn the_end_of_trouble_is_told_after_a_restart_too() {
        assert!(Trouble::default().is_news(Some("Forbidden"), &Verdict::Ready));
        assert!(!Trouble::default().is_news(Some(Verdict::WAITING), &Verdict::Ready));
    }
}
