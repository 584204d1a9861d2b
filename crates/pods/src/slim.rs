//! What is kept of an object that was read: other users of the namespace may have written large ones.

use crate::workload::REVISION;
use k8s_openapi::{
    api::{
        apps::v1::{Deployment, StatefulSet},
        batch::v1::Job,
        core::v1::{Container, Event, Pod, PodSpec, PodTemplateSpec},
    },
    apimachinery::pkg::apis::meta::v1::ObjectMeta,
};
use kube::core::PartialObjectMeta;

/// Longest message of an event that is kept, in characters. Less is shown.
const MESSAGE: usize = 1000;

/// An object that loses what a report does not need.
pub(crate) trait Slim {
    /// Removes it.
    fn slim(&mut self);
}

impl Slim for Pod {
    fn slim(&mut self) {
        slim(&mut self.metadata);
        let Some(spec) = self.spec.take() else { return };
        let kept = |container: Container| Container {
            name: container.name,
            termination_message_policy: container.termination_message_policy,
            restart_policy: container.restart_policy,
            ..Container::default()
        };
        self.spec = Some(PodSpec {
            init_containers: spec.init_containers.map(|all| all.into_iter().map(kept).collect()),
            containers: spec.containers.into_iter().map(kept).collect(),
            ..PodSpec::default()
        });
    }
}

impl<K> Slim for PartialObjectMeta<K> {
    fn slim(&mut self) {
        slim(&mut self.metadata);
    }
}

impl Slim for Event {
    fn slim(&mut self) {
        slim(&mut self.metadata);
        if let Some(message) = &mut self.message
            && let Some((end, _)) = message.char_indices().nth(MESSAGE)
        {
            message.truncate(end);
            message.shrink_to_fit();
        }
    }
}

impl Slim for Deployment {
    fn slim(&mut self) {
        slim(&mut self.metadata);
        if let Some(spec) = &mut self.spec {
            spec.template = PodTemplateSpec::default();
        }
    }
}

impl Slim for StatefulSet {
    fn slim(&mut self) {
        slim(&mut self.metadata);
        if let Some(spec) = &mut self.spec {
            spec.template = PodTemplateSpec::default();
        }
    }
}

impl Slim for Job {
    fn slim(&mut self) {
        slim(&mut self.metadata);
        if let Some(spec) = &mut self.spec {
            spec.template = PodTemplateSpec::default();
        }
    }
}

/// Keeps names, labels, owners and the revision.
fn slim(metadata: &mut ObjectMeta) {
    metadata.managed_fields = None;
    if let Some(annotations) = &mut metadata.annotations {
        annotations.retain(|name, _| name == REVISION);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn of_a_pod_its_state_and_its_identity_are_kept() {
        let large = "x".repeat(100_000);
        let mut pod: Pod = serde_json::from_value(json!({
            "metadata": {
                "name": "p", "labels": {"app": "p"},
                "annotations": {"deployment.kubernetes.io/revision": "1", "large": large},
                "managedFields": [{"manager": large}],
            },
            "spec": {"containers": [{
                "name": "c", "image": "c:1", "args": [large], "terminationMessagePolicy": "File",
                "env": [{"name": "A", "value": large}],
            }]},
            "status": {"phase": "Running"},
        }))
        .unwrap();
        pod.slim();
        let mut kept: Value = serde_json::to_value(pod).unwrap();
        kept.as_object_mut().unwrap().retain(|field, _| !matches!(&**field, "apiVersion" | "kind"));
        assert_eq!(
            kept,
            json!({
                "metadata": {
                    "name": "p", "labels": {"app": "p"}, "annotations": {"deployment.kubernetes.io/revision": "1"},
                },
                "spec": {"containers": [{"name": "c", "terminationMessagePolicy": "File"}]},
                "status": {"phase": "Running"},
            })
        );
    }

    #[test]
    fn a_long_message_of_an_event_is_cut_between_characters() {
        let mut event = Event { message: Some("ä".repeat(5000)), ..Event::default() };
        event.slim();
        assert_eq!(event.message, Some("ä".repeat(MESSAGE)));
    }
}
