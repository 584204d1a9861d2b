use super::{Health, Reached, Readiness};
use crate::Manifest;
use api::{
    thirdparty::{cert_manager::Certificate, gateway::HTTPRoute, minio::Tenant},
    v1beta1::Core,
};
use k8s_openapi::api::{
    apps::v1::{Deployment, StatefulSet},
    batch::v1::Job,
    core::v1::PersistentVolumeClaim,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn readiness<K: Manifest + DeserializeOwned>(object: Value) -> Readiness {
    serde_json::from_value::<K>(object).unwrap().readiness()
}

fn progressing(message: &str) -> Readiness {
    Readiness::Progressing(message.into())
}

fn deployment(status: Value) -> Readiness {
    readiness::<Deployment>(json!({
        "metadata": {"generation": 2},
        "spec": {"replicas": 2, "selector": {}, "template": {}},
        "status": status,
    }))
}

#[test]
fn a_deployment_is_available_with_one_replica_and_current_with_one_new_replica() {
    let reached = |wanted: i32, observed: i32, total: i32, updated: i32, available: i32| {
        let deployment: Deployment = serde_json::from_value(json!({
            "metadata": {"generation": 2},
            "spec": {"replicas": wanted, "selector": {}, "template": {}},
            "status": {
                "observedGeneration": observed, "replicas": total, "updatedReplicas": updated,
                "availableReplicas": available,
            },
        }))
        .unwrap();
        Health::of(&deployment).reached
    };
    assert_eq!(reached(3, 2, 3, 3, 0), Reached::Nothing, "nothing serves");
    assert_eq!(reached(3, 1, 3, 3, 3), Reached::Available, "the status is about an earlier spec");
    assert_eq!(reached(3, 2, 4, 1, 3), Reached::Available, "the three that serve may all be old");
    assert_eq!(reached(3, 2, 4, 1, 4), Reached::Current, "one more than are old");
    assert_eq!(reached(3, 2, 3, 3, 1), Reached::Current, "all are new, one serves");
    assert_eq!(reached(3, 2, 3, 3, 3), Reached::Ready, "all serve");
    assert_eq!(reached(0, 2, 0, 0, 0), Reached::Available, "without replicas, none is new");
}

#[test]
fn a_deployment_that_the_operator_has_stopped_is_neither_ready_nor_available() {
    let health = |wanted: i32, total: i32, updated: i32| {
        let deployment: Deployment = serde_json::from_value(json!({
            "metadata": {"generation": 2, "annotations": {"goharbor.io/stopped": "is stopped until noon"}},
            "spec": {"replicas": wanted, "selector": {}, "template": {}},
            "status": {
                "observedGeneration": 2, "replicas": total, "updatedReplicas": updated,
                "availableReplicas": total,
            },
        }))
        .unwrap();
        Health::of(&deployment)
    };
    let stopped = Some("is stopped until noon".to_owned());
    let waits = Health::not_serving(progressing("is stopped until noon"));
    assert_eq!(health(0, 0, 0), Health { stopped, ..waits });
    let stops = Health::not_serving(progressing("1 old replicas still terminating"));
    assert_eq!(health(0, 1, 0), Health { reached: Reached::Available, ..stops }, "a pod still serves");
    assert_eq!(health(1, 1, 1), Health::READY, "a user has started it again");
}

#[test]
fn a_component_whose_workload_is_stopped_passes_on_why() {
    let stopped = |status: &str, reason: &str| {
        let core: Value = json!({
            "metadata": {"generation": 1},
            "status": {"observedGeneration": 1, "conditions": [
                {"type": "Ready", "status": "False", "message": "waits"},
                {"type": "Available", "status": status, "reason": reason, "message": "is stopped until noon"},
            ]},
        });
        Health::by_conditions(core).unwrap().stopped
    };
    assert_eq!(stopped("False", "Stopped").as_deref(), Some("is stopped until noon"));
    assert_eq!(stopped("False", "Unavailable"), None);
    assert_eq!(stopped("True", "Available"), None);
}

#[test]
fn a_component_is_available_whatever_spec_its_condition_is_about() {
    let reached = |ready: &str, available: &str| {
        let core: Value = json!({
            "metadata": {"generation": 2},
            "status": {"observedGeneration": 1, "conditions": [
                {"type": "Ready", "status": ready}, {"type": "Available", "status": available},
            ]},
        });
        Health::by_conditions(core).unwrap().reached
    };
    assert_eq!(reached("True", "True"), Reached::Available, "the newest spec is not observed yet");
    assert_eq!(reached("False", "False"), Reached::Nothing);
}

#[test]
fn a_deployment_is_ready_when_all_its_replicas_are_new_and_available() {
    let cases = [
        (
            json!({"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}),
            progressing("the newest spec has not been observed yet"),
        ),
        (
            json!({"observedGeneration": 2, "replicas": 2, "updatedReplicas": 1, "availableReplicas": 2}),
            progressing("1 of 2 replicas updated"),
        ),
        (
            json!({"observedGeneration": 2, "replicas": 3, "updatedReplicas": 2, "availableReplicas": 3}),
            progressing("1 old replicas still terminating"),
        ),
        (
            json!({"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 1}),
            progressing("1 of 2 replicas available"),
        ),
        (
            json!({"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}),
            Readiness::Ready,
        ),
    ];
    for (status, expected) in cases {
        assert_eq!(deployment(status.clone()), expected, "{status}");
    }
}

#[test]
fn a_deployment_that_failed_reports_why() {
    let status = json!({"observedGeneration": 2, "conditions": [
        {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"}
    ]});
    assert_eq!(deployment(status), Readiness::Failed("timed out".into()));
}

#[test]
fn a_deployment_whose_pods_are_refused_reports_the_refusal_also_after_its_deadline() {
    let refusal = "pods \"core-1\" is forbidden: violates PodSecurity \"restricted:latest\": privileged";
    let status = |message: &str| {
        json!({"observedGeneration": 2, "unavailableReplicas": 2, "conditions": [
            {"type": "Available", "status": "False", "reason": "MinimumReplicasUnavailable"},
            {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message},
            {"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded", "message": "timed out"},
        ]})
    };
    assert_eq!(deployment(status(refusal)), Readiness::Failed(refusal.into()));
    let endless = "ß".repeat(100_000);
    assert_eq!(deployment(status(&endless)), Readiness::Failed(format!("{}…", "ß".repeat(1024))));
    let mut passed = status(refusal);
    passed["conditions"][1]["status"] = json!("False");
    assert_eq!(deployment(passed), Readiness::Failed("timed out".into()));
}

#[test]
fn a_deployment_scaled_to_nothing_is_ready() {
    let object = json!({"spec": {"replicas": 0, "selector": {}, "template": {}}, "status": {}});
    assert_eq!(readiness::<Deployment>(object), Readiness::Ready);
}

#[test]
fn a_stateful_set_is_ready_when_its_newest_revision_runs_everywhere() {
    let set = |status: Value| {
        readiness::<StatefulSet>(
            json!({"spec": {"replicas": 2, "selector": {}, "template": {}}, "status": status}),
        )
    };
    assert_eq!(set(json!({"replicas": 2, "readyReplicas": 1})), progressing("1 of 2 replicas ready"));
    assert_eq!(
        set(json!({"replicas": 2, "readyReplicas": 2, "updatedReplicas": 1})),
        progressing("1 of 2 replicas updated")
    );
    assert_eq!(
        set(
            json!({"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2, "currentRevision": "a", "updateRevision": "b"})
        ),
        progressing("old replicas still terminating")
    );
    assert_eq!(
        set(
            json!({"replicas": 2, "readyReplicas": 2, "updatedReplicas": 2, "currentRevision": "b", "updateRevision": "b"})
        ),
        Readiness::Ready
    );
}

#[test]
fn a_job_is_ready_when_its_work_is_done() {
    let job = |kind: &str| {
        readiness::<Job>(
            json!({"status": {"conditions": [{"type": kind, "status": "True", "message": "words"}]}}),
        )
    };
    assert_eq!(readiness::<Job>(json!({})), progressing("has not completed yet"));
    assert_eq!(job("Suspended"), progressing("has not completed yet"));
    assert_eq!(job("Complete"), Readiness::Ready);
    assert_eq!(job("Failed"), Readiness::Failed("words".into()));
}

#[test]
fn a_pending_claim_is_ready() {
    let claim = |phase: &str| readiness::<PersistentVolumeClaim>(json!({"status": {"phase": phase}}));
    assert_eq!(claim("Pending"), Readiness::Ready);
    assert_eq!(claim("Lost"), Readiness::Failed("has lost its volume".into()));
}

#[test]
fn a_component_is_ready_when_its_condition_is_true_for_the_newest_spec() {
    let core = |observed: i64, conditions: Value| {
        let spec = json!({
            "externalEndpoint": "https://h", "adminInitialPasswordRef": "a", "csrfKeyRef": "c", "secretRef": "s",
            "components": {
                "jobService": {"url": "http://j", "secretRef": "j"}, "portal": {"url": "http://p"},
                "registry": {"url": "http://r", "controllerURL": "http://c",
                    "credentials": {"username": "u", "passwordRef": "p"}},
                "tokenService": {"url": "http://t", "certificateRef": "t"},
            },
            "database": {"hosts": [{"host": "h"}], "encryptionKeyRef": "e"},
            "redis": {"host": "r"},
        });
        readiness::<Core>(json!({
            "apiVersion": "goharbor.io/v1beta1", "kind": "Core", "metadata": {"generation": 2}, "spec": spec,
            "status": {"observedGeneration": observed, "conditions": conditions},
        }))
    };
    let condition = |kind: &str, status: &str| json!([{"type": kind, "status": status, "message": "words"}]);
    assert_eq!(core(1, condition("Ready", "True")), progressing("the newest spec has not been observed yet"));
    assert_eq!(core(2, condition("Ready", "False")), progressing("words"));
    assert_eq!(core(2, condition("Stalled", "True")), Readiness::Failed("words".into()));
    assert_eq!(core(2, condition("InProgress", "False")), progressing("has not reported Ready yet"));
    assert_eq!(core(2, condition("Ready", "True")), Readiness::Ready);
}

#[test]
fn a_certificate_is_ready_when_its_condition_is_true_for_the_newest_spec() {
    let certificate = |status: Value| {
        readiness::<Certificate>(json!({
            "apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"generation": 2},
            "spec": {"secretName": "s", "issuerRef": {"name": "i"}}, "status": status,
        }))
    };
    let ready = |status: &str, generation: i64| {
        json!({"conditions": [
            {"type": "Ready", "status": status, "message": "words", "observedGeneration": generation}
        ]})
    };
    assert_eq!(certificate(json!({})), progressing("cert-manager has not reconciled it yet"));
    assert_eq!(certificate(ready("True", 1)), progressing("the newest spec has not been observed yet"));
    assert_eq!(certificate(ready("False", 2)), progressing("words"));
    assert_eq!(certificate(ready("True", 2)), Readiness::Ready);
}

#[test]
fn a_certificate_whose_renewal_fails_can_be_used() {
    let certificate = |ready: &str, not_after: Option<&str>| {
        let certificate: Certificate = serde_json::from_value(json!({
            "apiVersion": "cert-manager.io/v1", "kind": "Certificate", "metadata": {"generation": 2},
            "spec": {"secretName": "s", "issuerRef": {"name": "i"}},
            "status": {
                "conditions": [{"type": "Ready", "status": ready, "message": "words", "observedGeneration": 2}],
                "notAfter": not_after,
            },
        }))
        .unwrap();
        Health::of(&certificate)
    };
    let issued = Some("2026-01-01T00:00:00Z");
    assert_eq!(certificate("True", issued), Health::READY);
    let failed = Health { reached: Reached::Available, ..Health::not_serving(progressing("words")) };
    assert_eq!(certificate("False", issued), failed);
    let absent = Health::not_serving(progressing("words"));
    assert_eq!(certificate("False", None), absent);
}

#[test]
fn a_route_is_ready_when_every_gateway_it_names_has_accepted_its_newest_spec() {
    let route = |parents: Value| {
        readiness::<HTTPRoute>(json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
            "metadata": {"namespace": "ns", "generation": 2},
            "spec": {"parentRefs": [{"name": "a"}, {"name": "b", "namespace": "infra", "sectionName": "https"}]},
            "status": {"parents": parents},
        }))
    };
    let a = |status: &str, generation: i64| {
        json!({
            "parentRef": {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "a", "namespace": "ns"},
            "controllerName": "example.com/gateway",
            "conditions": [{"type": "Accepted", "status": status, "observedGeneration": generation,
                "reason": "Word", "message": "words", "lastTransitionTime": "2026-01-01T00:00:00Z"}],
        })
    };
    let b = |status: &str| {
        let mut reported = a(status, 2);
        reported["parentRef"] = json!({"name": "b", "namespace": "infra", "sectionName": "https"});
        reported
    };
    let unprocessed = progressing("Gateway ns/a has not processed it yet; does it exist?");
    assert_eq!(route(json!([])), unprocessed, "a route that no gateway processes is not ready");
    assert_eq!(
        route(json!([a("True", 2)])),
        progressing("Gateway infra/b (listener https) has not processed it yet; does it exist?")
    );
    assert_eq!(
        route(json!([a("True", 1), b("True")])),
        progressing("Gateway ns/a: the newest spec has not been observed yet")
    );
    assert_eq!(
        route(json!([a("Unknown", 2), b("True")])),
        progressing("Gateway ns/a: has not accepted it yet")
    );
    let refused = Readiness::Failed("Gateway infra/b (listener https) refuses it: words (Word)".into());
    assert_eq!(route(json!([b("False")])), refused, "a refusal is reported first");
    assert_eq!(route(json!([a("True", 2), b("True")])), Readiness::Ready);
}

fn tenant(status: Value) -> Readiness {
    let pool = json!({"name": "zone-harbor", "servers": 2, "volumesPerServer": 2, "volumeClaimTemplate": {"spec": {}}});
    readiness::<Tenant>(json!({"metadata": {"generation": 2}, "spec": {"pools": [pool]}, "status": status}))
}

#[test]
fn a_tenant_is_ready_when_it_is_initialized_and_all_its_servers_answer() {
    let pools = |state: &str| json!([{"ssName": "minio-acme-zone-harbor", "state": state}]);
    let cases = [
        (json!({}), progressing("no state yet")),
        (
            json!({"currentState": "Provisioning default buckets", "availableReplicas": 2}),
            progressing("Provisioning default buckets"),
        ),
        (
            json!({"currentState": "Initialized", "availableReplicas": 2, "pools": pools("PoolCreated")}),
            progressing("StatefulSet minio-acme-zone-harbor is not initialized yet"),
        ),
        (
            json!({"currentState": "Initialized", "availableReplicas": 1, "pools": pools("PoolInitialized")}),
            progressing("1 of 2 replicas available"),
        ),
        (
            json!({
                "currentState": "Initialized", "availableReplicas": 2, "pools": pools("PoolInitialized"),
                "healthStatus": "red", "healthMessage": "Service Unavailable",
            }),
            progressing("Service Unavailable"),
        ),
        (
            json!({
                "currentState": "Initialized", "availableReplicas": 2, "pools": pools("PoolInitialized"),
                "healthStatus": "yellow",
            }),
            Readiness::Ready,
        ),
    ];
    for (status, expected) in cases {
        assert_eq!(tenant(status.clone()), expected, "{status}");
    }
}

#[test]
fn a_second_tenant_of_a_namespace_has_failed() {
    let state = "Another MinIO Tenant already exists in the namespace";
    let remedy = "the MinIO operator runs one in each; delete the one that is not needed";
    let expected = Readiness::Failed(format!("{state}: {remedy}"));
    assert_eq!(tenant(json!({"currentState": state, "availableReplicas": 0})), expected);
}
