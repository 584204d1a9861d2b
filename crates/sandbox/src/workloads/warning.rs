//! The events by which the kubelet and the scheduler say why a pod does not run.

use super::template::hash;
use crate::{condition::find, world::World, write::ReconcileError};
use k8s_openapi::{
    api::core::v1::{Event, EventSource, ObjectReference},
    apimachinery::pkg::apis::meta::v1::{ObjectMeta, Time},
};
use kube::{Api, ResourceExt as _, api::PostParams, core::DynamicObject};
use serde_json::{Value, json};

/// A warning about a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Warning {
    component: &'static str,
    reason: &'static str,
    message: String,
}

impl Warning {
    /// The warning that belongs to a status, if there is one.
    pub fn of(status: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let unscheduled = find(&status["conditions"], "PodScheduled").filter(|it| it["status"] == "False");
        if let Some(condition) = unscheduled {
            let message = text(&condition["message"]);
            return Some(Self { component: "default-scheduler", reason: "FailedScheduling", message });
        }
        let kubelet = |reason, message| Some(Self { component: "kubelet", reason, message });
        let containers = ["initContainerStatuses", "containerStatuses"];
        let containers = containers.iter().flat_map(|field| status[*field].as_array().into_iter().flatten());
        let mut waiting = containers.filter(|container| container["state"]["waiting"].is_object());
        let found = waiting.find_map(|container| {
            let (name, state) = (text(&container["name"]), &container["state"]["waiting"]);
            match state["reason"].as_str()? {
                "ImagePullBackOff" => {
                    let image = text(&container["image"]);
                    let problem = text(&state["message"]);
                    kubelet("Failed", format!("Failed to pull image {image:?}: {problem}"))
                }
                "CrashLoopBackOff" => {
                    kubelet("BackOff", format!("Back-off restarting failed container {name}"))
                }
                "CreateContainerConfigError" => {
                    kubelet("Failed", format!("Error: {}", text(&state["message"])))
                }
                _ => None,
            }
        });
        let unmounted = || {
            let problem = status["message"].as_str().filter(|_| status["phase"] == "Pending")?;
            kubelet("FailedMount", format!("MountVolume.SetUp failed: {problem}"))
        };
        found.or_else(unmounted)
    }

    /// Writes the event, unless it exists.
    pub async fn write(self, world: &World, pod: &DynamicObject) -> Result<(), ReconcileError> {
        let Self { component, reason, message } = self;
        let (namespace, name) = (pod.namespace().unwrap_or_default(), pod.name_any());
        let now = Some(Time(world.now()));
        let event = Event {
            metadata: ObjectMeta {
                name: Some(format!("{name}.{}", hash(&json!([reason, message])))),
                ..ObjectMeta::default()
            },
            involved_object: ObjectReference {
                api_version: Some("v1".into()),
                kind: Some("Pod".into()),
                namespace: Some(namespace.clone()),
                name: Some(name),
                uid: pod.uid(),
                ..ObjectReference::default()
            },
            type_: Some("Warning".into()),
            reason: Some(reason.into()),
            message: Some(message),
            count: Some(1),
            first_timestamp: now.clone(),
            last_timestamp: now,
            source: Some(EventSource { component: Some(component.into()), host: None }),
            ..Event::default()
        };
        let events: Api<Event> = Api::namespaced(world.client.clone(), &namespace);
        match events.create(&PostParams::default(), &event).await {
            Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
            created => Ok(created.map(drop)?),
        }
    }
}
