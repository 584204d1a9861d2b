//! Pods: one word for the state of all their containers.

use super::{
    AGE, About, Head, NAME, Print, Printer, Row,
    reading::{condition, created, deleting, flag, list, name, number, text, text_or},
    wide, words,
};
use crate::present::age;
use jiff::Timestamp;
use serde_json::{Value, json};

pub(super) const PODS: Printer = Printer { heads: HEADS, print: Print::Rows(rows), rows_may_be_unset: false };

const HEADS: &[Head] = &[
    NAME,
    words("Ready", About::Text("The aggregate readiness state of this pod for accepting traffic.")),
    words("Status", About::Text("The aggregate status of the containers in this pod.")),
    words(
        "Restarts",
        About::Text(
            "The number of times the containers in this pod have been restarted and when the last \
             container in this pod has restarted.",
        ),
    ),
    AGE,
    wide("IP", About::Field("api.core.v1.PodStatus", "podIP")),
    wide("Node", About::Field("api.core.v1.PodSpec", "nodeName")),
    wide("Nominated Node", About::Field("api.core.v1.PodStatus", "nominatedNodeName")),
    wide("Readiness Gates", About::Field("api.core.v1.PodSpec", "readinessGates")),
];

fn rows(pods: &[&Value], now: Timestamp) -> Vec<Row> {
    pods.iter().map(|pod| Row { cells: cells(pod, now), condition: completed(pod) }).collect()
}

fn completed(pod: &Value) -> Option<Value> {
    let message = match text(pod, "/status/phase") {
        "Succeeded" => "The pod has completed successfully.",
        "Failed" => "The pod failed.",
        _ => return None,
    };
    Some(json!({
        "type": "Completed", "status": "True", "reason": text(pod, "/status/phase"), "message": message,
    }))
}

fn cells(pod: &Value, now: Timestamp) -> Vec<Value> {
    let state = State::of(pod);
    let restarts = match state.last_restart {
        Some(last) if state.restarts != 0 => {
            format!("{} ({} ago)", state.restarts, age::since(Some(last), now))
        }
        _ => state.restarts.to_string(),
    };
    let address = list(pod, "/status/podIPs").first().map_or("", |address| text(address, "/ip"));
    vec![
        name(pod),
        format!("{}/{}", state.ready, state.total).into(),
        state.reason.into(),
        restarts.into(),
        created(pod, now),
        if address.is_empty() { "<none>".into() } else { address.into() },
        text_or(pod, "/spec/nodeName", "<none>").into(),
        text_or(pod, "/status/nominatedNodeName", "<none>").into(),
        gates(pod).into(),
    ]
}

fn gates(pod: &Value) -> String {
    let gates = list(pod, "/spec/readinessGates");
    if gates.is_empty() {
        return "<none>".into();
    }
    let open = gates.iter().filter(|gate| condition(pod, text(gate, "/conditionType")) == "True").count();
    format!("{open}/{}", gates.len())
}

/// The combined state of a pod's containers.
struct State<'p> {
    reason: String,
    ready: usize,
    total: usize,
    restarts: i64,
    last_restart: Option<&'p Value>,
}

/// Restarts of some containers.
#[derive(Default, Clone, Copy)]
struct Restarts<'p> {
    count: i64,
    last: Option<&'p Value>,
}

impl<'p> Restarts<'p> {
    fn add(&mut self, status: &'p Value) {
        self.count += number(status, "/restartCount");
        let ended = status.pointer("/lastState/terminated/finishedAt");
        let time = |value: Option<&Value>| value.and_then(Value::as_str).and_then(age::parsed);
        if time(ended) > time(self.last) {
            self.last = ended;
        }
    }
}

/// Whether init containers still block the main containers.
enum Initialising {
    Done,
    Still(String),
}

impl<'p> State<'p> {
    fn of(pod: &'p Value) -> Self {
        let phase = text(pod, "/status/phase");
        let mut reason = text_or(pod, "/status/reason", phase).to_owned();
        let gated = |condition: &&Value| {
            text(condition, "/type") == "PodScheduled" && text(condition, "/reason") == "SchedulingGated"
        };
        if list(pod, "/status/conditions").iter().any(|condition| gated(&condition)) {
            reason = "SchedulingGated".into();
        }
        let sidecars =
            list(pod, "/spec/initContainers").iter().filter(|container| restartable(container)).count();
        let mut ready = 0;
        let mut all = Restarts::default();
        let mut of_sidecars = Restarts::default();
        let initialising = initialise(pod, &mut ready, &mut all, &mut of_sidecars);
        let initialised = condition(pod, "Initialized") == "True";
        let done = match initialising {
            Initialising::Done => true,
            Initialising::Still(why) => {
                reason = why;
                initialised
            }
        };
        if done {
            all = of_sidecars;
            reason = main_containers(pod, reason, &mut ready, &mut all);
        }
        if deleting(pod) {
            if text(pod, "/status/reason") == "NodeLost" {
                reason = "Unknown".into();
            } else if !matches!(phase, "Succeeded" | "Failed") {
                reason = "Terminating".into();
            }
        }
        let total = list(pod, "/spec/containers").len() + sidecars;
        Self { reason, ready, total, restarts: all.count, last_restart: all.last }
    }
}

fn restartable(container: &Value) -> bool {
    text(container, "/restartPolicy") == "Always"
}

fn initialise<'p>(
    pod: &'p Value,
    ready: &mut usize,
    all: &mut Restarts<'p>,
    of_sidecars: &mut Restarts<'p>,
) -> Initialising {
    let containers = list(pod, "/spec/initContainers");
    for (place, status) in list(pod, "/status/initContainerStatuses").iter().enumerate() {
        all.add(status);
        let sidecar = containers
            .iter()
            .any(|container| text(container, "/name") == text(status, "/name") && restartable(container));
        if sidecar {
            of_sidecars.add(status);
        }
        let terminated = status.pointer("/state/terminated");
        if terminated.is_some_and(|terminated| number(terminated, "/exitCode") == 0) {
            continue;
        }
        if sidecar && flag(status, "/started") {
            *ready += usize::from(flag(status, "/ready"));
            continue;
        }
        let waiting = text(status, "/state/waiting/reason");
        return Initialising::Still(match terminated {
            Some(terminated) => format!("Init:{}", end_of(terminated)),
            None if !waiting.is_empty() && waiting != "PodInitializing" => format!("Init:{waiting}"),
            None => format!("Init:{place}/{}", containers.len()),
        });
    }
    Initialising::Done
}

fn main_containers<'p>(
    pod: &'p Value,
    mut reason: String,
    ready: &mut usize,
    all: &mut Restarts<'p>,
) -> String {
    let mut running = false;
    let mut error = None;
    for status in list(pod, "/status/containerStatuses").iter().rev() {
        all.add(status);
        let waiting = text(status, "/state/waiting/reason");
        if !waiting.is_empty() {
            waiting.clone_into(&mut reason);
        } else if let Some(terminated) = status.pointer("/state/terminated") {
            reason = end_of(terminated);
            if number(terminated, "/exitCode") != 0 {
                error = Some(reason.clone());
            }
        } else if flag(status, "/ready") && status.pointer("/state/running").is_some() {
            running = true;
            *ready += 1;
        }
    }
    match (reason.as_str(), running, error) {
        ("Completed", true, _) if condition(pod, "Ready") == "True" => "Running".into(),
        ("Completed", _, Some(error)) => error,
        ("Completed", true, None) => "NotReady".into(),
        _ => reason,
    }
}

/// How a container ended.
fn end_of(terminated: &Value) -> String {
    match (text(terminated, "/reason"), number(terminated, "/signal")) {
        ("", 0) => format!("ExitCode:{}", number(terminated, "/exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}
