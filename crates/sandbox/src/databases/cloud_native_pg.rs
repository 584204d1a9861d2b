//! CloudNativePG: `Cluster` of `postgresql.cnpg.io`. Its operator creates pods directly.

use crate::{
    condition::{Condition, written},
    kind::Kind,
    owned::{Address, Owned, claim},
    reconcile::Next,
    secret::{self, password},
    workloads::template::{self, is_ready},
    world::{Seen, World},
    write::{ReconcileError, staying},
};
use api::names::{
    CNPG_CLUSTER_LABEL, CNPG_INSTANCE_NAME_LABEL, CNPG_INSTANCE_ROLE_LABEL, CNPG_POD_ROLE_LABEL,
};
use jiff::Timestamp;
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};

const KIND: Kind = Kind::PostgresCluster;

pub(crate) async fn reconcile(world: &World, cluster: &DynamicObject) -> Result<Next, ReconcileError> {
    let name = cluster.name_any();
    let wanted = cluster.data["spec"]["instances"].as_i64().unwrap_or(1);
    credentials(world, cluster).await?;
    let owned = Owned { world, kind: KIND, owner: cluster };
    for (suffix, role) in [("rw", Some("primary")), ("ro", Some("replica")), ("r", None)] {
        let mut selector = json!({CNPG_CLUSTER_LABEL: name, CNPG_POD_ROLE_LABEL: "instance"});
        if let Some(role) = role {
            selector[CNPG_INSTANCE_ROLE_LABEL] = role.into();
        }
        let service = format!("{name}-{suffix}");
        owned.service(&service, &selector, &[("postgres", 5432, 5432)], Address::Own).await?;
    }
    for number in 1..=wanted {
        instance(world, cluster, number).await?;
    }
    let pods = staying(world.children(cluster, Kind::Pod));
    for pod in pods.iter().filter(|pod| number(pod).is_some_and(|number| number > wanted)) {
        world.delete(Kind::Pod, pod, false).await?;
    }
    let failure = world.annotated(cluster).failure;
    let pods = staying(world.children(cluster, Kind::Pod));
    let status = status(cluster, &pods, wanted, failure.as_deref(), world.now());
    world.set_status(KIND, cluster, status).await?;
    Ok(Next::Change)
}

async fn credentials(world: &World, cluster: &DynamicObject) -> Result<(), ReconcileError> {
    let spec = &cluster.data["spec"];
    let initdb = &spec["bootstrap"]["initdb"];
    let database = initdb["database"].as_str().unwrap_or("app");
    let owner = initdb["owner"].as_str().unwrap_or(database);
    let name = cluster.name_any();
    if initdb["secret"]["name"].is_null() {
        let secret = format!("{name}-app");
        let content = || access(cluster, owner, database);
        secret::create(world, KIND, cluster, &secret, "kubernetes.io/basic-auth", content).await?;
    }
    if spec["enableSuperuserAccess"] == true && spec["superuserSecret"]["name"].is_null() {
        let secret = format!("{name}-superuser");
        let content = || access(cluster, "postgres", "*");
        secret::create(world, KIND, cluster, &secret, "kubernetes.io/basic-auth", content).await?;
    }
    Ok(())
}

fn access(cluster: &DynamicObject, user: &str, database: &str) -> Vec<(&'static str, String)> {
    let host = format!("{}-rw", cluster.name_any());
    let full = format!("{host}.{}", cluster.namespace().unwrap_or_default());
    let password = password();
    vec![
        ("username", user.to_owned()),
        ("user", user.to_owned()),
        ("dbname", database.to_owned()),
        ("port", "5432".to_owned()),
        ("uri", format!("postgresql://{user}:{password}@{full}:5432/{database}")),
        ("jdbc-uri", format!("jdbc:postgresql://{full}:5432/{database}?password={password}&user={user}")),
        ("pgpass", format!("{host}:5432:{database}:{user}:{password}\n")),
        ("host", host),
        ("password", password),
    ]
}

async fn instance(world: &World, cluster: &DynamicObject, number: i64) -> Result<(), ReconcileError> {
    let spec = &cluster.data["spec"];
    let name = format!("{}-{number}", cluster.name_any());
    let namespace = cluster.namespace().unwrap_or_default();
    if world.find(Kind::Pod, &namespace, &name).is_some() {
        return Ok(());
    }
    let labels = json!({
        CNPG_CLUSTER_LABEL: cluster.name_any(),
        CNPG_INSTANCE_NAME_LABEL: name,
        CNPG_POD_ROLE_LABEL: "instance",
        CNPG_INSTANCE_ROLE_LABEL: if number == 1 { "primary" } else { "replica" },
    });
    let owned = Owned { world, kind: KIND, owner: cluster };
    let volume = json!({
        "metadata": owned.metadata(&name, &labels),
        "spec": claim(&spec["storage"]["size"], &spec["storage"]["storageClass"]),
    });
    world.create(Kind::PersistentVolumeClaim, volume).await?;
    let template = json!({"spec": {
        "containers": [{
            "name": "postgres",
            "image": spec["imageName"].as_str().unwrap_or("postgresql:17"),
            "ports": [{"name": "postgresql", "containerPort": 5432}],
            "volumeMounts": [{"name": "pgdata", "mountPath": "/var/lib/postgresql/data"}],
        }],
        "volumes": [{"name": "pgdata", "persistentVolumeClaim": {"claimName": name}}],
    }});
    world.create(Kind::Pod, template::pod(KIND, cluster, &name, &template, labels)).await
}

fn status(
    cluster: &DynamicObject,
    pods: &[Seen],
    wanted: i64,
    failure: Option<&str>,
    now: Timestamp,
) -> Value {
    let before = &cluster.data["status"];
    let name = cluster.name_any();
    let primary = format!("{name}-1");
    let ready = i64::try_from(pods.iter().filter(|pod| is_ready(pod)).count()).unwrap_or(i64::MAX);
    let healthy = failure.is_none() && ready >= wanted;
    let condition = if healthy {
        Condition::new("Ready", true, "ClusterIsReady", "Cluster is Ready")
    } else {
        Condition::new("Ready", false, "ClusterIsNotReady", failure.unwrap_or("Cluster Is Not Ready"))
    };
    let since = |field: &str| before[field].as_str().map_or_else(|| written(now), str::to_owned);
    json!({
        "instances": pods.len(),
        "readyInstances": ready,
        "instanceNames": pods.iter().map(|pod| pod.name_any()).collect::<Vec<_>>(),
        "phase": match (healthy, failure, ready) {
            (true, ..) => "Cluster in healthy state",
            (false, Some(_), _) => "Unable to create required cluster objects",
            (false, None, 0) => "Setting up primary",
            (false, None, _) => "Creating a new replica",
        },
        "phaseReason": failure,
        "currentPrimary": (ready > 0).then_some(&primary),
        "currentPrimaryTimestamp": (ready > 0).then(|| since("currentPrimaryTimestamp")),
        "targetPrimary": primary,
        "targetPrimaryTimestamp": since("targetPrimaryTimestamp"),
        "writeService": format!("{name}-rw"),
        "readService": format!("{name}-r"),
        "selector": format!("cnpg.io/cluster={name}"),
        "conditions": [condition.after(&before["conditions"], now)],
    })
}

fn number(pod: &DynamicObject) -> Option<i64> {
    pod.metadata.name.as_ref()?.rsplit_once('-')?.1.parse().ok()
}
