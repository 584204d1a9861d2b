//! MinIO's operator: `Tenant` of `minio.min.io`.

use crate::{
    kind::Kind,
    owned::{Address, Owned, Servers},
    reconcile::Next,
    world::{Seen, World},
    write::ReconcileError,
};
use api::names::{MINIO_POOL_LABEL, MINIO_TENANT_LABEL};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};

const KIND: Kind = Kind::Tenant;

const INITIALIZED: &str = "Initialized";

/// The state of a further tenant in a namespace.
const ONE_TOO_MANY: &str = "Another MinIO Tenant already exists in the namespace";

pub(crate) async fn reconcile(world: &World, tenant: &DynamicObject) -> Result<Next, ReconcileError> {
    if let Some(newcomer) = one_too_many(world, tenant) {
        let status = json!({
            "currentState": ONE_TOO_MANY, "availableReplicas": 0, "pools": [], "revision": 0, "syncVersion": "v6.0.0",
            "certificates": {},
        });
        world.set_status(KIND, &newcomer, status).await?;
        return Ok(Next::Change);
    }
    let spec = &tenant.data["spec"];
    let name = tenant.name_any();
    let owned = Owned { world, kind: KIND, owner: tenant };
    let selector = json!({MINIO_TENANT_LABEL: name});
    // The operator issues certificates for its own Services unless `requestAutoCert` is false.
    let (api, console) = if spec["requestAutoCert"] == false {
        (("http-minio", 80, 9000), ("http-console", 9090, 9090))
    } else {
        (("https-minio", 443, 9000), ("https-console", 9443, 9443))
    };
    owned.service("minio", &selector, &[api], Address::Own).await?;
    owned.service(&format!("{name}-console"), &selector, &[console], Address::Own).await?;
    owned.service(&format!("{name}-hl"), &selector, &[(api.0, 9000, 9000)], Address::Headless).await?;

    let (mut wanted, mut available, mut drives) = (0, 0, 0);
    let mut pools = Vec::new();
    for (index, pool) in spec["pools"].as_array().into_iter().flatten().enumerate() {
        let servers = servers(&name, spec, pool, index);
        let (set, replicas) = (servers.name.clone(), servers.replicas);
        let ready = owned.servers(&servers).await?;
        wanted += replicas;
        available += ready;
        drives += ready * pool["volumesPerServer"].as_i64().unwrap_or(1);
        pools.push(json!({
            "ssName": set,
            "state": if ready >= replicas { "PoolInitialized" } else { "PoolCreated" },
            "legacySecurityContext": false,
        }));
    }
    let failure = world.annotated(tenant).failure;
    let healthy = failure.is_none() && available >= wanted;
    let status = json!({
        "currentState": match (&failure, healthy) {
            (Some(message), _) => message.as_str(),
            (None, true) => INITIALIZED,
            (None, false) => "Waiting for Tenant to be healthy",
        },
        "availableReplicas": available,
        "healthStatus": if healthy { "green" } else { "red" },
        "drivesOnline": drives,
        "writeQuorum": drives / 2 + i64::from(drives > 0),
        "pools": pools,
        "revision": 0,
        "syncVersion": "v6.0.0",
        "certificates": {},
    });
    world.set_status(KIND, tenant, status).await?;
    Ok(Next::Change)
}

/// If there are several tenants in a namespace, one that was not initialized before. MinIO's operator marks it as
/// failed and returns, even when it reconciles another tenant (`syncHandler` of its main controller, since 2020).
fn one_too_many(world: &World, tenant: &DynamicObject) -> Option<Seen> {
    let tenants = world.list(KIND, &tenant.namespace().unwrap_or_default());
    let several = tenants.len() > 1;
    tenants.into_iter().find(|each| several && each.data["status"]["currentState"] != INITIALIZED)
}

fn servers<'a>(tenant: &str, spec: &'a Value, pool: &Value, index: usize) -> Servers<'a> {
    let pool_name = pool["name"].as_str().map_or_else(|| format!("pool-{index}"), str::to_owned);
    let volumes = pool["volumesPerServer"].as_i64().unwrap_or(1);
    let template = &pool["volumeClaimTemplate"];
    let prefix = template["metadata"]["name"].as_str().unwrap_or_default();
    Servers {
        name: format!("{tenant}-{pool_name}"),
        labels: json!({MINIO_TENANT_LABEL: tenant, MINIO_POOL_LABEL: pool_name}),
        replicas: pool["servers"].as_i64().unwrap_or(1),
        service: format!("{tenant}-hl"),
        image: spec["image"].as_str().unwrap_or("minio"),
        container: "minio",
        port: 9000,
        environment: credentials(spec),
        parallel: true,
        claims: (0..volumes).map(|number| (format!("{prefix}{number}"), template["spec"].clone())).collect(),
    }
}

/// Environment variables from the Secret with the tenant's keys, which the spec names in one of two fields.
fn credentials(spec: &Value) -> Value {
    if let Some(name) = spec["configuration"]["name"].as_str() {
        return json!([{
            "name": "MINIO_CONFIG_ENV",
            "valueFrom": {"secretKeyRef": {"name": name, "key": "config.env"}},
        }]);
    }
    let Some(name) = spec["credsSecret"]["name"].as_str() else { return Value::Null };
    let from = |variable: &str, key: &str| json!({"name": variable, "valueFrom": {"secretKeyRef": {"name": name, "key": key}}});
    json!([from("MINIO_ACCESS_KEY", "accesskey"), from("MINIO_SECRET_KEY", "secretkey")])
}
