//! The state of a container in words.

use crate::{
    log::quoted,
    report::{ContainerReport, Ended},
    text::{some_message, word},
};
use k8s_openapi::api::core::v1::{ContainerState, ContainerStateTerminated, ContainerStatus};

/// States of a container that is being created: waiting may help.
const CREATING: [&str; 2] = ["ContainerCreating", "PodInitializing"];

/// What a container is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    /// It ends before the others start.
    Initialize,
    /// It runs until its pod is deleted.
    Serve,
}

/// The report about a container. Without its log, unless the kubelet has quoted that in the status.
pub(crate) fn report(status: &ContainerStatus, task: Task) -> ContainerReport {
    let state = status.state.as_ref();
    let ended = state.and_then(|state| state.terminated.as_ref());
    let last = ended.or_else(|| status.last_state.as_ref()?.terminated.as_ref());
    let has_ended_well = ended.is_some_and(|ended| ended.exit_code == 0);
    ContainerReport {
        name: word(Some(&status.name)).unwrap_or_default(),
        state: state_word(state, status.ready),
        well: match task {
            Task::Initialize => has_ended_well || status.ready,
            Task::Serve => status.ready || (has_ended_well && status.restart_count == 0),
        },
        restarts: u32::try_from(status.restart_count).unwrap_or_default(),
        message: message(state),
        last_end: last.map(end),
        log: last.map(quoted).unwrap_or_default(),
        log_problem: None,
    }
}

fn state_word(state: Option<&ContainerState>, ready: bool) -> String {
    let (waiting, ended) =
        state.map_or((None, None), |state| (state.waiting.as_ref(), state.terminated.as_ref()));
    match (waiting, ended) {
        (Some(waiting), _) => word(waiting.reason.as_deref()).unwrap_or_else(|| "waiting".into()),
        (None, Some(ended)) => word(ended.reason.as_deref()).unwrap_or_else(|| "ended".into()),
        (None, None) if ready => "ready".into(),
        (None, None) if state.is_some_and(|state| state.running.is_some()) => "running".into(),
        (None, None) => "waiting".into(),
    }
}

/// What the kubelet says about the state, unless its reason and the end of the container say the same.
fn message(state: Option<&ContainerState>) -> Option<String> {
    let waiting = state?.waiting.as_ref()?;
    let is_known = waiting.reason.as_deref() == Some("CrashLoopBackOff");
    some_message(waiting.message.as_deref()).filter(|_| !is_known)
}

fn end(ended: &ContainerStateTerminated) -> Ended {
    Ended {
        exit_code: ended.exit_code,
        reason: word(ended.reason.as_deref()),
        at: ended.finished_at.as_ref().map(|time| time.0),
    }
}

/// Whether the state of a container is a failure, or only a step on its way.
pub(crate) fn is_failure(container: &ContainerReport) -> bool {
    let on_its_way =
        ["running", "ready", "waiting"].contains(&&*container.state) || CREATING.contains(&&*container.state);
    !container.well && !on_its_way
}
