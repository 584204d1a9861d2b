//! Whatever other programs write into the status of what they run: no panic, and few words of it are remembered.

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

/// All that the statuses are decoded into, and a word that each knows.
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

/// A status with the fields that are read, or with anything.
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

fn judged<K: Manifest>(spec: &Value, status: &Value) -> Health {
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
        judged::<Certificate>(&json!({"secretName": "s", "issuerRef": {"name": "i"}}), status),
        judged::<Issuer>(&nothing, status),
        judged::<PostgresCluster>(&nothing, status),
        judged::<Postgresql>(&nothing, status),
        judged::<Tenant>(&json!({"pools": [{"servers": number}, {"servers": number}]}), status),
        judged::<RedisReplication>(
            &json!({"clusterSize": number, "kubernetesConfig": {"image": "r"}}),
            status,
        ),
        judged::<RedisSentinel>(&nothing, status),
        judged::<RedisFailover>(&nothing, status),
        judged::<HTTPRoute>(&json!({"parentRefs": [{"name": "g"}]}), status),
        judged::<Deployment>(&pods, status),
        judged::<StatefulSet>(&pods, status),
        judged::<Job>(&json!({"template": {}}), status),
        judged::<PersistentVolumeClaim>(&nothing, status),
        judged::<Core>(&nothing, status),
        judged::<Harbor>(&nothing, status),
    ]
}

proptest! {
    #[test]
    fn whatever_a_status_says_few_words_of_it_are_remembered(status in status(), number in any::<i32>()) {
        for Health { readiness, .. } in all(&status, number) {
            let (Readiness::Progressing(words) | Readiness::Failed(words)) = readiness else { continue };
            prop_assert!(words.len() <= 1024 + '…'.len_utf8());
            prop_assert!(!words.chars().any(char::is_control), "{words:?}");
        }
    }
}

#[test]
fn a_status_that_cannot_be_decoded_is_not_quoted() {
    let Readiness::Failed(words) =
        judged::<Postgresql>(&json!({}), &json!({"PostgresClusterStatus": ["hunter2"]})).readiness
    else {
        unreachable!("it can be decoded")
    };
    assert!(!words.contains("hunter2"), "{words}");
}
