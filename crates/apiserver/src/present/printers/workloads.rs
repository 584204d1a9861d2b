//! Deployments, StatefulSets, Jobs and other workloads.

use super::{
    AGE, About, CONTAINERS, Head, IMAGES, NAME, Printer, column, each,
    reading::{
        condition, containers, count, created, deleting, flag, labels, list, name, number, selector,
        selector_or_none, since, text, text_or,
    },
    wide, words,
};
use crate::present::age;
use jiff::Timestamp;
use serde_json::Value;

const TEMPLATE: &str = "/spec/template/spec/containers";

pub(super) const POD_TEMPLATES: Printer = each(
    &[
        NAME,
        words("Containers", About::Text("Names of each container in the template.")),
        words("Images", About::Text("Images referenced by each container in the template.")),
        words("Pod Labels", About::Text("The labels for the pod template.")),
    ],
    |object, _| {
        let [names, images] = containers(object, "/template/spec/containers");
        vec![name(object), names, images, labels(object, "/template/metadata/labels").into()]
    },
);

pub(super) const REPLICATION_CONTROLLERS: Printer = each(
    &[
        NAME,
        column("Desired", "integer", About::Field("api.core.v1.ReplicationControllerSpec", "replicas")),
        column("Current", "integer", About::Field("api.core.v1.ReplicationControllerStatus", "replicas")),
        column("Ready", "integer", About::Field("api.core.v1.ReplicationControllerStatus", "readyReplicas")),
        AGE,
        CONTAINERS,
        IMAGES,
        wide("Selector", About::Field("api.core.v1.ReplicationControllerSpec", "selector")),
    ],
    |object, now| replicas(object, now, labels(object, "/spec/selector")),
);

pub(super) const REPLICA_SETS: Printer = each(
    &[
        NAME,
        column("Desired", "integer", About::Field("api.apps.v1.ReplicaSetSpec", "replicas")),
        column("Current", "integer", About::Field("api.apps.v1.ReplicaSetStatus", "replicas")),
        column("Ready", "integer", About::Field("api.apps.v1.ReplicaSetStatus", "readyReplicas")),
        AGE,
        CONTAINERS,
        IMAGES,
        wide("Selector", About::Field("api.apps.v1.ReplicaSetSpec", "selector")),
    ],
    |object, now| replicas(object, now, selector_or_none(object, "/spec/selector")),
);

fn replicas(object: &Value, now: Timestamp, selector: String) -> Vec<Value> {
    let [names, images] = containers(object, TEMPLATE);
    vec![
        name(object),
        number(object, "/spec/replicas").into(),
        number(object, "/status/replicas").into(),
        number(object, "/status/readyReplicas").into(),
        created(object, now),
        names,
        images,
        selector.into(),
    ]
}

const READY: Head = words("Ready", About::Text("Number of the pod with ready state"));

fn ready(object: &Value) -> Value {
    format!("{}/{}", number(object, "/status/readyReplicas"), number(object, "/spec/replicas")).into()
}

pub(super) const DEPLOYMENTS: Printer = each(
    &[
        NAME,
        READY,
        words("Up-to-date", About::Field("api.apps.v1.DeploymentStatus", "updatedReplicas")),
        words("Available", About::Field("api.apps.v1.DeploymentStatus", "availableReplicas")),
        AGE,
        CONTAINERS,
        IMAGES,
        wide("Selector", About::Field("api.apps.v1.DeploymentSpec", "selector")),
    ],
    |object, now| {
        let [names, images] = containers(object, TEMPLATE);
        vec![
            name(object),
            ready(object),
            number(object, "/status/updatedReplicas").into(),
            number(object, "/status/availableReplicas").into(),
            created(object, now),
            names,
            images,
            selector(object, "/spec/selector").into(),
        ]
    },
);

pub(super) const STATEFUL_SETS: Printer = each(&[NAME, READY, AGE, CONTAINERS, IMAGES], |object, now| {
    let [names, images] = containers(object, TEMPLATE);
    vec![name(object), ready(object), created(object, now), names, images]
});

pub(super) const DAEMON_SETS: Printer = each(
    &[
        NAME,
        column("Desired", "integer", About::Field("api.apps.v1.DaemonSetStatus", "desiredNumberScheduled")),
        column("Current", "integer", About::Field("api.apps.v1.DaemonSetStatus", "currentNumberScheduled")),
        column("Ready", "integer", About::Field("api.apps.v1.DaemonSetStatus", "numberReady")),
        column(
            "Up-to-date",
            "integer",
            About::Field("api.apps.v1.DaemonSetStatus", "updatedNumberScheduled"),
        ),
        column("Available", "integer", About::Field("api.apps.v1.DaemonSetStatus", "numberAvailable")),
        words("Node Selector", About::Field("api.core.v1.PodSpec", "nodeSelector")),
        AGE,
        CONTAINERS,
        IMAGES,
        wide("Selector", About::Field("api.apps.v1.DaemonSetSpec", "selector")),
    ],
    |object, now| {
        let [names, images] = containers(object, TEMPLATE);
        vec![
            name(object),
            number(object, "/status/desiredNumberScheduled").into(),
            number(object, "/status/currentNumberScheduled").into(),
            number(object, "/status/numberReady").into(),
            number(object, "/status/updatedNumberScheduled").into(),
            number(object, "/status/numberAvailable").into(),
            labels(object, "/spec/template/spec/nodeSelector").into(),
            created(object, now),
            names,
            images,
            selector_or_none(object, "/spec/selector").into(),
        ]
    },
);

pub(super) const CONTROLLER_REVISIONS: Printer = each(
    &[
        NAME,
        words("Controller", About::Text("Controller of the object")),
        words("Revision", About::Field("api.apps.v1.ControllerRevision", "revision")),
        AGE,
    ],
    |object, now| {
        let controller =
            list(object, "/metadata/ownerReferences").iter().find(|owner| flag(owner, "/controller"));
        let shown = controller.map_or_else(
            || "<none>".to_owned(),
            |owner| {
                let group = text(owner, "/apiVersion").split_once('/').map_or("", |(group, _)| group);
                let dot = if group.is_empty() { "" } else { "." };
                format!("{}{dot}{group}", text(owner, "/kind")).to_lowercase() + "/" + text(owner, "/name")
            },
        );
        vec![name(object), shown.into(), number(object, "/revision").into(), created(object, now)]
    },
);

pub(super) const JOBS: Printer = each(
    &[
        NAME,
        words("Status", About::Text("Status of the job.")),
        words("Completions", About::Field("api.batch.v1.JobStatus", "succeeded")),
        words("Duration", About::Text("Time required to complete the job.")),
        AGE,
        CONTAINERS,
        IMAGES,
        wide("Selector", About::Field("api.batch.v1.JobSpec", "selector")),
    ],
    |job, now| {
        let [names, images] = containers(job, TEMPLATE);
        vec![
            name(job),
            job_status(job).into(),
            completions(job).into(),
            duration(job, now).into(),
            created(job, now),
            names,
            images,
            selector_or_none(job, "/spec/selector").into(),
        ]
    },
);

fn completions(job: &Value) -> String {
    let succeeded = number(job, "/status/succeeded");
    let parallelism = number(job, "/spec/parallelism");
    match job.pointer("/spec/completions").and_then(Value::as_i64) {
        Some(completions) => format!("{succeeded}/{completions}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    }
}

fn duration(job: &Value, now: Timestamp) -> String {
    match (text(job, "/status/startTime"), text(job, "/status/completionTime")) {
        ("", _) => String::new(),
        (_, "") => since(job, "/status/startTime", now),
        (start, end) => age::between(start, end).unwrap_or_default(),
    }
}

fn job_status(job: &Value) -> &'static str {
    let holds = |kind: &str| condition(job, kind) == "True";
    if holds("Complete") {
        "Complete"
    } else if holds("Failed") {
        "Failed"
    } else if deleting(job) {
        "Terminating"
    } else if holds("Suspended") {
        "Suspended"
    } else if holds("FailureTarget") {
        "FailureTarget"
    } else if holds("SuccessCriteriaMet") {
        "SuccessCriteriaMet"
    } else {
        "Running"
    }
}

pub(super) const CRON_JOBS: Printer = each(
    &[
        NAME,
        words("Schedule", About::Field("api.batch.v1.CronJobSpec", "schedule")),
        words("Timezone", About::Field("api.batch.v1.CronJobSpec", "timeZone")),
        column("Suspend", "boolean", About::Field("api.batch.v1.CronJobSpec", "suspend")),
        column("Active", "integer", About::Field("api.batch.v1.CronJobStatus", "active")),
        words("Last Schedule", About::Field("api.batch.v1.CronJobStatus", "lastScheduleTime")),
        AGE,
        CONTAINERS,
        IMAGES,
        wide("Selector", About::Field("api.batch.v1.JobSpec", "selector")),
    ],
    |object, now| {
        let [names, images] = containers(object, "/spec/jobTemplate/spec/template/spec/containers");
        let suspend = match object.pointer("/spec/suspend").and_then(Value::as_bool) {
            None => "<unset>",
            Some(true) => "True",
            Some(false) => "False",
        };
        let last = match text(object, "/status/lastScheduleTime") {
            "" => "<none>".to_owned(),
            _ => since(object, "/status/lastScheduleTime", now),
        };
        vec![
            name(object),
            text(object, "/spec/schedule").into(),
            text_or(object, "/spec/timeZone", "<none>").into(),
            suspend.into(),
            count(object, "/status/active").into(),
            last.into(),
            created(object, now),
            names,
            images,
            selector_or_none(object, "/spec/jobTemplate/spec/selector").into(),
        ]
    },
);
