//! Events about objects with wrong rules. Only the leader sends them.

use crate::{failed::RETRY, registrar::LONGEST, rules::Rules};
use api::v1beta1::HarborServerConfiguration;
use election::Leadership;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, ObjectReference};
use kube::{
    Api, Client, Resource,
    runtime::events::{Event, EventType},
};
use runtime::EventRecorder;
use serde::de::DeserializeOwned;
use std::{collections::BTreeSet, fmt::Debug, sync::Arc, time::Duration};
use tokio::time::sleep;
use webhook::admission::{Object, Problem};

/// How long rules must have been wrong: users create a Namespace before the ConfigMap that it names.
const GRACE_PERIOD: Duration = Duration::from_secs(2);

/// Sends an event when an object is wrong that was not before, until the API server has taken it. Never ends.
pub(crate) async fn announce(client: Client, leadership: Leadership, rules: Arc<Rules>) {
    let mut changes = rules.changes();
    let recorder = EventRecorder::new(client.clone());
    let mut announced = BTreeSet::new();
    loop {
        leadership.acquired().await;
        changes.mark_unchanged();
        sleep(GRACE_PERIOD).await;
        let problems = rules.read(webhook::admission::Sources::problems).unwrap_or_default();
        announced.retain(|problem| problems.contains(problem));
        let mut pause = LONGEST;
        for problem in problems {
            if announced.contains(&problem) {
                continue;
            }
            match send(&client, &recorder, &problem).await {
                Ok(()) => {
                    tracing::warn!(%problem, "images are not rewritten");
                    announced.insert(problem);
                }
                Err(error) => {
                    let error = runtime::with_sources(&error);
                    tracing::warn!(%problem, error, "images are not rewritten, and an event was not sent");
                    pause = RETRY;
                }
            }
        }
        tokio::select! {
            () = sleep(pause) => {}
            _ = changes.changed() => {}
        }
    }
}

async fn send(client: &Client, recorder: &EventRecorder, problem: &Problem) -> Result<(), kube::Error> {
    let reference = match &problem.about {
        Object::Namespace(name) => reference::<Namespace>(&Api::all(client.clone()), name).await?,
        Object::ConfigMap { namespace, name } => {
            reference::<ConfigMap>(&Api::namespaced(client.clone(), namespace), name).await?
        }
        Object::Server(name) => {
            reference::<HarborServerConfiguration>(&Api::all(client.clone()), name).await?
        }
    };
    // Deleted in the meantime.
    let Some(reference) = reference else { return Ok(()) };
    let event = Event {
        type_: EventType::Warning,
        reason: "WrongRewritingRules".to_owned(),
        note: Some(problem.message.clone()),
        action: "RewriteImages".to_owned(),
        secondary: None,
    };
    recorder.publish(event, &reference).await
}

async fn reference<K>(api: &Api<K>, name: &str) -> Result<Option<ObjectReference>, kube::Error>
where
    K: Resource<DynamicType = ()> + Clone + Debug + DeserializeOwned,
{
    let found = api.get_metadata_opt(name).await?;
    Ok(found.map(|found| ObjectReference {
        api_version: Some(K::api_version(&()).into_owned()),
        kind: Some(K::kind(&()).into_owned()),
        name: Some(name.to_owned()),
        namespace: found.metadata.namespace,
        uid: found.metadata.uid,
        ..ObjectReference::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::announce;
    use crate::rules::Rules;
    use api::v1beta1::HarborServerConfiguration;
    use apiserver::ApiServer;
    use election::Leadership;
    use http::{Method, Request, Response};
    use jiff::Timestamp;
    use k8s_openapi::api::events::v1::Event;
    use kube::{
        Api, Client,
        api::{ListParams, PostParams},
        client::Body,
        core::Status,
    };
    use serde_json::json;
    use std::{
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        time::Duration,
    };
    use tokio::time::{sleep, timeout};
    use tower::ServiceExt as _;
    use webhook::admission::{ServerSource, Sources};

    /// A client for which the API server takes no event before it has refused this many.
    fn refusing(server: ApiServer, times: usize) -> (Client, Arc<AtomicUsize>) {
        let sent = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&sent);
        let service = tower::service_fn(move |request: Request<Body>| {
            let (server, counted) = (server.clone(), Arc::clone(&counted));
            async move {
                let is_event = request.method() == Method::POST && request.uri().path().ends_with("/events");
                if is_event && counted.fetch_add(1, Ordering::SeqCst) < times {
                    let why = Status::failure("try again", "ServiceUnavailable").with_code(503);
                    let body = apiserver::Body::full(serde_json::to_vec(&why).unwrap());
                    return Ok(Response::builder().status(503).body(body).unwrap());
                }
                server.oneshot(request).await
            }
        });
        (Client::new(service, "default"), sent)
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_that_was_not_sent_is_sent_later_and_only_once() {
        let server = ApiServer::builder().seed(1).start(Timestamp::UNIX_EPOCH).build().unwrap();
        let user = Client::new(server.clone(), "default");
        let definition = api::crds::of("HarborServerConfiguration").unwrap();
        Api::all(user.clone()).create(&PostParams::default(), &definition).await.unwrap();
        let wrong: HarborServerConfiguration = serde_json::from_value(json!({
            "apiVersion": "goharbor.io/v1beta1", "kind": "HarborServerConfiguration",
            "metadata": { "name": "main" },
            "spec": {
                "serverURL": "https://harbor.example.com", "version": "2.12.0", "rules": ["(docker=>hub"],
                "accessCredential": { "namespace": "ops", "accessSecretRef": "login" },
            },
        }))
        .unwrap();
        let wrong = Api::all(user.clone()).create(&PostParams::default(), &wrong).await.unwrap();
        let mut sources = Sources::default();
        sources.servers.insert((String::new(), "main".into()), ServerSource::new(&wrong));

        let (client, sent) = refusing(server, 2);
        let rules = Arc::new(Rules::listed(sources));
        let announcing = tokio::spawn(announce(client, Leadership::permanent(), rules));

        let events: Api<Event> = Api::namespaced(user, "default");
        let arrived = async {
            loop {
                let all = events.list(&ListParams::default()).await.unwrap().items;
                if let Some(event) = all.into_iter().next() {
                    return event;
                }
                sleep(Duration::from_secs(1)).await;
            }
        };
        let event = timeout(Duration::from_mins(1), arrived).await.unwrap();
        assert_eq!(event.reason.as_deref(), Some("WrongRewritingRules"));
        sleep(Duration::from_hours(3)).await;
        assert_eq!(sent.load(Ordering::SeqCst), 3, "two that were refused, and one");
        announcing.abort();
    }
}
