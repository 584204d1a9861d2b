//! OT-Container-Kit's operator: `Redis`, `RedisReplication` and `RedisSentinel` of `redis.redis.opstreelabs.in`.

use crate::{
    kind::Kind,
    owned::{Address, Owned, Servers},
    reconcile::Next,
    world::World,
    write::ReconcileError,
};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};

const REDIS: i64 = 6379;
const SENTINEL: i64 = 26379;

pub(crate) async fn reconcile(
    world: &World,
    kind: Kind,
    redis: &DynamicObject,
) -> Result<Next, ReconcileError> {
    let spec = &redis.data["spec"];
    let own = redis.name_any();
    let (name, role, port, setup) = match kind {
        Kind::RedisSentinel => (format!("{own}-sentinel"), "sentinel", SENTINEL, "sentinel"),
        Kind::RedisReplication => (own.clone(), "replication", REDIS, "replication"),
        _ => (own.clone(), "standalone", REDIS, "standalone"),
    };
    if kind == Kind::RedisSentinel && !replication_is_up(world, redis) {
        return Ok(Next::Change);
    }
    let owned = Owned { world, kind, owner: redis };
    let labels = json!({"app": name, "redis_setup_type": setup, "role": role});
    let ports = [(if role == "sentinel" { "sentinel-client" } else { "redis-client" }, port, port)];
    owned.service(&name, &labels, &ports, Address::Own).await?;
    owned.service(&format!("{name}-additional"), &labels, &ports, Address::Own).await?;
    owned.service(&format!("{name}-headless"), &labels, &ports, Address::Headless).await?;
    if kind == Kind::RedisReplication {
        for role in ["master", "replica"] {
            owned.service(&format!("{name}-{role}"), &labels, &ports, Address::Own).await?;
        }
    }
    let wanted = if kind == Kind::Redis { 1 } else { spec["clusterSize"].as_i64().unwrap_or(3) };
    let claim = &spec["storage"]["volumeClaimTemplate"]["spec"];
    let ready = owned
        .servers(&Servers {
            service: format!("{name}-headless"),
            claims: claim.is_object().then(|| (name.clone(), claim.clone())).into_iter().collect(),
            name: name.clone(),
            labels,
            replicas: wanted,
            image: spec["kubernetesConfig"]["image"].as_str().unwrap_or("redis:7"),
            container: "redis",
            port,
            environment: password(&spec["kubernetesConfig"]["redisSecret"]),
            parallel: false,
        })
        .await?;
    if kind == Kind::RedisReplication {
        let up = ready >= wanted && world.annotated(redis).failure.is_none();
        let host = format!("{own}-master.{}.svc", redis.namespace().unwrap_or_default());
        let status = up.then(
            || json!({"masterNode": format!("{own}-0"), "connectionInfo": {"host": host, "port": port}}),
        );
        world.set_status(kind, redis, status.unwrap_or_else(|| json!({}))).await?;
    }
    Ok(Next::Change)
}

/// Whether the replication that a sentinel monitors has a master. The operator creates sentinels only then.
fn replication_is_up(world: &World, sentinel: &DynamicObject) -> bool {
    let Some(name) = sentinel.data["spec"]["redisSentinelConfig"]["redisReplicationName"].as_str() else {
        return true;
    };
    let namespace = sentinel.namespace().unwrap_or_default();
    world
        .find(Kind::RedisReplication, &namespace, name)
        .is_some_and(|replication| replication.data["status"]["masterNode"].is_string())
}

fn password(secret: &Value) -> Value {
    let Some(name) = secret["name"].as_str() else { return Value::Null };
    json!([{
        "name": "REDIS_PASSWORD",
        "valueFrom": {"secretKeyRef": {"name": name, "key": secret["key"].as_str().unwrap_or("password")}},
    }])
}
