//! Configuration, and the parts of the cluster itself.

use super::{
    AGE, About, CREATED, Head, NAME, Printer, column, each, plainest,
    reading::{condition, count, created, flag, list, map, name, number, quantity, text, text_or},
    wide, words,
};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) const ANY: Printer =
    plainest(&[NAME, CREATED_AT], |object, _| vec![name(object), created_at(object)]);

const CREATED_AT: Head = column("Created At", "date", CREATED);

fn created_at(object: &Value) -> Value {
    text_or(object, "/metadata/creationTimestamp", "0001-01-01T00:00:00Z").into()
}

pub(super) const CONFIG_MAPS: Printer =
    each(&[NAME, words("Data", About::Field("api.core.v1.ConfigMap", "data")), AGE], |object, now| {
        vec![
            name(object),
            (count(object, "/data") + count(object, "/binaryData")).into(),
            created(object, now),
        ]
    });

pub(super) const SECRETS: Printer = each(
    &[
        NAME,
        words("Type", About::Field("api.core.v1.Secret", "type")),
        words("Data", About::Field("api.core.v1.Secret", "data")),
        AGE,
    ],
    |object, now| {
        vec![name(object), text(object, "/type").into(), count(object, "/data").into(), created(object, now)]
    },
);

pub(super) const NAMESPACES: Printer =
    each(&[NAME, words("Status", About::Text("The status of the namespace")), AGE], |object, now| {
        vec![name(object), text(object, "/status/phase").into(), created(object, now)]
    });

pub(super) const LEASES: Printer = each(
    &[NAME, words("Holder", About::Field("api.coordination.v1.LeaseSpec", "holderIdentity")), AGE],
    |object, now| vec![name(object), text(object, "/spec/holderIdentity").into(), created(object, now)],
);

pub(super) const WEBHOOK_CONFIGURATIONS: Printer = each(
    &[
        NAME,
        column(
            "Webhooks",
            "integer",
            About::Text("Webhooks indicates the number of webhooks registered in this configuration"),
        ),
        AGE,
    ],
    |object, now| vec![name(object), count(object, "/webhooks").into(), created(object, now)],
);

pub(super) const PRIORITY_CLASSES: Printer = each(
    &[
        NAME,
        column("Value", "integer", About::Field("api.scheduling.v1.PriorityClass", "value")),
        column("Global-Default", "boolean", About::Field("api.scheduling.v1.PriorityClass", "globalDefault")),
        AGE,
        words("PreemptionPolicy", About::Field("api.scheduling.v1.PriorityClass", "preemptionPolicy")),
    ],
    |object, now| {
        vec![
            name(object),
            number(object, "/value").into(),
            flag(object, "/globalDefault").into(),
            created(object, now),
            text(object, "/preemptionPolicy").into(),
        ]
    },
);

pub(super) const RESOURCE_QUOTAS: Printer = each(
    &[
        NAME,
        words(
            "Request",
            About::Text("Request represents a minimum amount of cpu/memory that a container may consume."),
        ),
        words(
            "Limit",
            About::Text(
                "Limits control the maximum amount of cpu/memory that a container may use independent of \
                 contention on the node.",
            ),
        ),
        AGE,
    ],
    |object, now| {
        let (limits, requests): (Vec<&String>, Vec<&String>) =
            map(object, "/status/hard").keys().partition(|resource| resource.starts_with("limits."));
        let shown = |resources: Vec<&String>| {
            let used = |kind: &str, resource: &str| {
                quantity(
                    object,
                    &format!("/status/{kind}/{}", resource.replace('~', "~0").replace('/', "~1")),
                )
            };
            let lines = resources
                .into_iter()
                .map(|resource| format!("{resource}: {}/{}", used("used", resource), used("hard", resource)));
            lines.collect::<Vec<_>>().join(", ")
        };
        vec![name(object), shown(requests).into(), shown(limits).into(), created(object, now)]
    },
);

pub(super) const CUSTOM_RESOURCE_DEFINITIONS: Printer = plainest(
    &[
        NAME,
        words("Scope", About::Text("Cluster/Namespaced")),
        words("Versions", About::Text("Served versions")),
        CREATED_AT,
        wide("Group", About::Text("API group")),
        wide("Kind", About::Text("CustomResource kind")),
        wide("ShortNames", About::Text("Short names")),
        Head {
            name: "Established",
            kind: "boolean",
            format: "",
            about: About::Text("Established status"),
            priority: 1,
        },
    ],
    |definition, _| {
        let mut versions: Vec<String> = list(definition, "/spec/versions")
            .iter()
            .filter(|version| flag(version, "/served"))
            .map(|version| {
                let mark = if flag(version, "/storage") { "(storage)" } else { "" };
                format!("{}{mark}", text(version, "/name"))
            })
            .collect();
        versions.sort();
        let short: Vec<&str> =
            list(definition, "/spec/names/shortNames").iter().filter_map(Value::as_str).collect();
        vec![
            name(definition),
            text(definition, "/spec/scope").into(),
            versions.join(",").into(),
            created_at(definition),
            text(definition, "/spec/group").into(),
            text(definition, "/spec/names/kind").into(),
            short.join(",").into(),
            (condition(definition, "Established") == "True").into(),
        ]
    },
);

pub(super) const NODES: Printer = each(
    &[
        NAME,
        words("Status", About::Text("The status of the node")),
        words("Roles", About::Text("The roles of the node")),
        AGE,
        words("Version", About::Field("api.core.v1.NodeSystemInfo", "kubeletVersion")),
        wide("Internal-IP", About::Field("api.core.v1.NodeStatus", "addresses")),
        wide("External-IP", About::Field("api.core.v1.NodeStatus", "addresses")),
        wide("OS-Image", About::Field("api.core.v1.NodeSystemInfo", "osImage")),
        wide("Kernel-Version", About::Field("api.core.v1.NodeSystemInfo", "kernelVersion")),
        wide("Container-Runtime", About::Field("api.core.v1.NodeSystemInfo", "containerRuntimeVersion")),
    ],
    |node, now| {
        let address = |kind: &str| -> Value {
            list(node, "/status/addresses")
                .iter()
                .find(|address| text(address, "/type") == kind)
                .map_or("<none>", |address| text(address, "/address"))
                .into()
        };
        let info = |field: &str| text_or(node, &format!("/status/nodeInfo/{field}"), "<unknown>").to_owned();
        let kernel = match text(node, "/status/nodeInfo/architecture") {
            "" => info("kernelVersion"),
            architecture => format!("{} ({architecture})", info("kernelVersion")),
        };
        vec![
            name(node),
            node_status(node).into(),
            roles(node).into(),
            created(node, now),
            text(node, "/status/nodeInfo/kubeletVersion").into(),
            address("InternalIP"),
            address("ExternalIP"),
            info("osImage").into(),
            kernel.into(),
            info("containerRuntimeVersion").into(),
        ]
    },
);

fn node_status(node: &Value) -> String {
    let ready = match condition(node, "Ready") {
        "" => "Unknown",
        "True" => "Ready",
        _ => "NotReady",
    };
    if flag(node, "/spec/unschedulable") { format!("{ready},SchedulingDisabled") } else { ready.to_owned() }
}

fn roles(node: &Value) -> String {
    let roles: BTreeSet<&str> = map(node, "/metadata/labels")
        .iter()
        .filter_map(|(label, value)| match label.strip_prefix("node-role.kubernetes.io/") {
            None if label == "kubernetes.io/role" => value.as_str(),
            role => role,
        })
        .filter(|role| !role.is_empty())
        .collect();
    if roles.is_empty() { "<none>".into() } else { roles.into_iter().collect::<Vec<_>>().join(",") }
}
