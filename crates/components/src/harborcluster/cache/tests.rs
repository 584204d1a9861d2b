//! Tests of the Redis of a HarborCluster.

use crate::{cases::Case, harborcluster::HarborCluster};
use plan::{DeletionBehavior, Policy, Recipe};
use serde_json::{Value, json};

const SETTINGS: &str = "/spec/cache/spec/redisFailover";

fn by_spotahome() -> Case<HarborCluster> {
    Case::golden("redis-failover")
}

fn by_opstree() -> Case<HarborCluster> {
    Case::golden("redis-replication")
}

fn elsewhere() -> Case<HarborCluster> {
    Case::golden("redis-external")
}

fn failover(case: &Case<HarborCluster>) -> Value {
    case.child("RedisFailover")["spec"].clone()
}

/// Kind and name of everything that counts for the condition of the Redis.
fn parts(case: &Case<HarborCluster>) -> Vec<String> {
    let plan = case.plan().unwrap();
    let parts = plan.graph.iter().filter(|(_, desired, _)| desired.aspect == Some(super::super::CACHE));
    parts
        .map(|(_, desired, _)| desired.object.key())
        .map(|key| format!("{} {}", key.kind, key.name))
        .collect()
}

/// The direct dependencies of a child.
fn before(case: &Case<HarborCluster>, kind: &str, name: &str) -> Vec<String> {
    let plan = case.plan().unwrap();
    let named = |key: plan::ObjectKey| format!("{} {}", key.kind, key.name);
    let found = plan
        .graph
        .iter()
        .find(|(_, desired, _)| named(desired.object.key()) == format!("{kind} {name}"))
        .unwrap();
    found.2.iter().map(|id| named(plan.graph[*id].object.key())).collect()
}

#[test]
fn a04_servers_are_three_with_a_volume_each_by_default() {
    let case = by_spotahome().set(SETTINGS, json!({"operatorVersion": "1.0.0"}));
    let labels = json!({
        "app.kubernetes.io/instance": "registry", "app.kubernetes.io/name": "cache",
        "goharbor.io/harbor-cluster": "acme", "team": "platform",
    });
    let claim = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}});
    let volume = json!({"metadata": {"name": "acme", "labels": labels}, "spec": claim});
    let expected = json!({
        "redis": {
            "replicas": 3, "imagePullPolicy": "IfNotPresent",
            "storage": {"keepAfterDeletion": true, "persistentVolumeClaim": volume},
        },
        "sentinel": {"replicas": 3, "imagePullPolicy": "IfNotPresent"},
        "auth": {"secretPath": "acme-redis"},
    });
    assert_eq!(failover(&case), expected);
}

#[test]
fn servers_and_sentinels_are_as_many_as_asked_for_and_none_is_no_answer() {
    let replicas = |servers: Value, sentinels: Value| {
        let settings = json!({"operatorVersion": "1", "server": servers, "sentinel": sentinels});
        let spec = failover(&by_spotahome().set(SETTINGS, settings));
        (spec["redis"]["replicas"].clone(), spec["sentinel"]["replicas"].clone())
    };
    let pair = |servers: i32, sentinels: i32| (json!(servers), json!(sentinels));
    assert_eq!(replicas(json!({}), json!({})), pair(1, 1));
    assert_eq!(replicas(json!({"replicas": 0}), json!({"replicas": 0})), pair(3, 3));
    assert_eq!(replicas(json!({"replicas": 5}), json!({"replicas": 7})), pair(5, 7));
}

#[test]
fn numbers_that_are_none_are_refused_together() {
    let settings = json!({
        "operatorVersion": "1", "server": {"replicas": -1}, "sentinel": {"replicas": 5_000_000_000_i64},
    });
    assert_eq!(
        by_spotahome().set(SETTINGS, settings).error(),
        "spec.cache.spec.redisFailover.server.replicas: -1 is not a number of pods; use a small positive number, \
         spec.cache.spec.redisFailover.sentinel.replicas: 5000000000 is not a number of pods; \
         use a small positive number"
    );
}

#[test]
fn what_the_user_says_of_servers_reaches_them() {
    let resources = json!({"limits": {"memory": "1Gi"}});
    let settings = json!({
        "operatorVersion": "1", "image": "example.com/redis:7", "imagePullPolicy": "Always",
        "imagePullSecrets": [{"name": "mirror"}],
        "server": {
            "replicas": 3, "serviceAccountName": "redis", "resources": resources, "storage": "5Gi",
            "storageClassName": "fast",
        },
    });
    let spec = failover(&by_spotahome().set(SETTINGS, settings));
    let claim = &spec["redis"]["storage"]["persistentVolumeClaim"]["spec"];
    assert_eq!(
        *claim,
        json!({
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}},
            "storageClassName": "fast",
        })
    );
    assert_eq!(spec["redis"]["serviceAccountName"], "redis");
    for pods in ["redis", "sentinel"] {
        assert_eq!(spec[pods]["image"], "example.com/redis:7", "{pods}");
        assert_eq!(spec[pods]["imagePullPolicy"], "Always", "{pods}");
        assert_eq!(spec[pods]["imagePullSecrets"], json!([{"name": "mirror"}]), "{pods}");
        assert_eq!(spec[pods]["resources"], resources, "{pods}");
    }
}

#[test]
fn a_redis_that_exists_keeps_its_image_until_another_is_asked_for() {
    let mut case = by_spotahome();
    case.inputs.push(json!({
        "apiVersion": "databases.spotahome.com/v1", "kind": "RedisFailover",
        "metadata": {"name": "acme-redis", "namespace": "registry"},
        "spec": {
            "redis": {"image": "ghcr.io/goharbor/redis:5.0-alpine", "replicas": 7},
            "sentinel": {"image": "ghcr.io/goharbor/redis:5.0-alpine"},
        },
    }));
    let images = |case: &Case<HarborCluster>| {
        let spec = failover(case);
        [spec["redis"]["image"].clone(), spec["sentinel"]["image"].clone()]
    };
    assert_eq!(images(&case), ["ghcr.io/goharbor/redis:5.0-alpine", "ghcr.io/goharbor/redis:5.0-alpine"]);
    assert_eq!(failover(&case)["redis"]["replicas"], 1);
    let case = case.set(&format!("{SETTINGS}/image"), json!("redis:7"));
    assert_eq!(images(&case), ["redis:7", "redis:7"]);
}

/// The case with its children as inputs of the next plan.
fn and_then(mut case: Case<HarborCluster>, kind: &str) -> Case<HarborCluster> {
    case.inputs.push(case.child(kind));
    case
}

#[test]
fn volumes_of_redis_grow_and_neither_shrink_nor_move() {
    for (case, kind, server) in [
        (by_spotahome as fn() -> Case<HarborCluster>, "RedisFailover", "redisFailover.server"),
        (by_opstree, "RedisReplication", "redisReplication.server"),
    ] {
        let pointer = format!("/spec/cache/spec/{}", server.replace('.', "/"));
        let settings = json!({"replicas": 3, "storage": "5Gi", "storageClassName": "fast"});
        let existing = || and_then(case().set(&pointer, settings.clone()), kind);
        let planned = existing().child(kind);
        assert!(planned.to_string().contains("\"5Gi\""), "{planned}");

        let error = |settings: Value| existing().set(&pointer, settings).error();
        assert_eq!(
            error(json!({"replicas": 3, "storage": "1Gi"})),
            format!(
                "spec.cache.spec.{server}.storage: the volumes of Redis have 5Gi, and volumes do not shrink; set at \
                 least 5Gi"
            ),
        );
        assert_eq!(
            error(json!({"replicas": 3, "storageClassName": "slow"})),
            format!(
                "spec.cache.spec.{server}.storageClassName: the volumes of Redis are of class fast, and volumes do \
                 not move; set it to fast"
            ),
        );
        assert_eq!(existing().set(&pointer, json!({"replicas": 3})).child(kind), planned, "as it is");
        let grown = existing().set(&format!("{pointer}/storage"), json!("6Gi")).child(kind).to_string();
        assert!(grown.contains("\"6Gi\""), "{grown}");
    }
}

#[test]
fn the_servers_of_opstree_may_write_to_volumes_that_belong_to_root() {
    assert_eq!(
        by_opstree().child("RedisReplication")["spec"]["podSecurityContext"],
        json!({"fsGroup": 1000, "fsGroupChangePolicy": "OnRootMismatch"}),
    );
}

#[test]
fn labels_of_the_cluster_reach_the_failover_but_not_those_the_operator_goes_by() {
    let labels = json!({
        "team": "storage", "app.kubernetes.io/instance": "mine",
        "goharbor.io/harbor-cluster": "other", "goharbor.io/operator-controller": "other",
    });
    let case = by_spotahome().set("/metadata/labels", labels);
    assert_eq!(
        case.child("RedisFailover")["metadata"]["labels"],
        json!({
            "app.kubernetes.io/component": "harborcluster",
            "app.kubernetes.io/instance": "mine",
            "app.kubernetes.io/managed-by": "harbor-operator",
            "app.kubernetes.io/name": "cache",
            "goharbor.io/harbor-cluster": "acme",
            "goharbor.io/operator-controller": "harborcluster",
            "team": "storage",
        })
    );
}

#[test]
fn a_label_app_of_the_cluster_does_not_mix_up_servers_and_sentinels() {
    for kind in ["RedisReplication", "RedisSentinel"] {
        assert_eq!(by_opstree().child(kind)["metadata"]["labels"].get("app"), None, "{kind}");
    }
}

#[test]
fn b26_the_password_is_long_the_same_under_both_keys_and_made_once() {
    for case in [by_spotahome(), by_opstree()] {
        let plan = case.plan().unwrap();
        let (_, secret, _) = plan.graph.iter().find(|(_, it, _)| it.object.key().kind == "Secret").unwrap();
        assert_eq!(secret.object.key().name, "acme-redis");
        let generate = [
            ("redis-password".to_owned(), Recipe::Alphanumeric { length: 32 }),
            ("password".to_owned(), Recipe::SameAs { key: "redis-password".into() }),
        ];
        assert_eq!(secret.policy, Policy::CreateOnce { generate: generate.into() });
    }
}

#[test]
fn b27_the_harbor_waits_for_servers_and_sentinels_and_they_make_the_condition() {
    let sentinels = ["StatefulSet rfr-acme-redis", "Deployment rfs-acme-redis"];
    assert_eq!(before(&by_spotahome(), "Harbor", "acme-harbor"), sentinels);
    let made = ["Secret acme-redis", "RedisFailover acme-redis"];
    assert_eq!(parts(&by_spotahome()), [&made[..], &sentinels[..]].concat());

    let sets = ["StatefulSet acme-redis", "StatefulSet acme-redis-sentinel"];
    assert_eq!(before(&by_opstree(), "Harbor", "acme-harbor"), sets);
    assert_eq!(before(&by_opstree(), "StatefulSet", "acme-redis"), ["RedisReplication acme-redis"]);
    assert_eq!(before(&by_opstree(), "RedisSentinel", "acme-redis"), ["Secret acme-redis"]);
    assert_eq!(
        parts(&by_opstree()),
        [
            "Secret acme-redis",
            "RedisReplication acme-redis",
            "StatefulSet acme-redis",
            "RedisSentinel acme-redis",
            "StatefulSet acme-redis-sentinel",
        ]
    );
}

#[test]
fn what_other_operators_make_is_awaited_and_never_sent() {
    for (case, awaited) in [(by_spotahome(), 2), (by_opstree(), 2), (elsewhere(), 0)] {
        let plan = case.plan().unwrap();
        let sets = plan.graph.iter().filter(|(_, it, _)| it.object.key().group == "apps");
        let policies: Vec<_> = sets.map(|(_, desired, _)| desired.policy.clone()).collect();
        assert_eq!(policies.len(), awaited);
        assert!(policies.iter().all(|policy| matches!(policy, Policy::Await { .. })), "{policies:?}");
    }
}

#[test]
fn a10_volumes_stay_unless_data_is_to_go_and_nothing_else_of_a_redis_holds_data() {
    let kept = |golden: &str, policy: Value, kind: &str, field: &str| {
        let case = Case::<HarborCluster>::golden(golden).set("/spec/deletionPolicy", policy);
        assert!(
            case.plan()
                .unwrap()
                .graph
                .iter()
                .all(|(_, desired, _)| desired.deletion == DeletionBehavior::Owned)
        );
        case.child(kind).pointer(field).cloned()
    };
    for (golden, kind, field) in [
        ("redis-failover", "RedisFailover", "/spec/redis/storage/keepAfterDeletion"),
        ("redis-replication", "RedisReplication", "/spec/storage/keepAfterDelete"),
    ] {
        assert_eq!(kept(golden, Value::Null, kind, field), Some(json!(true)), "{kind}");
        assert_eq!(kept(golden, json!("Retain"), kind, field), Some(json!(true)), "{kind}");
        assert_eq!(kept(golden, json!("Delete"), kind, field), Some(json!(false)), "{kind}");
    }
}

#[test]
fn a_majority_of_sentinels_decides_however_many_there_are() {
    let settings = "/spec/cache/spec/redisReplication/sentinel/replicas";
    for (sentinels, quorum) in [(1, "1"), (3, "2"), (5, "3")] {
        let sentinel = by_opstree().set(settings, json!(sentinels)).child("RedisSentinel");
        assert_eq!(sentinel["spec"]["redisSentinelConfig"]["quorum"], quorum);
    }
}

#[test]
fn sentinels_have_no_password_because_harbor_never_gives_them_one() {
    let sentinel = by_opstree().child("RedisSentinel");
    assert_eq!(sentinel["spec"]["kubernetesConfig"].get("redisSecret"), None);
    let password = &sentinel["spec"]["redisSentinelConfig"]["redisReplicationPassword"];
    assert_eq!(*password, json!({"secretKeyRef": {"name": "acme-redis", "key": "password"}}));
}

#[test]
fn the_kind_decides_and_settings_of_other_kinds_are_ignored() {
    let external = json!({"host": "redis.example.com"});
    let both = by_spotahome().set("/spec/cache/spec/redis", external.clone());
    assert_eq!(both.children(), by_spotahome().children());
    let switched = both.set("/spec/cache/kind", json!("Redis"));
    assert_eq!(switched.child("Harbor")["spec"]["redis"], external);
    assert_eq!(parts(&switched), [""; 0]);
}

#[test]
fn a_kind_without_its_settings_is_refused_with_what_to_set() {
    for (kind, error) in [
        ("Redis", "spec.cache.spec.redis: is missing, and spec.cache.kind asks for it; set its host"),
        (
            "RedisFailover",
            "spec.cache.spec.redisFailover: is missing, and spec.cache.kind asks for it; set its operatorVersion",
        ),
        (
            "RedisReplication",
            "spec.cache.spec.redisReplication: is missing, and spec.cache.kind asks for it; \
             set its image and sentinel.image",
        ),
    ] {
        assert_eq!(elsewhere().set("/spec/cache", json!({"kind": kind, "spec": {}})).error(), error);
    }
}

#[test]
fn what_the_harbor_cannot_speak_to_a_redis_elsewhere_is_refused_where_it_was_written() {
    let error = elsewhere().set("/spec/version", json!("2.12.0")).error();
    assert!(error.contains("spec.cache.spec.redis.certificateRef: "), "{error}");
    assert!(error.contains("spec.cache.spec.redis.username: "), "{error}");
}

#[test]
fn claims_of_devices_that_servers_cannot_have_are_refused() {
    let resources = json!({"claims": [{"name": "gpu"}]});
    for (case, field) in [
        (by_spotahome(), "redisFailover/server"),
        (by_opstree(), "redisReplication/server"),
        (by_opstree(), "redisReplication/sentinel"),
    ] {
        let error = case.set(&format!("/spec/cache/spec/{field}/resources"), resources.clone()).error();
        let field = field.replace('/', ".");
        assert!(
            error.starts_with(&format!("spec.cache.spec.{field}.resources.claims: is set, but")),
            "{error}"
        );
    }
}

#[test]
fn indexes_of_databases_and_tls_are_the_harbors_as_they_are() {
    let case = elsewhere()
        .set("/spec/cache/spec/redis/databases", json!({"jobservice": 1, "registry": 2}))
        .set("/spec/cache/spec/redis/tls", json!(true))
        .set("/spec/version", json!("2.15.0"));
    let redis = case.child("Harbor")["spec"]["redis"].clone();
    assert_eq!(redis["databases"], json!({"jobservice": 1, "registry": 2}));
    assert_eq!(redis["tls"], true);
    let error = case.set("/spec/version", json!("2.12.0")).error();
    assert!(error.contains("spec.cache.spec.redis.tls: Harbor 2.12.0 does not know TLS"), "{error}");
}
