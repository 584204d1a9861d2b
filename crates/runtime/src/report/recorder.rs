//! Sends one event: every event of the operator goes through here.

use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Client,
    runtime::events::{Event, Recorder, Reporter},
};
use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::time::Instant;

/// How long a repeated event is counted as a series, as in kube's recorder.
const REPETITION: Duration = Duration::from_mins(6);
/// The longest note in bytes that the API server accepts.
const LONGEST_NOTE: usize = 1024;
/// The namespace of events about objects of the cluster.
const CLUSTER_EVENTS: &str = "default";

/// Sends events, and counts repeated events as a series.
///
/// kube's recorder ignores the note when it compares events: a second mistake in a spec would be counted as the first
/// one, whose note stays. So there is one recorder for each note.
pub struct EventRecorder {
    client: Client,
    by_note: Mutex<HashMap<Option<String>, (Recorder, Instant)>>,
    /// Whether the API server requires that an event names a namespace for an object of the cluster.
    needs_namespace: AtomicBool,
}

impl EventRecorder {
    /// Sends with this client.
    pub fn new(client: Client) -> Self {
        Self { client, by_note: Mutex::default(), needs_namespace: AtomicBool::default() }
    }

    /// Sends an event about an object. Cuts a note that is too long.
    ///
    /// # Errors
    /// When the API server refuses it or does not answer.
    pub async fn publish(&self, mut event: Event, about: &ObjectReference) -> Result<(), kube::Error> {
        event.note = event.note.map(shortened);
        let recorder = self.recorder(&event);
        let is_of_cluster = about.namespace.as_deref().is_none_or(str::is_empty);
        if !is_of_cluster {
            return recorder.publish(&event, about).await;
        }
        // Such events are stored in the namespace `default`. API servers before 1.21 demand the same of their object, which
        // `kubectl describe` does not find then.
        if !self.needs_namespace.load(Ordering::Relaxed) {
            let nowhere = ObjectReference { namespace: None, ..about.clone() };
            match recorder.publish(&event, &nowhere).await {
                Err(kube::Error::Api(status)) if status.is_invalid() => {}
                sent => return sent,
            }
        }
        let placed = ObjectReference { namespace: Some(CLUSTER_EVENTS.to_owned()), ..about.clone() };
        recorder.publish(&event, &placed).await?;
        self.needs_namespace.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn recorder(&self, event: &Event) -> Recorder {
        let mut by_note = self.by_note.lock().unwrap_or_else(PoisonError::into_inner);
        by_note.retain(|_, (_, used)| used.elapsed() < REPETITION);
        let recorder = || {
            let reporter = Reporter { controller: "harbor-operator".into(), instance: None };
            (Recorder::new(self.client.clone(), reporter), Instant::now())
        };
        let (recorder, used) = by_note.entry(event.note.clone()).or_insert_with(recorder);
        *used = Instant::now();
        recorder.clone()
    }
}

/// A note as long as the API server accepts.
fn shortened(mut note: String) -> String {
    const REST: &str = "…";
    if note.len() > LONGEST_NOTE {
        note.truncate(note.floor_char_boundary(LONGEST_NOTE - REST.len()));
        note.push_str(REST);
    }
    note
}

#[cfg(test)]
mod tests {
    use super::{EventRecorder, shortened};
    use http::{Request, Response, StatusCode};
    use k8s_openapi::api::core::v1::ObjectReference;
    use kube::{
        Client,
        client::Body,
        core::Status,
        runtime::events::{Event, EventType},
    };
    use serde_json::Value;
    use std::sync::{Arc, Mutex};

    #[test]
    fn a_note_is_never_longer_than_the_api_server_accepts() {
        assert_eq!(shortened("short".into()), "short");
        let long = shortened("ä".repeat(600));
        assert!(long.len() <= 1024 && long.ends_with('…'), "{}", long.len());
    }

    /// Which namespace events name for their objects, in order, with an API server that refuses `refused`.
    async fn namespaces(refused: Option<Value>, about: &ObjectReference, events: usize) -> Vec<Value> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&seen);
        let server = tower::service_fn(move |request: Request<Body>| {
            let (noted, refused) = (Arc::clone(&noted), refused.clone());
            async move {
                let body = request.into_body().collect_bytes().await.unwrap();
                let event: Value = serde_json::from_slice(&body).unwrap();
                let namespace = event["regarding"]["namespace"].clone();
                let is_refused = refused.as_ref() == Some(&namespace);
                noted.lock().unwrap().push(namespace);
                let refusal = Status::failure("does not match event.namespace", "Invalid").with_code(422);
                let (code, body) = if is_refused {
                    (StatusCode::UNPROCESSABLE_ENTITY, serde_json::to_vec(&refusal).unwrap())
                } else {
                    (StatusCode::CREATED, body.to_vec())
                };
                Ok::<_, std::convert::Infallible>(
                    Response::builder().status(code).body(Body::from(body)).unwrap(),
                )
            }
        });
        let recorder = EventRecorder::new(Client::new(server, "default"));
        for number in 0..events {
            let event = Event {
                type_: EventType::Warning,
                reason: "Reason".into(),
                note: Some(number.to_string()),
                action: "Act".into(),
                secondary: None,
            };
            recorder.publish(event, about).await.unwrap();
        }
        std::mem::take(&mut *seen.lock().unwrap())
    }

    fn about(namespace: Option<&str>) -> ObjectReference {
        ObjectReference {
            name: Some("team".into()),
            namespace: namespace.map(str::to_owned),
            ..ObjectReference::default()
        }
    }

    #[tokio::test]
    async fn an_object_of_the_cluster_is_named_without_a_namespace() {
        assert_eq!(namespaces(None, &about(None), 2).await, [Value::Null, Value::Null]);
        assert_eq!(namespaces(None, &about(Some("")), 1).await, [Value::Null]);
        assert_eq!(namespaces(None, &about(Some("team")), 1).await, ["team"]);
    }

    #[tokio::test]
    async fn an_old_api_server_gets_the_namespace_that_it_demands_and_is_tried_once() {
        let seen = namespaces(Some(Value::Null), &about(None), 3).await;
        assert_eq!(seen, [Value::Null, "default".into(), "default".into(), "default".into()]);
    }
}
