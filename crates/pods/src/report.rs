//! What is shown of workloads and their pods. It serializes as `status --output json` prints it.

use crate::Unseen;
use jiff::Timestamp;
use plan::ObjectKey;
use progress::Tally;
use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use std::collections::{BTreeMap, BTreeSet};

/// What the pods of some workloads report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Of each workload that exists.
    pub workloads: BTreeMap<ObjectKey, WorkloadReport>,
    /// What could not be read.
    pub unseen: BTreeSet<Unseen>,
}

impl Report {
    /// How many of the pods of some workloads are ready. `None` if none of them has pods.
    pub fn tally(&self, is_meant: impl Fn(&ObjectKey) -> bool) -> Option<Tally> {
        let meant = self.workloads.iter().filter(|(key, _)| is_meant(key)).filter_map(|(_, it)| it.tally);
        meant.reduce(|one, other| Tally { ready: one.ready + other.ready, all: one.all + other.all })
    }

    /// The report about one object.
    pub fn about(&self, key: &ObjectKey) -> Option<&WorkloadReport> {
        self.workloads.get(key)
    }
}

/// What the pods of one workload report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WorkloadReport {
    /// Whether the workload itself is ready.
    #[serde(skip)]
    pub ready: bool,
    /// How many of its pods are ready: of a Deployment and of a StatefulSet by its own status, which also says how many it wants;
    /// of an object of another operator, of the pods that exist.
    #[serde(skip)]
    pub tally: Option<Tally>,
    /// The pods of its newest template, or all if it is not known which these are.
    pub pods: Vec<PodReport>,
    /// The last warnings about the workload itself, the newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventReport>,
}

/// What one pod reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodReport {
    /// Its name.
    pub name: String,
    /// Its state in one word: a reason such as `CrashLoopBackOff`, or `ready`, or as far as it has come.
    pub state: String,
    /// Whether the word names a failure.
    pub failed: bool,
    /// How many of its containers are ready.
    pub tally: Tally,
    /// How often its containers have been restarted.
    pub restarts: u32,
    /// Why it is in its state, if that is not about a container.
    pub message: Option<String>,
    /// Its containers, those for initialization first.
    pub containers: Vec<ContainerReport>,
    /// The last warnings about it, the newest first.
    pub events: Vec<EventReport>,
}

impl PodReport {
    /// Whether it does what it should.
    pub fn is_well(&self) -> bool {
        self.containers.iter().all(|container| container.well) && !self.failed
    }
}

impl Serialize for PodReport {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { name, state, failed: _, tally, restarts, message, containers, events } = self;
        let mut object = serializer.serialize_struct("Pod", 8)?;
        object.serialize_field("name", name)?;
        object.serialize_field("state", state)?;
        object.serialize_field("containersReady", &tally.ready)?;
        object.serialize_field("containersWanted", &tally.all)?;
        object.serialize_field("restarts", restarts)?;
        match message {
            Some(message) => object.serialize_field("message", message)?,
            None => object.skip_field("message")?,
        }
        object.serialize_field("containers", containers)?;
        if events.is_empty() {
            object.skip_field("events")?;
        } else {
            object.serialize_field("events", events)?;
        }
        object.end()
    }
}

/// What one container reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContainerReport {
    /// Its name.
    pub name: String,
    /// Its state in one word: `running`, `ready`, or the reason why it waits or has ended.
    pub state: String,
    /// Whether it does what it should, or has done it.
    #[serde(skip)]
    pub well: bool,
    /// How often it has been restarted.
    pub restarts: u32,
    /// What the kubelet says about its state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How it ended the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_end: Option<Ended>,
    /// The last lines that it has logged, or had before it ended.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub log: Vec<String>,
    /// Why its log cannot be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_problem: Option<String>,
}

/// The end of a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// The exit code.
    pub exit_code: i32,
    /// The reason, such as `Error` or `OOMKilled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventReport {
    /// Its reason, in one word.
    pub reason: String,
    /// Its message.
    pub message: String,
    /// How often it has occurred.
    pub count: u32,
    /// When it occurred the last time.
    pub last_seen: Timestamp,
}
