//! Other programs can write any status: decoding it must not panic, and only a short message of it is kept.

use super::{Health, Readiness};
use crate::{ChildKind, Manifest};
use api::{
    thirdparty::{
        cert_manager::{Certificate, Issuer},
        cloud_native_pg::PostgresCluster,
        gateway::HTTPRoute,
        minio::Tenant,
        opstree::{RedisReplication, RedisSentinel},
        spotahome::RedisFailover,
        zalando::Postgresql,
    },
    v1beta1::{Core, Harbor},
};
use k8s_openapi::api::{
    apps::v1::{Deployment, StatefulSet},
    batch::v1::Job,
    core::v1::PersistentVolumeClaim,
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Fields and values that the decoders of statuses know.
const FIELDS: [&str; 24] = [
    "PostgresClusterStatus",
    "phase",
    "phaseReason",
    "conditions",
    "type",
    "status",
    "reason",
    "message",
    "masterNode",
    "currentState",
    "availableReplicas",
    "pools",
    "ssName",
    "state",
    "healthStatus",
    "healthMessage",
    "parents",
    "parentRef",
    "observedGeneration",
    "replicas",
    "readyReplicas",
    "updatedReplicas",
    "name",
    "notAfter",
];
const WORDS: [&str; 12] = [
    "Ready",
    "True",
    "False",
    "Running",
    "SyncFailed",
    "Initialized",
    "PoolInitialized",
    "red",
    "Accepted",
    "Failed",
    "Waiting for user action",
    "Pool Decommissioning Not Allowed",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => proptest::sample::select(&WORDS[..]).prop_map(str::to_owned),
        2 => any::<String>(),
        1 => ".{1,3}".prop_map(|piece| piece.repeat(50_000)),
        1 => Just("\u{1b}[2J\nlevel=error\0".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    let field =
        prop_oneof![9 => proptest::sample::select(&FIELDS[..]).prop_map(str::to_owned), 1 => any::<String>()];
    leaf.prop_recursive(6, 48, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(field.clone(), inner, 0..6)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

fn conditions() -> impl Strategy<Value = Value> {
    let condition = (text(), text(), text(), text(), any::<Option<i64>>()).prop_map(
        |(type_, status, reason, message, observed)| {
            json!({
                "type": type_, "status": status, "reason": reason, "message": message,
                "observedGeneration": observed, "lastTransitionTime": "2026-01-01T00:00:00Z",
            })
        },
    );
    proptest::collection::vec(condition, 0..3).prop_map(Value::from)
}

/// A status with the fields that the decoders read, or with arbitrary fields.
fn status() -> impl Strategy<Value = Value> {
    let number = any::<i32>;
    let known = (
        conditions(),
        [text(), text(), text()],
        [number(), number(), number(), number()],
        any::<Option<i64>>(),
    );
    let known = known.prop_map(|(conditions, [one, two, three], [a, b, c, d], observed)| {
        json!({
            "conditions": conditions, "PostgresClusterStatus": one, "phase": one, "phaseReason": two, "masterNode": one,
            "currentState": one, "availableReplicas": a, "pools": [{"ssName": two, "state": three}],
            "healthStatus": two, "healthMessage": three, "replicas": b, "readyReplicas": c, "updatedReplicas": d,
            "observedGeneration": observed, "parents": [{"parentRef": {"name": "g"}, "conditions": conditions}],
        })
    });
    prop_oneof![2 => known, 1 => value()]
}

fn health<K: Manifest>(spec: &Value, status: &Value) -> Health {
    let object = json!({"metadata": {"name": "x", "generation": 1}, "spec": spec, "status": status});
    (ChildKind::of::<K>().health)(object).unwrap_or_else(|_| Health::undecodable())
}

fn all(status: &Value, number: i32) -> Vec<Health> {
    let pods = json!({
        "replicas": number, "selector": {}, "template": {}, "serviceName": "x",
        "updateStrategy": {"rollingUpdate": {"partition": number}},
    });
    let nothing = json!({});
    vec![
        health::<Certificate>(&json!({"secretName": "s", "issuerRef": {"name": "i"}}), status),
        health::<Issuer>(&nothing, status),
        health::<PostgresCluster>(&nothing, status),
        health::<Postgresql>(&nothing, status),
        health::<Tenant>(&json!({"pools": [{"servers": number}, {"servers": number}]}), status),
        health::<RedisReplication>(
            &json!({"clusterSize": number, "kubernetesConfig": {"image": "r"}}),
            status,
        ),
        health::<RedisSentinel>(&nothing, status),
        health::<RedisFailover>(&nothing, status),
        health::<HTTPRoute>(&json!({"parentRefs": [{"name": "g"}]}), status),
        health::<Deployment>(&pods, status),
        health::<StatefulSet>(&pods, status),
        health::<Job>(&json!({"template": {}}), status),
        health::<PersistentVolumeClaim>(&nothing, status),
        health::<Core>(&nothing, status),
        health::<Harbor>(&nothing, status),
    ]
}

proptest! {
    #[test]
    fn the_message_kept_of_any_status_is_short_and_has_no_control_characters(status in status(), number in any::<i32>()) {
        for Health { readiness, .. } in all(&status, number) {
            let (Readiness::Progressing(message) | Readiness::Failed(message)) = readiness else { continue };
            prop_assert!(message.len() <= 1024 + '…'.len_utf8());
            prop_assert!(!message.chars().any(char::is_control), "{message:?}");
        }
    }
}

#[test]
fn a_status_that_cannot_be_decoded_is_not_quoted() {
    let Readiness::Failed(message) =
        health::<Postgresql>(&json!({}), &json!({"PostgresClusterStatus": ["hunter2"]})).readiness
    else {
        unreachable!("it can be decoded")
    };
    assert!(!message.contains("hunter2"), "{message}");
}
