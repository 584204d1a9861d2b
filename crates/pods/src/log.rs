//! Which logs are worth reading, and their last lines.

use crate::{
    mask::masked_lines,
    text::{LOG_LINE, cut, one_line},
    workload::Standing,
};
use jiff::{SignedDuration, Timestamp};
use k8s_openapi::api::core::v1::{ContainerStateTerminated, ContainerStatus, Pod};
use std::collections::BTreeSet;

/// Most logs that are read for one workload.
pub const LOGS_PER_WORKLOAD: usize = 2;
/// Most lines that are shown of a log.
pub(crate) const LINES: usize = 5;
/// A container that started less than this ago, after it had ended, has not said yet why it fails.
const JUST_STARTED: SignedDuration = SignedDuration::from_mins(1);

/// Identifies the log of one container.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LogKey {
    /// The namespace of the pod.
    pub namespace: String,
    /// The pod.
    pub pod: String,
    /// The container.
    pub container: String,
    /// Which run of it.
    pub instance: LogInstance,
}

/// A run of a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogInstance {
    /// The one that runs, or has ended last.
    Current,
    /// The one before, which has ended.
    Previous,
}

/// The logs that tell why the pods of a workload fail: none if it is ready. Two pods of one template fail for the same reason,
/// so each container is read in one pod.
pub(crate) fn wanted(pods: &[&Pod], standing: Standing, now: Timestamp) -> Vec<LogKey> {
    if standing == Standing::Ready {
        return Vec::new();
    }
    let (mut wanted, mut seen) = (Vec::new(), BTreeSet::new());
    for pod in pods {
        let status = pod.status.as_ref();
        let init = status.and_then(|status| status.init_container_statuses.as_deref()).unwrap_or_default();
        let main = status.and_then(|status| status.container_statuses.as_deref()).unwrap_or_default();
        for container in init.iter().chain(main) {
            if let Some(instance) = instance(container, now).filter(|_| !is_quoted(pod, container))
                && seen.insert(&container.name)
            {
                let text = |field: &Option<String>| field.clone().unwrap_or_default();
                let (namespace, pod) = (text(&pod.metadata.namespace), text(&pod.metadata.name));
                wanted.push(LogKey { namespace, pod, container: container.name.clone(), instance });
            }
        }
    }
    wanted.truncate(LOGS_PER_WORKLOAD);
    wanted
}

/// The run of a container that tells why it fails, if it fails and has run.
fn instance(status: &ContainerStatus, now: Timestamp) -> Option<LogInstance> {
    let state = status.state.as_ref()?;
    let before = status.last_state.as_ref().and_then(|last| last.terminated.as_ref());
    if let Some(ended) = &state.terminated {
        return (ended.exit_code != 0).then_some(LogInstance::Current);
    }
    let Some(running) = &state.running else { return before.map(|_| LogInstance::Previous) };
    if status.ready {
        return None;
    }
    let started = running.started_at.as_ref().map_or(now, |time| time.0);
    Some(match before {
        Some(_) if now.duration_since(started) < JUST_STARTED => LogInstance::Previous,
        _ => LogInstance::Current,
    })
}

/// Whether the kubelet copies the end of the log into the status, and has done so.
fn is_quoted(pod: &Pod, status: &ContainerStatus) -> bool {
    let spec = pod.spec.as_ref();
    let init = spec.and_then(|spec| spec.init_containers.as_deref()).unwrap_or_default();
    let main = spec.map(|spec| spec.containers.as_slice()).unwrap_or_default();
    let copies = init.iter().chain(main).any(|container| {
        let policy = container.termination_message_policy.as_deref();
        container.name == status.name && policy == Some("FallbackToLogsOnError")
    });
    let ends = [status.state.as_ref(), status.last_state.as_ref()];
    let mut ends = ends.into_iter().flatten().filter_map(|state| state.terminated.as_ref());
    copies && ends.any(|ended| !quoted(ended).is_empty())
}

/// What the status of a container quotes of its last words.
pub(crate) fn quoted(ended: &ContainerStateTerminated) -> Vec<String> {
    last_lines(ended.message.as_deref().unwrap_or_default())
}

/// The last lines of a log.
pub(crate) fn last_lines(log: &str) -> Vec<String> {
    let lines: Vec<_> = log.split(['\n', '\r']).map(one_line).filter(|line| !line.is_empty()).collect();
    let shown = masked_lines(lines.iter().map(String::as_str));
    shown.iter().skip(shown.len().saturating_sub(LINES)).map(|line| cut(line, LOG_LINE)).collect()
}
