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

    /// Tells users of a change for the better or the worse; that a child is not ready yet is no news.
    pub(crate) fn tell(&self, about: ObjectReference, verdict: &Verdict) {
        let (type_, note) = match verdict {
            Verdict::Ready => (EventType::Normal, "everything is as it should be".to_owned()),
            Verdict::Interrupted | Verdict::Progressing { reason: "ChildrenNotReady", .. } => return,
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
