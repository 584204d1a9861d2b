//! The state of a pod in words.

use crate::{
    container::{Task, is_failure, report},
    report::{ContainerReport, EventReport, PodReport},
    text::{some_message, word},
};
use k8s_openapi::api::core::v1::{Container, ContainerStatus, Pod, PodStatus};
use progress::Tally;

/// The report about a pod, with these events.
pub(crate) fn pod_report(pod: &Pod, events: Vec<EventReport>) -> PodReport {
    let status = pod.status.clone().unwrap_or_default();
    let spec = pod.spec.as_ref();
    let init = spec.and_then(|spec| spec.init_containers.as_deref()).unwrap_or_default();
    let task = |status: &ContainerStatus| match init.iter().find(|it| it.name == status.name) {
        Some(Container { restart_policy: Some(policy), .. }) if policy == "Always" => Task::Serve,
        Some(_) => Task::Initialize,
        None => Task::Serve,
    };
    let [init, main] = [&status.init_container_statuses, &status.container_statuses];
    let containers = init.iter().chain(main).flatten();
    let containers: Vec<_> = containers.map(|status| report(status, task(status))).collect();
    let serving = main.as_deref().unwrap_or_default();
    let all = spec.map_or(serving.len(), |spec| spec.containers.len());
    let (state, failed, message) = state(pod, &status, &containers);
    PodReport {
        name: word(pod.metadata.name.as_deref()).unwrap_or_default(),
        state,
        failed,
        tally: Tally { ready: serving.iter().filter(|container| container.ready).count(), all },
        restarts: containers.iter().fold(0, |sum, container| sum.saturating_add(container.restarts)),
        message,
        containers,
        events,
    }
}

/// One word for the state, whether it names a failure, and why it is so if that is not about a container.
fn state(pod: &Pod, status: &PodStatus, containers: &[ContainerReport]) -> (String, bool, Option<String>) {
    if pod.metadata.deletion_timestamp.is_some() {
        return ("Terminating".into(), false, None);
    }
    if let Some(reason) = word(status.reason.as_deref()) {
        // Evicted by its node, for example.
        return (reason, true, some_message(status.message.as_deref()));
    }
    let conditions = status.conditions.as_deref().unwrap_or_default();
    let unscheduled = conditions.iter().find(|it| it.type_ == "PodScheduled" && it.status == "False");
    if let Some(condition) = unscheduled {
        let reason = word(condition.reason.as_deref()).unwrap_or_else(|| "Unscheduled".into());
        return (reason, true, some_message(condition.message.as_deref()));
    }
    if let Some(container) = containers.iter().find(|container| is_failure(container)) {
        return (container.state.clone(), true, None);
    }
    let message = some_message(status.message.as_deref());
    match status.phase.as_deref() {
        Some("Running") if containers.iter().all(|container| container.well) => {
            ("ready".into(), false, message)
        }
        Some("Running") => ("not ready".into(), false, message),
        phase => (word(phase).unwrap_or_else(|| "Pending".into()), phase == Some("Failed"), message),
    }
}
