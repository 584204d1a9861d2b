//! From objects to lines, and what is read for them.

mod fold;
mod operators;
mod reading;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Event, Pod};
use serde_json::{Value, json};

/// The time of all tests.
fn now() -> Timestamp {
    "2026-11-19T14:00:00Z".parse().unwrap()
}

const SECONDS_AGO: &str = "2026-11-19T13:59:48Z";
const HOURS_AGO: &str = "2026-11-19T10:00:00Z";

/// The pod `core-HASH-NAME` of the Deployment `core`, with one container of this status.
fn pod(hash: &str, name: &str, container: Value) -> Value {
    let set = format!("core-{hash}");
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": format!("{set}-{name}"), "namespace": "ns",
            "labels": {"app": "core", "pod-template-hash": hash},
            "ownerReferences": [
                {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": set, "uid": set, "controller": true},
            ],
        },
        "spec": {"containers": [{"name": "core", "image": "core:1"}]},
        "status": {"phase": "Running", "containerStatuses": [container]},
    })
}

/// The status of a container.
fn container(state: Value, restarts: i32) -> Value {
    let ready = state["running"].is_object();
    json!({
        "name": "core", "image": "core:1", "imageID": "", "ready": ready, "restartCount": restarts, "state": state,
    })
}

fn running() -> Value {
    container(json!({"running": {"startedAt": HOURS_AGO}}), 0)
}

/// A container that waits after it has crashed.
fn crashing() -> Value {
    let waiting =
        json!({"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container=core"});
    let mut status = container(json!({"waiting": waiting}), 7);
    status["lastState"]["terminated"] = json!({"exitCode": 1, "reason": "Error", "finishedAt": SECONDS_AGO});
    status
}

fn unpulled() -> Value {
    let message = "Back-off pulling image \"core:1\": ErrImagePull: not found";
    container(json!({"waiting": {"reason": "ImagePullBackOff", "message": message}}), 0)
}

fn warning(kind: &str, name: &str, reason: &str, message: &str, at: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"namespace": "ns", "name": format!("{name}.{}", reason.to_lowercase())},
        "involvedObject": {"kind": kind, "name": name, "namespace": "ns"},
        "type": "Warning", "reason": reason, "message": message, "count": 3, "lastTimestamp": at,
    })
}

fn pods(all: &[Value]) -> Vec<Pod> {
    all.iter().map(|pod| serde_json::from_value(pod.clone()).unwrap()).collect()
}

fn events(all: &[Value]) -> Vec<Event> {
    all.iter().map(|event| serde_json::from_value(event.clone()).unwrap()).collect()
}
