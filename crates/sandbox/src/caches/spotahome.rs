//! Spotahome's operator: `RedisFailover` of `databases.spotahome.com`, which has no status.

use crate::{
    kind::Kind,
    owned::{Address, Owned, Servers},
    reconcile::Next,
    world::World,
    write::ReconcileError,
};
use api::names::{COMPONENT_LABEL, NAME_LABEL, PART_OF_LABEL};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};

const KIND: Kind = Kind::RedisFailover;

pub(crate) async fn reconcile(world: &World, failover: &DynamicObject) -> Result<Next, ReconcileError> {
    let spec = &failover.data["spec"];
    let name = failover.name_any();
    let owned = Owned { world, kind: KIND, owner: failover };
    let labels = |component: &str| {
        json!({
            COMPONENT_LABEL: component,
            NAME_LABEL: name,
            PART_OF_LABEL: "redis-failover",
        })
    };
    let password = spec["auth"]["secretPath"].as_str().map(|secret| {
        json!([{
            "name": "REDIS_PASSWORD",
            "valueFrom": {"secretKeyRef": {"name": secret, "key": "password"}},
        }])
    });
    let (redis, sentinel) = (format!("rfr-{name}"), format!("rfs-{name}"));
    owned.service(&sentinel, &labels("sentinel"), &[("sentinel", 26379, 26379)], Address::Own).await?;
    owned.service(&redis, &labels("redis"), &[("http-metrics", 9121, 9121)], Address::Headless).await?;
    let storage = &spec["redis"]["storage"]["persistentVolumeClaim"];
    let claims = storage.is_object().then(|| {
        let claim = storage["metadata"]["name"].as_str().unwrap_or("redis-data");
        (claim.to_owned(), storage["spec"].clone())
    });
    owned
        .servers(&Servers {
            name: redis.clone(),
            labels: labels("redis"),
            replicas: spec["redis"]["replicas"].as_i64().unwrap_or(3),
            service: redis,
            image: spec["redis"]["image"].as_str().unwrap_or("redis:7"),
            container: "redis",
            port: 6379,
            environment: password.clone().unwrap_or_default(),
            parallel: true,
            claims: claims.into_iter().collect(),
        })
        .await?;
    let sentinels = sentinels(&owned, &sentinel, &labels("sentinel"), &spec["sentinel"], password.as_ref());
    world.apply(Kind::Deployment, sentinels).await?;
    Ok(Next::Change)
}

fn sentinels(owned: &Owned<'_>, name: &str, labels: &Value, spec: &Value, password: Option<&Value>) -> Value {
    json!({
        "metadata": owned.metadata(name, labels),
        "spec": {
            "replicas": spec["replicas"].as_i64().unwrap_or(3),
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": owned.labels(labels)},
                "spec": {"containers": [{
                    "name": "sentinel",
                    "image": spec["image"].as_str().unwrap_or("redis:7"),
                    "ports": [{"name": "sentinel", "containerPort": 26379, "protocol": "TCP"}],
                    "env": password,
                }]},
            },
        },
    })
}
