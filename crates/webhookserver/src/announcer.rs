//! Events about objects with wrong rules. Only the leader sends them.

use crate::rules::Rules;
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
const PATIENCE: Duration = Duration::from_secs(2);

/// Sends an event when an object is wrong that was not before. Never ends.
pub(crate) async fn announce(client: Client, leadership: Leadership, rules: Arc<Rules>) {
    let mut changes = rules.changes();
    let recorder = EventRecorder::new(client.clone());
    let mut known = BTreeSet::new();
    loop {
        leadership.acquired().await;
        changes.mark_unchanged();
        sleep(PATIENCE).await;
        if let Some(problems) = rules.read(webhook::admission::Sources::problems) {
            for problem in problems.difference(&known) {
                if let Err(error) = send(&client, &recorder, problem).await {
                    tracing::warn!(%problem, error = runtime::with_sources(&error), "an event was not sent");
                }
            }
            known = problems;
        }
        // The sender lives as long as the rules.
        let _ = changes.changed().await;
    }
}

async fn send(client: &Client, recorder: &EventRecorder, problem: &Problem) -> Result<(), kube::Error> {
    tracing::warn!(%problem, "images are not rewritten");
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
