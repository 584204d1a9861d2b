use super::{Readiness, shortened};
use crate::{Manifest, Observe};
use api::names::{PURPOSE_ANNOTATION, REMEDY_ANNOTATION};
use k8s_openapi::api::core::v1::{ContainerStateTerminated, ContainerStatus, Pod, PodCondition};

/// How much of the end of a failed container's log is quoted.
const LAST_WORDS: usize = 700;

/// A pod that the operator creates does one task and ends. It is ready when it has succeeded. A failed pod is quoted: its
/// container reports the end of its log, see `terminationMessagePolicy`.
impl Manifest for Pod {
    const OBSERVE: Observe = Observe::Status;

    fn readiness(&self) -> Readiness {
        match self.status.as_ref().and_then(|status| status.phase.as_deref()) {
            Some("Succeeded") => Readiness::Ready,
            Some("Failed") => Readiness::Failed(failed(self)),
            phase => Readiness::Progressing(match uncertain(self) {
                Some(why) => why,
                None if phase == Some("Running") => running(self),
                None => at_step(self).unwrap_or_else(|| not_started(self)),
            }),
        }
    }
}

/// Why it is not known whether a pod that has not ended still runs, and what a user can do about that. Its node may be gone, or
/// may only be cut off and run the pod.
fn uncertain(pod: &Pod) -> Option<String> {
    let status = pod.status.clone().unwrap_or_default();
    let conditions = status.conditions.unwrap_or_default();
    let named = |kind: &str| conditions.iter().find(|it| it.type_ == kind);
    let holds = |kind: &str| named(kind).is_some_and(|it| it.status == "True");
    let [namespace, name] =
        [&pod.metadata.namespace, &pod.metadata.name].map(|it| it.as_deref().unwrap_or_default());
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    let node = node.map_or_else(|| "its node".to_owned(), |node| format!("node {node}"));
    let remedy =
        format!("make sure that {node} is off, and then: kubectl -n {namespace} delete pod {name} --force");
    if let Some(end) = &pod.metadata.deletion_timestamp {
        let cause = named("DisruptionTarget").filter(|it| it.status == "True").and_then(reason);
        let cause = cause.map(|cause| format!(" ({cause})")).unwrap_or_default();
        return Some(format!(
            "is being deleted{cause}, and ends by {}; if it still exists then, its node does not answer: {remedy}",
            end.0
        ));
    }
    // The node controller makes a pod not ready without a reason; a kubelet gives one.
    let is_marked = named("Ready").is_some_and(|it| it.status == "False" && reason(it).is_none());
    let is_lost = status.phase.as_deref() == Some("Unknown")
        || status.reason.as_deref() == Some(NODE_LOST)
        || conditions.iter().any(|it| it.status != "True" && reason(it) == Some(NODE_LOST))
        || (is_marked && holds("ContainersReady"));
    is_lost.then(|| format!("may still run, but its node does not answer; wait for the node, or {remedy}"))
}

/// The reason of a pod, or of its conditions, when its node does not answer.
const NODE_LOST: &str = "NodeLost";

fn reason(condition: &PodCondition) -> Option<&str> {
    condition.reason.as_deref().filter(|reason| !reason.is_empty())
}

fn failed(pod: &Pod) -> String {
    let ended = containers(pod).find_map(|container| {
        let ended = container.state?.terminated?;
        (ended.exit_code != 0).then(|| quoted(&container.name, &ended))
    });
    let evicted = || pod.status.as_ref().and_then(|status| status.message.clone());
    let what = ended.or_else(evicted).unwrap_or_else(|| "has failed".into());
    match annotation(pod, REMEDY_ANNOTATION) {
        Some(remedy) => format!("{what}; {remedy}"),
        None => what,
    }
}

fn running(pod: &Pod) -> String {
    let mut containers = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
    let started = containers.find_map(|it| it.state.as_ref()?.running.as_ref()?.started_at.as_ref());
    let since = started.map(|started| format!(" since {}", started.0)).unwrap_or_default();
    let purpose = annotation(pod, PURPOSE_ANNOTATION).map(|purpose| format!(", and {purpose}"));
    format!("is running{since}{}", purpose.unwrap_or_default())
}

/// The step that a pod is at before its containers start, if one runs.
fn at_step(pod: &Pod) -> Option<String> {
    let mut steps = pod.status.iter().flat_map(|status| status.init_container_statuses.iter().flatten());
    let (name, running) = steps.find_map(|it| Some((&it.name, it.state.as_ref()?.running.as_ref()?)))?;
    let since =
        running.started_at.as_ref().map(|started| format!(" since {}", started.0)).unwrap_or_default();
    let purpose = annotation(pod, PURPOSE_ANNOTATION).map(|purpose| format!(", and {purpose}"));
    Some(format!("is at its step {name}{since}{}", purpose.unwrap_or_default()))
}

fn not_started(pod: &Pod) -> String {
    let waiting = containers(pod).find_map(|container| container.state?.waiting);
    let reason = waiting.as_ref().and_then(|waiting| waiting.reason.clone());
    let message = waiting.and_then(|waiting| waiting.message).filter(|it| !it.is_empty());
    let why = [reason, message].into_iter().flatten().collect::<Vec<_>>().join(": ");
    if why.is_empty() {
        "has not started yet".into()
    } else {
        format!("has not started yet: {}", shortened(&why))
    }
}

/// The init containers, and then the others.
fn containers(pod: &Pod) -> impl Iterator<Item = ContainerStatus> {
    let status = pod.status.clone().unwrap_or_default();
    let init = status.init_container_statuses.unwrap_or_default();
    init.into_iter().chain(status.container_statuses.unwrap_or_default())
}

fn annotation<'p>(pod: &'p Pod, name: &str) -> Option<&'p String> {
    pod.metadata.annotations.as_ref()?.get(name)
}

fn quoted(container: &str, ended: &ContainerStateTerminated) -> String {
    let ContainerStateTerminated { exit_code, message, .. } = ended;
    let log = message.as_deref().unwrap_or_default().trim();
    if log.is_empty() {
        return format!("container {container} ended with exit code {exit_code}");
    }
    let skipped = log.chars().count().saturating_sub(LAST_WORDS);
    let end: String = log.chars().skip(skipped).collect();
    let gap = if skipped > 0 { "…" } else { "" };
    format!("container {container} ended with exit code {exit_code}: {gap}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The readiness of a pod on node `n1` with this status, and this metadata beside its name.
    fn readiness(metadata: Value, status: Value) -> Readiness {
        let mut pod = json!({
            "metadata": metadata,
            "spec": {"nodeName": "n1", "containers": []},
            "status": status,
        });
        pod["metadata"]["name"] = "migrate".into();
        pod["metadata"]["namespace"] = "ns".into();
        serde_json::from_value::<Pod>(pod).unwrap().readiness()
    }

    fn progressing(message: &str) -> Readiness {
        Readiness::Progressing(message.into())
    }

    /// The status of a running pod with these conditions.
    fn running(conditions: &Value) -> Value {
        let state = json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}});
        let container = json!({
            "name": "it", "image": "", "imageID": "", "ready": true, "restartCount": 0, "state": state,
        });
        json!({"phase": "Running", "containerStatuses": [container], "conditions": conditions})
    }

    fn condition(kind: &str, status: &str, reason: Option<&str>) -> Value {
        json!({"type": kind, "status": status, "reason": reason})
    }

    const REMEDY: &str = "make sure that node n1 is off, and then: kubectl -n ns delete pod migrate --force";

    #[test]
    fn a_running_pod_says_since_when_and_what_it_does() {
        let purpose = json!({"annotations": {"goharbor.io/purpose": "migrates the database"}});
        let ready = [condition("Ready", "True", None), condition("ContainersReady", "True", None)];
        assert_eq!(
            readiness(purpose, running(&json!(ready))),
            progressing("is running since 2026-01-01T00:00:00Z, and migrates the database")
        );
        assert_eq!(readiness(json!({}), json!({"phase": "Running"})), progressing("is running"));
    }

    #[test]
    fn a_pod_whose_first_step_runs_names_the_step() {
        let step = |state: Value| json!({"name": "repair-schema", "image": "", "imageID": "", "ready": false, "restartCount": 0, "state": state});
        let purpose = json!({"annotations": {"goharbor.io/purpose": "repairs the schema"}});
        let running = step(json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}}));
        assert_eq!(
            readiness(purpose, json!({"phase": "Pending", "initContainerStatuses": [running]})),
            progressing("is at its step repair-schema since 2026-01-01T00:00:00Z, and repairs the schema")
        );
    }

    #[test]
    fn a_pod_whose_node_does_not_answer_may_still_run_and_says_what_to_do() {
        let lost = progressing(&format!(
            "may still run, but its node does not answer; wait for the node, or {REMEDY}"
        ));
        let marked = [condition("Ready", "False", None), condition("ContainersReady", "True", None)];
        let named = [condition("ContainersReady", "False", Some("NodeLost"))];
        for status in [
            running(&json!(marked)),
            running(&json!(named)),
            json!({"phase": "Unknown"}),
            json!({"phase": "Running", "reason": "NodeLost"}),
        ] {
            assert_eq!(readiness(json!({}), status.clone()), lost, "{status}");
        }
        let by_kubelet = Some("ReadinessGatesNotReady");
        let gated = [condition("Ready", "False", by_kubelet), condition("ContainersReady", "True", None)];
        let ends = [condition("Ready", "False", None), condition("ContainersReady", "False", None)];
        for conditions in [gated, ends] {
            let status = running(&json!(conditions));
            assert_eq!(readiness(json!({}), status), progressing("is running since 2026-01-01T00:00:00Z"));
        }
    }

    #[test]
    fn a_pod_that_is_being_deleted_says_by_when_it_ends_why_and_what_to_do_if_it_does_not() {
        let deleted = || json!({"deletionTimestamp": "2026-01-01T00:05:00Z"});
        let says = |cause: &str| {
            progressing(&format!(
                "is being deleted{cause}, and ends by 2026-01-01T00:05:00Z; if it still exists then, its node does not \
                 answer: {REMEDY}"
            ))
        };
        assert_eq!(readiness(deleted(), running(&json!([]))), says(""));
        assert_eq!(readiness(deleted(), json!({"phase": "Pending"})), says(""));
        let disrupted = [condition("DisruptionTarget", "True", Some("DeletionByTaintManager"))];
        assert_eq!(readiness(deleted(), running(&json!(disrupted))), says(" (DeletionByTaintManager)"));
        assert_eq!(readiness(deleted(), json!({"phase": "Succeeded"})), Readiness::Ready, "it has ended");
    }
}
