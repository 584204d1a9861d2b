//! An object of every kind that the operator writes, with many fields, and a change by another manager.

use serde_json::{Value, json};

pub(super) struct Sample {
    pub(super) desired: Value,
    /// A merge patch of fields that the operator does not own.
    pub(super) theirs: Value,
}

pub(super) fn all() -> [Sample; 8] {
    [config_map(), secret(), service(), deployment(), network_policy(), ingress(), claim(), thing()]
}

fn sample(api_version: &str, kind: &str, mut fields: Value, theirs: Value) -> Sample {
    fields["apiVersion"] = api_version.into();
    fields["kind"] = kind.into();
    fields["metadata"] = json!({
        "name": "sample",
        "namespace": "default",
        "labels": {"app.kubernetes.io/name": "harbor", "goharbor.io/operator-controller": "core"},
        "annotations": {"note": "ours"},
        "finalizers": ["test.io/ours"],
        "ownerReferences": [{
            "apiVersion": "v1", "kind": "Namespace", "name": "owner", "uid": "11111111-2222-3333-4444-555555555555",
            "controller": true, "blockOwnerDeletion": true,
        }],
    });
    Sample { desired: fields, theirs }
}

fn config_map() -> Sample {
    sample(
        "v1",
        "ConfigMap",
        json!({"data": {"app.conf": "a = 1\n", "empty": ""}, "binaryData": {"logo": "AAEC"}}),
        json!({"data": {"theirs": "1"}, "metadata": {"annotations": {"theirs": "1"}}}),
    )
}

fn secret() -> Sample {
    sample(
        "v1",
        "Secret",
        json!({"type": "Opaque", "data": {"password": "aHVudGVyMg==", "empty": ""}}),
        json!({"metadata": {"labels": {"theirs": "1"}}, "data": {"theirs": "eA=="}}),
    )
}

fn service() -> Sample {
    sample(
        "v1",
        "Service",
        json!({"spec": {
            "selector": {"a": "b"},
            "ports": [
                {"name": "https", "port": 443, "targetPort": "https", "protocol": "TCP"},
                {"name": "metrics", "port": 8001, "targetPort": 8001},
            ],
        }}),
        json!({"spec": {"sessionAffinity": "ClientIP"}}),
    )
}

fn deployment() -> Sample {
    let probe = json!({"httpGet": {"path": "/ping", "port": "http"}, "initialDelaySeconds": 5});
    let container = json!({
        "name": "core",
        "image": "core:1",
        "args": ["--verbose", "yes"],
        "env": [
            {"name": "Z_FIRST", "value": "1"},
            {"name": "A_SECOND", "value": "$(Z_FIRST)"},
            {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "password"}}},
        ],
        "envFrom": [{"configMapRef": {"name": "sample"}}],
        "ports": [{"name": "http", "containerPort": 8080}, {"name": "dns", "containerPort": 53, "protocol": "UDP"}],
        "livenessProbe": probe,
        "resources": {"limits": {"memory": "1Gi"}, "requests": {"cpu": "500m"}},
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            {"name": "config", "mountPath": "/etc/core", "readOnly": true},
            {"name": "scratch", "mountPath": "/tmp"},
        ],
    });
    sample(
        "apps/v1",
        "Deployment",
        json!({"spec": {
            "selector": {"matchLabels": {"app": "core"}},
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "template": {
                "metadata": {"labels": {"app": "core"}, "annotations": {"checksum": "0123"}},
                "spec": {
                    "automountServiceAccountToken": false,
                    "securityContext": {"runAsUser": 10000, "fsGroup": 10000},
                    "nodeSelector": {"disk": "ssd"},
                    "tolerations": [{"key": "k", "operator": "Exists"}],
                    "containers": [container, {"name": "aside", "image": "aside:1"}],
                    "volumes": [
                        {"name": "config", "configMap": {"name": "sample", "items": [{"key": "a", "path": "a"}]}},
                        {"name": "scratch", "emptyDir": {}},
                    ],
                },
            },
        }}),
        json!({"spec": {"replicas": 3, "template": {"spec": {"priorityClassName": "high", "hostNetwork": false}}}}),
    )
}

fn network_policy() -> Sample {
    sample(
        "networking.k8s.io/v1",
        "NetworkPolicy",
        json!({"spec": {
            "podSelector": {"matchLabels": {"app": "core"}},
            "policyTypes": ["Ingress"],
            "ingress": [{"ports": [{"port": "http", "protocol": "TCP"}], "from": [{"podSelector": {}}]}],
        }}),
        json!({"metadata": {"labels": {"theirs": "1"}}}),
    )
}

fn ingress() -> Sample {
    let backend = json!({"service": {"name": "core", "port": {"name": "http"}}});
    sample(
        "networking.k8s.io/v1",
        "Ingress",
        json!({"spec": {
            "ingressClassName": "nginx",
            "tls": [{"hosts": ["harbor.example"], "secretName": "tls"}],
            "rules": [{"host": "harbor.example", "http": {
                "paths": [{"path": "/", "pathType": "Prefix", "backend": backend}],
            }}],
        }}),
        json!({"metadata": {"annotations": {"theirs": "1"}}}),
    )
}

fn claim() -> Sample {
    sample(
        "v1",
        "PersistentVolumeClaim",
        json!({"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}}}),
        json!({"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "n"}}}),
    )
}

fn thing() -> Sample {
    sample(
        "test.io/v1",
        "Thing",
        json!({"spec": {
            "text": "one",
            "number": 1,
            "none": {},
            "set": ["b", "a"],
            "atomic": [{"a": 1}],
            "map": [{"name": "z", "value": "1"}, {"name": "a", "nested": {"x": "y"}}],
        }}),
        json!({"spec": {"other": "theirs"}}),
    )
}

/// The definition of `Thing`.
pub(super) fn definition() -> Value {
    let text = json!({"type": "string"});
    let list =
        |kind: &str, items: Value| json!({"type": "array", "x-kubernetes-list-type": kind, "items": items});
    let nested = json!({"type": "object", "properties": {"x": text}});
    let item = json!({"type": "object", "required": ["name"], "properties": {"name": text, "value": text, "nested": nested}});
    let mut map = list("map", item);
    map["x-kubernetes-list-map-keys"] = json!(["name"]);
    let spec = json!({"type": "object", "properties": {
        "text": text, "other": text, "number": {"type": "integer"}, "none": nested,
        "set": list("set", text.clone()),
        "atomic": list("atomic", json!({"type": "object", "properties": {"a": {"type": "integer"}}})),
        "map": map,
    }});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.test.io"},
        "spec": {
            "group": "test.io",
            "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
            }],
        },
    })
}
