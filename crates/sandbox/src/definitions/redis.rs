//! Operators of Redis.

use super::builder::{AGE, Definition, anything, choice, number, open, text};
use serde_json::{Value, json};

pub(super) fn failover() -> Definition {
    let servers = || open([("replicas", number(0)), ("image", text())], &[]);
    Definition {
        group: "databases.spotahome.com",
        versions: &["v1"],
        kind: "RedisFailover",
        plural: "redisfailovers",
        short: &["rf"],
        category: None,
        scope: "Namespaced",
        columns: &[
            ("NAME", "string", ".metadata.name"),
            ("REDIS", "integer", ".spec.redis.replicas"),
            ("SENTINELS", "integer", ".spec.sentinel.replicas"),
            AGE,
        ],
        subresources: json!({}),
        spec: open(
            [("redis", servers()), ("sentinel", servers()), ("auth", open([("secretPath", text())], &[]))],
            &[],
        ),
        status: anything(),
    }
}

pub(super) fn standalone() -> Definition {
    Definition {
        group: "redis.redis.opstreelabs.in",
        versions: &["v1beta2"],
        kind: "Redis",
        plural: "redis",
        short: &[],
        category: None,
        scope: "Namespaced",
        columns: &[],
        subresources: json!({"status": {}}),
        spec: open([("kubernetesConfig", kubernetes())], &["kubernetesConfig"]),
        status: anything(),
    }
}

pub(super) fn replication() -> Definition {
    Definition {
        kind: "RedisReplication",
        plural: "redisreplications",
        columns: &[("Master", "string", ".status.masterNode"), AGE],
        spec: open(
            [("clusterSize", number(0)), ("kubernetesConfig", kubernetes())],
            &["clusterSize", "kubernetesConfig"],
        ),
        ..standalone()
    }
}

pub(super) fn sentinel() -> Definition {
    let watched = open([("redisReplicationName", text())], &["redisReplicationName"]);
    Definition {
        kind: "RedisSentinel",
        plural: "redissentinels",
        spec: open(
            [
                ("clusterSize", number(1)),
                ("kubernetesConfig", kubernetes()),
                ("redisSentinelConfig", watched),
            ],
            &["clusterSize", "kubernetesConfig"],
        ),
        ..standalone()
    }
}

fn kubernetes() -> Value {
    open(
        [
            ("image", text()),
            ("imagePullPolicy", choice(&["Always", "IfNotPresent", "Never"])),
            ("redisSecret", open([("name", text()), ("key", text())], &[])),
        ],
        &["image"],
    )
}
