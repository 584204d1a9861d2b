//! The status of a pod, as a kubelet reports it.

use super::needs::Missing;
use crate::condition::{Condition, written};
use jiff::Timestamp;
use kube::core::DynamicObject;
use serde_json::{Map, Value, json};

/// The address of the node.
const NODE_ADDRESS: &str = "192.168.49.2";

/// The state of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PodState {
    /// It waits for an object that it needs.
    Missing(Missing),
    /// Its containers are being created.
    Starting,
    /// Its image cannot be pulled.
    NotPulled(String),
    /// It ran and crashes repeatedly.
    Crashing(String),
    /// It runs.
    Running,
    /// It has completed.
    Succeeded,
    /// It has failed.
    Failed(String),
}

impl PodState {
    fn phase(&self) -> &'static str {
        match self {
            Self::Missing(_) | Self::Starting | Self::NotPulled(_) => "Pending",
            Self::Crashing(_) | Self::Running => "Running",
            Self::Succeeded => "Succeeded",
            Self::Failed(_) => "Failed",
        }
    }

    /// Whether its init containers have ended, although its containers wait.
    fn is_initialized(&self) -> bool {
        matches!(self, Self::Crashing(_) | Self::Missing(Missing::Environment(_)))
    }

    /// Reason and message of a waiting container.
    fn waiting(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Starting | Self::Missing(Missing::Volume(_)) => Some(("ContainerCreating", "")),
            Self::Missing(Missing::InitEnvironment { message, .. } | Missing::Environment(message)) => {
                Some(("CreateContainerConfigError", message))
            }
            Self::NotPulled(message) => Some(("ImagePullBackOff", message)),
            Self::Crashing(message) => Some(("CrashLoopBackOff", message)),
            _ => None,
        }
    }
}

/// The status of a pod in this state. `address` is called if the pod has an address.
pub(crate) fn status(
    pod: &DynamicObject,
    pod_state: &PodState,
    now: Timestamp,
    address: impl FnOnce() -> String,
) -> Value {
    let before = &pod.data["status"];
    let mut status = Map::new();
    let mut set = |field: &str, value: Value| status.insert(field.to_owned(), value);
    set("phase", pod_state.phase().into());
    set("conditions", conditions(before, pod_state, now));
    set("qosClass", before["qosClass"].clone());
    if let PodState::Missing(Missing::Claim(_)) = pod_state {
        return Value::Object(status);
    }
    let since = |field: &str| before[field].as_str().map_or_else(|| written(now), str::to_owned);
    set("startTime", since("startTime").into());
    set("hostIP", NODE_ADDRESS.into());
    set("hostIPs", json!([{"ip": NODE_ADDRESS}]));
    if pod_state.waiting().is_none() || matches!(pod_state, PodState::Crashing(_) | PodState::NotPulled(_)) {
        let address = address();
        set("podIPs", json!([{"ip": address}]));
        set("podIP", address.into());
    }
    if let PodState::Failed(message) = pod_state {
        set("message", message.clone().into());
        set("reason", "Error".into());
    }
    if let PodState::Missing(Missing::Volume(message)) = pod_state {
        set("message", message.clone().into());
    }
    let spec = &pod.data["spec"];
    let (init, main) = (&before["initContainerStatuses"], &before["containerStatuses"]);
    set("initContainerStatuses", containers(&spec["initContainers"], init, pod_state, true, now));
    set("containerStatuses", containers(&spec["containers"], main, pod_state, false, now));
    Value::Object(status)
}

fn conditions(before: &Value, pod_state: &PodState, now: Timestamp) -> Value {
    let before = &before["conditions"];
    let condition =
        |kind, holds, reason, message| Condition::new(kind, holds, reason, message).after(before, now);
    if let PodState::Missing(Missing::Claim(message)) = pod_state {
        return json!([condition("PodScheduled", false, "Unschedulable", message)]);
    }
    let (ready, reason, message) = match pod_state {
        PodState::Running => (true, "", ""),
        PodState::Succeeded => (false, "PodCompleted", ""),
        PodState::Failed(_) => (false, "PodFailed", ""),
        PodState::Missing(Missing::Volume(message)) => (false, "ContainersNotReady", message.as_str()),
        _ => (false, "ContainersNotReady", pod_state.waiting().map_or("", |(_, message)| message)),
    };
    let started = !matches!(pod_state, PodState::Starting | PodState::Missing(_));
    json!([
        condition("PodReadyToStartContainers", started, "", ""),
        condition("Initialized", true, if ready { "" } else { reason_if_completed(pod_state) }, ""),
        condition("Ready", ready, reason, message),
        condition("ContainersReady", ready, reason, message),
        condition("PodScheduled", true, "", ""),
    ])
}

fn reason_if_completed(pod_state: &PodState) -> &'static str {
    if *pod_state == PodState::Succeeded { "PodCompleted" } else { "" }
}

fn containers(spec: &Value, before: &Value, pod_state: &PodState, init: bool, now: Timestamp) -> Value {
    let containers = spec.as_array().into_iter().flatten();
    // The steps before the one that waits have ended.
    let mut has_ended = matches!(pod_state, PodState::Missing(Missing::InitEnvironment { .. })) && init;
    containers
        .map(|container| {
            if let PodState::Missing(Missing::InitEnvironment { step, .. }) = pod_state {
                has_ended &= container["name"] != step.as_str();
            }
            let pod_state = if has_ended { &PodState::Succeeded } else { pod_state };
            let earlier = before.as_array().into_iter().flatten();
            let earlier = earlier.into_iter().find(|each| each["name"] == container["name"]);
            let lasting = !init || container["restartPolicy"] == "Always";
            container_status(container, earlier.unwrap_or(&Value::Null), pod_state, lasting, now)
        })
        .collect()
}

/// The last run of a container: it crashed now or before, or has never ended.
fn last_run(container: &Value, before: &Value, crash: Option<&str>, now: Timestamp) -> Value {
    let Some(words) = crash.filter(|_| !before["state"]["waiting"].is_object()) else {
        return if before["lastState"].is_object() { before["lastState"].clone() } else { json!({}) };
    };
    let quotes = container["terminationMessagePolicy"] == "FallbackToLogsOnError";
    let ended = written(now);
    let started = before["state"]["running"]["startedAt"].as_str().unwrap_or(&ended);
    json!({"terminated": {
        "exitCode": 1, "reason": "Error", "message": if quotes { words } else { "" },
        "startedAt": started, "finishedAt": ended, "containerID": container_id(container),
    }})
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn container_id(container: &Value) -> String {
    format!("sandbox://{}", super::template::hash(container))
}

/// The logs of the containers of a pod that has failed, by their names: the failure is their last word.
pub(crate) fn logs<'p>(
    pod: &'p DynamicObject,
    pod_state: &'p PodState,
) -> impl Iterator<Item = (&'p str, &'p str)> {
    let words = match pod_state {
        PodState::Crashing(message) | PodState::Failed(message) => Some(message.as_str()),
        PodState::Missing(_)
        | PodState::Starting
        | PodState::NotPulled(_)
        | PodState::Running
        | PodState::Succeeded => None,
    };
    let containers = pod.data["spec"]["containers"].as_array().into_iter().flatten();
    containers.filter_map(move |container| Some((container["name"].as_str()?, words?)))
}

fn container_status(
    container: &Value,
    before: &Value,
    pod_state: &PodState,
    lasting: bool,
    now: Timestamp,
) -> Value {
    let or_now = |time: &Value| time.as_str().map_or_else(|| written(now), str::to_owned);
    let started = or_now(&before["state"]["running"]["startedAt"]);
    let ended = |code: i32, reason: &str, message: &str| {
        let end = or_now(&before["state"]["terminated"]["finishedAt"]);
        let start =
            before["state"]["terminated"]["startedAt"].as_str().map_or_else(|| end.clone(), str::to_owned);
        json!({"terminated": {
            "exitCode": code, "reason": reason, "message": message, "startedAt": start, "finishedAt": end,
        }})
    };
    let state = match (pod_state, pod_state.waiting()) {
        (PodState::Crashing(_), Some((reason, _))) if lasting => {
            let message = format!("back-off 10s restarting failed container={}", text(&container["name"]));
            json!({"waiting": {"reason": reason, "message": message}})
        }
        (_, Some((reason, message))) if lasting || !pod_state.is_initialized() => {
            json!({"waiting": {"reason": reason, "message": message}})
        }
        (PodState::Running, _) if lasting => json!({"running": {"startedAt": started}}),
        (PodState::Failed(message), _) if lasting => ended(1, "Error", message),
        _ => ended(0, "Completed", ""),
    };
    let waits = state["waiting"].is_object();
    let runs = state["running"].is_object();
    let crash = match pod_state {
        PodState::Crashing(message) if lasting => Some(message.as_str()),
        _ => None,
    };
    let crashed = crash.is_some();
    let image = container["image"].as_str().unwrap_or_default();
    let restarts = before["restartCount"].as_i64().unwrap_or(0);
    let newly = i64::from(crashed && !before["state"]["waiting"].is_object());
    json!({
        "name": container["name"],
        "image": image,
        "imageID": if waits && !crashed { String::new() } else { format!("sandbox://{image}") },
        "containerID": if waits && !crashed { String::new() } else { container_id(container) },
        "ready": runs || (!lasting && !waits),
        "started": runs,
        "restartCount": restarts + newly,
        "state": state,
        "lastState": last_run(container, before, crash, now),
    })
}
