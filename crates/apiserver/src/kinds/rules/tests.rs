//! Minimal objects are stored as kube-apiserver 1.37 stored them.

use crate::kinds::{Addresses, Kinds, allocate, default, prepare_create};
use serde_json::{Value, json};

/// The stored object with this name and spec, without the metadata that the server sets for every kind.
fn created(group: &str, version: &str, plural: &str, mut object: Value) -> Value {
    let resource = Kinds::builtin().find(group, version, plural).expect("a built-in kind");
    default(&resource, &mut object);
    prepare_create(&resource, &mut object, jiff::Timestamp::UNIX_EPOCH);
    allocate(&resource, &mut object, &mut Addresses::default()).expect("there are addresses");
    object
}

fn pod(image: &str, policy: &str, restart: &str) -> Value {
    json!({
        "containers": [{
            "image": image, "imagePullPolicy": policy, "name": "a", "resources": {},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        }],
        "dnsPolicy": "ClusterFirst", "restartPolicy": restart, "schedulerName": "default-scheduler",
        "securityContext": {}, "terminationGracePeriodSeconds": 30,
    })
}

#[test]
fn a_minimal_deployment() {
    let sent = json!({
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "containers": [{
                        "name": "web", "image": "nginx", "ports": [{"containerPort": 80}],
                        "resources": {"limits": {"cpu": "0.5", "memory": "1024Mi"}},
                        "readinessProbe": {"httpGet": {"port": 80}},
                    }],
                    "volumes": [
                        {"name": "a"}, {"name": "b", "secret": {"secretName": "x"}}, {"name": "c", "configMap": {"name": "conf"}},
                    ],
                },
            },
        },
    });
    let stored = json!({
        "metadata": {"name": "web"},
        "spec": {
            "progressDeadlineSeconds": 600, "replicas": 1, "revisionHistoryLimit": 10,
            "selector": {"matchLabels": {"app": "web"}},
            "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "RollingUpdate"},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {
                    "containers": [{
                        "image": "nginx", "imagePullPolicy": "Always", "name": "web",
                        "ports": [{"containerPort": 80, "protocol": "TCP"}],
                        "readinessProbe": {
                            "failureThreshold": 3, "httpGet": {"path": "/", "port": 80, "scheme": "HTTP"},
                            "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1,
                        },
                        "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}},
                        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                    }],
                    "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
                    "securityContext": {}, "terminationGracePeriodSeconds": 30,
                    "volumes": [
                        {"emptyDir": {}, "name": "a"},
                        {"name": "b", "secret": {"defaultMode": 420, "secretName": "x"}},
                        {"configMap": {"defaultMode": 420, "name": "conf"}, "name": "c"},
                    ],
                },
            },
        },
        "status": {},
    });
    assert_eq!(created("apps", "v1", "deployments", sent), stored);
}

#[test]
fn a_minimal_service() {
    let sent =
        json!({"metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}});
    let stored = json!({
        "metadata": {"name": "web"},
        "spec": {
            "clusterIP": "10.0.0.2", "clusterIPs": ["10.0.0.2"], "internalTrafficPolicy": "Cluster",
            "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
            "selector": {"app": "web"}, "sessionAffinity": "None", "type": "ClusterIP",
        },
        "status": {"loadBalancer": {}},
    });
    assert_eq!(created("", "v1", "services", sent), stored);
}

#[test]
fn a_service_with_a_load_balancer() {
    let sent = json!({"metadata": {}, "spec": {
        "type": "LoadBalancer", "ports": [{"port": 80}], "externalTrafficPolicy": "Local",
    }});
    let stored = json!({
        "allocateLoadBalancerNodePorts": true, "clusterIP": "10.0.0.2", "clusterIPs": ["10.0.0.2"],
        "externalTrafficPolicy": "Local", "healthCheckNodePort": 30001, "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
        "ports": [{"nodePort": 30000, "port": 80, "protocol": "TCP", "targetPort": 80}],
        "sessionAffinity": "None", "type": "LoadBalancer",
    });
    assert_eq!(created("", "v1", "services", sent)["spec"], stored);
}

#[test]
fn a_minimal_stateful_set() {
    let sent = json!({
        "metadata": {"name": "db"},
        "spec": {
            "serviceName": "db",
            "selector": {"matchLabels": {"app": "db"}},
            "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "a", "image": "postgres:16"}]}},
            "volumeClaimTemplates": [{
                "metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            }],
        },
    });
    let stored = json!({
        "metadata": {"name": "db"},
        "spec": {
            "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
            "podManagementPolicy": "OrderedReady", "replicas": 1, "revisionHistoryLimit": 10,
            "selector": {"matchLabels": {"app": "db"}}, "serviceName": "db",
            "template": {"metadata": {"labels": {"app": "db"}}, "spec": pod("postgres:16", "IfNotPresent", "Always")},
            "updateStrategy": {"rollingUpdate": {"maxUnavailable": 1, "partition": 0}, "type": "RollingUpdate"},
            "volumeClaimTemplates": [{
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
                "spec": {
                    "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
                    "volumeMode": "Filesystem",
                },
                "status": {"phase": "Pending"},
            }],
        },
        "status": {"availableReplicas": 0, "replicas": 0},
    });
    assert_eq!(created("apps", "v1", "statefulsets", sent), stored);
}

#[test]
fn a_minimal_daemon_set() {
    let sent = json!({
        "metadata": {"name": "db"},
        "spec": {
            "selector": {"matchLabels": {"app": "db"}},
            "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "a", "image": "postgres:16"}]}},
        },
    });
    let stored = json!({
        "metadata": {"name": "db", "annotations": {"deprecated.daemonset.template.generation": "1"}},
        "spec": {
            "revisionHistoryLimit": 10, "selector": {"matchLabels": {"app": "db"}},
            "template": {"metadata": {"labels": {"app": "db"}}, "spec": pod("postgres:16", "IfNotPresent", "Always")},
            "updateStrategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}, "type": "RollingUpdate"},
        },
        "status": {
            "currentNumberScheduled": 0, "desiredNumberScheduled": 0, "numberMisscheduled": 0, "numberReady": 0,
        },
    });
    assert_eq!(created("apps", "v1", "daemonsets", sent), stored);
}

#[test]
fn a_minimal_job() {
    let sent = json!({
        "metadata": {"name": "once", "uid": "u"},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "busybox"}]}}},
    });
    let labels = json!({
        "batch.kubernetes.io/controller-uid": "u", "batch.kubernetes.io/job-name": "once",
        "controller-uid": "u", "job-name": "once",
    });
    let stored = json!({
        "metadata": {"name": "once", "uid": "u", "labels": labels},
        "spec": {
            "backoffLimit": 6, "completionMode": "NonIndexed", "completions": 1, "manualSelector": false,
            "parallelism": 1, "podReplacementPolicy": "TerminatingOrFailed",
            "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}, "suspend": false,
            "template": {"metadata": {"labels": labels}, "spec": pod("busybox", "Always", "Never")},
        },
        "status": {},
    });
    assert_eq!(created("batch", "v1", "jobs", sent), stored);
}

#[test]
fn a_minimal_cron_job() {
    let template =
        json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "busybox"}]}});
    let sent = json!({
        "metadata": {"name": "often"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}},
    });
    let stored = json!({
        "metadata": {"name": "often"},
        "spec": {
            "concurrencyPolicy": "Allow", "failedJobsHistoryLimit": 1,
            "jobTemplate": {"metadata": {}, "spec": {"template": {"metadata": {}, "spec": pod("busybox", "Always", "Never")}}},
            "schedule": "* * * * *", "successfulJobsHistoryLimit": 3, "suspend": false,
        },
        "status": {},
    });
    assert_eq!(created("batch", "v1", "cronjobs", sent), stored);
}

#[test]
fn a_minimal_pod() {
    let sent = json!({
        "metadata": {"name": "p"},
        "spec": {"hostNetwork": false, "containers": [{
            "name": "a", "image": "busybox", "command": [], "resources": {"limits": {"cpu": 1}},
        }]},
    });
    let mut spec = pod("busybox", "Always", "Always");
    spec["containers"][0]["resources"] = json!({"limits": {"cpu": "1"}, "requests": {"cpu": "1"}});
    spec["enableServiceLinks"] = true.into();
    spec["preemptionPolicy"] = "PreemptLowerPriority".into();
    spec["priority"] = 0.into();
    spec["tolerations"] = json!([
        {"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300},
        {"effect": "NoExecute", "key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 300},
    ]);
    let stored = json!({"metadata": {"name": "p"}, "spec": spec, "status": {"phase": "Pending", "qosClass": "Burstable"}});
    assert_eq!(created("", "v1", "pods", sent), stored);
}

#[test]
fn minimal_objects_of_other_kinds() {
    let cases = [
        (
            ("", "v1", "persistentvolumeclaims"),
            json!({"metadata": {}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}}}),
            json!({
                "metadata": {"finalizers": ["kubernetes.io/pvc-protection"]},
                "spec": {
                    "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeMode": "Filesystem",
                },
                "status": {"phase": "Pending"},
            }),
        ),
        (
            ("autoscaling", "v2", "horizontalpodautoscalers"),
            json!({"metadata": {}, "spec": {"maxReplicas": 3, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}}),
            json!({
                "metadata": {},
                "spec": {
                    "maxReplicas": 3, "minReplicas": 1, "scaleTargetRef": {"kind": "Deployment", "name": "web"},
                    "metrics": [{
                        "resource": {"name": "cpu", "target": {"averageUtilization": 80, "type": "Utilization"}},
                        "type": "Resource",
                    }],
                },
                "status": {"currentMetrics": null, "desiredReplicas": 0},
            }),
        ),
        (
            ("policy", "v1", "poddisruptionbudgets"),
            json!({"metadata": {}, "spec": {"minAvailable": 1}}),
            json!({
                "metadata": {}, "spec": {"minAvailable": 1},
                "status": {"currentHealthy": 0, "desiredHealthy": 0, "disruptionsAllowed": 0, "expectedPods": 0},
            }),
        ),
        (
            ("networking.k8s.io", "v1", "networkpolicies"),
            json!({"metadata": {}, "spec": {"podSelector": {}, "ingress": [{"ports": [{"port": 80}]}]}}),
            json!({
                "metadata": {},
                "spec": {"ingress": [{"ports": [{"port": 80, "protocol": "TCP"}]}], "podSelector": {}, "policyTypes": ["Ingress"]},
            }),
        ),
        (
            ("networking.k8s.io", "v1", "ingresses"),
            json!({"metadata": {}, "spec": {"rules": [{"host": "a.example.com"}]}}),
            json!({
                "metadata": {}, "spec": {"rules": [{"host": "a.example.com"}]}, "status": {"loadBalancer": {}},
            }),
        ),
        (
            ("", "v1", "configmaps"),
            json!({"metadata": {"name": "e"}, "data": {}}),
            json!({"metadata": {"name": "e"}}),
        ),
        (
            ("", "v1", "secrets"),
            json!({"metadata": {}, "data": {"a": "eA=="}, "stringData": {"a": "b"}}),
            json!({"metadata": {}, "data": {"a": "Yg=="}, "type": "Opaque"}),
        ),
        (
            ("", "v1", "namespaces"),
            json!({"metadata": {"name": "extra"}}),
            json!({
                "metadata": {"name": "extra", "labels": {"kubernetes.io/metadata.name": "extra"}},
                "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
            }),
        ),
    ];
    for ((group, version, plural), sent, stored) in cases {
        assert_eq!(created(group, version, plural, sent), stored, "{plural}");
    }
}

/// Removes addresses and ports, which a server may choose freely.
fn without_choices(mut object: Value) -> Value {
    for path in ["/spec/clusterIP", "/spec/clusterIPs"] {
        if let Some(value) = object.pointer_mut(path).filter(|value| **value != "None" && value[0] != "None")
        {
            *value = Value::Null;
        }
    }
    object
}

#[test]
fn objects_of_every_kind_are_stored_as_kubernetes_stores_them() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("stored.json")).expect("the cases");
    let mut different = Vec::new();
    for case in cases {
        let word = |field: &str| case[field].as_str().unwrap_or_default();
        let mut sent = case["sent"].clone();
        for field in ["uid", "namespace", "creationTimestamp", "generation"] {
            if let Some(value) = case["stored"]["metadata"].get(field) {
                sent["metadata"][field] = value.clone();
            }
        }
        let theirs = without_choices(case["stored"].clone());
        let ours = without_choices(created(word("group"), word("version"), word("plural"), sent));
        let differences = json_patch::diff(&theirs, &ours);
        if ours != theirs {
            different.push(format!("{} {differences}", word("plural")));
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}
