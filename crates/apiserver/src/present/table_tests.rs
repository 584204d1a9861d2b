use super::{IncludeObject, WithHeaders, table};
use crate::{
    kinds::{Column, Origin, Resource},
    present::a_kind::a_kind,
};
use serde_json::{Value, json};

fn shown(resource: &Resource, object: &Value) -> Value {
    let now = "2026-01-01T01:00:00Z".parse().unwrap();
    table(resource, &[object], json!({}), IncludeObject::Metadata, now, WithHeaders::Yes, "v1")
}

fn cells(group: &str, plural: &str, mut object: Value) -> Value {
    object["metadata"]["name"] = "it".into();
    object["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z".into();
    shown(&a_kind(group, plural, Origin::Builtin), &object)["rows"][0]["cells"].clone()
}

#[test]
fn a_table_has_headers_rows_and_the_metadata_of_its_objects() {
    let object = json!({"metadata": {"name": "it"}, "data": {"a": "b"}});
    let resource = a_kind("", "configmaps", Origin::Builtin);
    let mut shown = shown(&resource, &object);
    for column in shown["columnDefinitions"].as_array_mut().unwrap() {
        column.as_object_mut().unwrap().remove("description");
    }
    assert_eq!(
        shown,
        json!({
            "kind": "Table",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": {},
            "columnDefinitions": [
                {"name": "Name", "type": "string", "format": "name", "priority": 0},
                {"name": "Data", "type": "string", "format": "", "priority": 0},
                {"name": "Age", "type": "string", "format": "", "priority": 0},
            ],
            "rows": [{
                "cells": ["it", 1, "<unknown>"],
                "object": {
                    "kind": "PartialObjectMetadata",
                    "apiVersion": "meta.k8s.io/v1",
                    "metadata": {"name": "it"},
                },
            }],
        })
    );
}

#[test]
fn later_tables_of_a_watch_have_no_headers_and_rows_may_come_alone() {
    let object = json!({"metadata": {"name": "it"}});
    let now = "2026-01-01T01:00:00Z".parse().unwrap();
    let resource = a_kind("", "serviceaccounts", Origin::Builtin);
    let table_with = |include| table(&resource, &[&object], json!({}), include, now, WithHeaders::No, "v1");
    assert_eq!(table_with(IncludeObject::None)["columnDefinitions"], Value::Null);
    assert_eq!(table_with(IncludeObject::None)["rows"][0]["object"], Value::Null);
    assert_eq!(
        table_with(IncludeObject::Object)["rows"][0]["object"],
        json!({"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "it"}})
    );
}

#[test]
fn the_status_of_a_pod_is_that_of_its_containers() {
    let running = json!({"name": "a", "ready": true, "restartCount": 0, "state": {"running": {}}});
    let crashing = json!({
        "name": "b", "ready": false, "restartCount": 3,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"exitCode": 1, "finishedAt": "2026-01-01T00:55:00Z"}},
    });
    let spec = json!({"containers": [{"name": "a"}, {"name": "b"}]});
    assert_eq!(
        cells(
            "",
            "pods",
            json!({"spec": spec, "status": {
                "phase": "Running", "podIPs": [{"ip": "10.0.0.1"}], "containerStatuses": [running, crashing],
            }})
        ),
        json!([
            "it",
            "1/2",
            "CrashLoopBackOff",
            "3 (5m ago)",
            "60m",
            "10.0.0.1",
            "<none>",
            "<none>",
            "<none>"
        ])
    );
    let failed = json!({"name": "a", "restartCount": 0, "state": {"terminated": {"exitCode": 3}}});
    assert_eq!(
        cells(
            "",
            "pods",
            json!({"spec": spec, "status": {"phase": "Failed", "containerStatuses": [failed]}})
        ),
        json!(["it", "0/2", "ExitCode:3", "0", "60m", "<none>", "<none>", "<none>", "<none>"])
    );
}

#[test]
fn a_pod_that_initialises_says_how_far_it_is() {
    let pod = json!({
        "spec": {
            "initContainers": [{"name": "i"}, {"name": "s", "restartPolicy": "Always"}],
            "containers": [{"name": "a"}],
            "readinessGates": [{"conditionType": "example.com/gate"}],
        },
        "status": {"phase": "Pending", "initContainerStatuses": [
            {"name": "i", "restartCount": 1, "state": {"waiting": {"reason": "PodInitializing"}}},
        ]},
    });
    assert_eq!(
        cells("", "pods", pod),
        json!(["it", "0/2", "Init:0/2", "1", "60m", "<none>", "<none>", "<none>", "0/1"])
    );
}

#[test]
fn a_finished_pod_says_so_in_its_row() {
    let pod = json!({"status": {"phase": "Succeeded"}});
    assert_eq!(
        shown(&a_kind("", "pods", Origin::Builtin), &pod)["rows"][0]["conditions"],
        json!([{
            "type": "Completed", "status": "True", "reason": "Succeeded",
            "message": "The pod has completed successfully.",
        }])
    );
}

#[test]
fn services_show_their_addresses() {
    let ports = json!([{"port": 80, "nodePort": 30080, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]);
    let balanced = json!({
        "spec": {"type": "LoadBalancer", "clusterIPs": ["10.0.0.9"], "ports": ports, "selector": {"a": "b"}},
        "status": {"loadBalancer": {"ingress": [{"ip": "10.1.1.1"}, {"hostname": "b.example"}]}},
    });
    assert_eq!(
        cells("", "services", balanced),
        json!(["it", "LoadBalancer", "10.0.0.9", "10.1.1.1,b.example", "80:30080/TCP,53/UDP", "60m", "a=b"])
    );
    assert_eq!(
        cells("", "services", json!({"spec": {"type": "LoadBalancer", "clusterIPs": ["10.0.0.9"]}})),
        json!(["it", "LoadBalancer", "10.0.0.9", "<pending>", "<none>", "60m", "<none>"])
    );
}

#[test]
fn jobs_show_how_far_they_are() {
    let job = json!({
        "spec": {"completions": 1, "parallelism": 1, "selector": {"matchLabels": {"a": "b"}},
            "template": {"spec": {"containers": [{"name": "c", "image": "busybox"}]}}},
        "status": {"succeeded": 1,
            "startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:03:05Z",
            "conditions": [{"type": "Complete", "status": "True"}]},
    });
    assert_eq!(
        cells("batch", "jobs", job),
        json!(["it", "Complete", "1/1", "3m5s", "60m", "c", "busybox", "a=b"])
    );
}

#[test]
fn selectors_read_as_in_a_query() {
    let deployment = json!({"spec": {"replicas": 2, "selector": {
        "matchLabels": {"app": "web"},
        "matchExpressions": [
            {"key": "app", "operator": "In", "values": ["web", "old"]},
            {"key": "gone", "operator": "DoesNotExist"},
        ],
    }}, "status": {"readyReplicas": 1, "updatedReplicas": 2, "availableReplicas": 1}});
    assert_eq!(
        cells("apps", "deployments", deployment),
        json!(["it", "1/2", 2, 1, "60m", "", "", "app=web,app in (old,web),!gone"])
    );
}

#[test]
fn kinds_without_columns_of_their_own_show_when_they_were_created() {
    assert_eq!(cells("rbac.authorization.k8s.io", "roles", json!({})), json!(["it", "2026-01-01T00:00:00Z"]));
}

#[test]
fn custom_columns_follow_their_paths_and_stay_empty_where_types_differ() {
    let column = |name: &str, kind: &str, path: &str| Column {
        name: name.into(),
        kind: kind.into(),
        format: String::new(),
        description: String::new(),
        priority: 0,
        json_path: Some(path.into()),
    };
    let resource = Resource {
        columns: vec![
            column("Ready", "string", ".status.conditions[?(@.type==\"Ready\")].status"),
            column("N", "integer", ".spec.n"),
            column("F", "number", ".spec.f"),
            column("Since", "date", ".spec.t"),
            column("Hosts", "string", ".spec.hosts"),
            column("Broken", "string", ".spec["),
        ],
        ..a_kind("goharbor.example", "things", Origin::Custom)
    };
    let cells = |object: Value| shown(&resource, &object)["rows"][0]["cells"].clone();
    assert_eq!(
        cells(json!({
            "metadata": {"name": "x"},
            "spec": {"n": 3, "f": 2.0, "t": "2026-01-01T00:00:00Z", "hosts": [{"name": "h"}]},
            "status": {"conditions": [{"type": "Ready", "status": "True"}]},
        })),
        json!(["x", "True", 3, 2, "60m", r#"[{"name":"h"}]"#, null])
    );
    assert_eq!(
        cells(json!({"metadata": {"name": "y"}, "spec": {"n": "three", "t": "bad"}})),
        json!(["y", null, null, null, "<invalid>", null, null])
    );
}
