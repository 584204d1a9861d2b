//! Zalando's operator: `postgresql` of `acid.zalan.do`.

use crate::{
    kind::Kind,
    owned::{Address, Owned, Servers, claim},
    reconcile::Next,
    secret::{self, password},
    world::World,
    write::ReconcileError,
};
use kube::{ResourceExt as _, core::DynamicObject};
use serde_json::{Value, json};

const KIND: Kind = Kind::Postgresql;

pub(crate) async fn reconcile(world: &World, cluster: &DynamicObject) -> Result<Next, ReconcileError> {
    let spec = &cluster.data["spec"];
    let name = cluster.name_any();
    let labels = json!({"application": "spilo", "cluster-name": name});
    let owned = Owned { world, kind: KIND, owner: cluster };

    for user in users(spec) {
        // Names of Secrets cannot contain underscores.
        let secret = format!("{}.{name}.credentials.postgresql.acid.zalan.do", user.replace('_', "-"));
        secret::create(world, KIND, cluster, &secret, "Opaque", || {
            vec![("username", user.clone()), ("password", password())]
        })
        .await?;
    }
    owned.service(&name, &labels, &[("postgresql", 5432, 5432)], Address::Own).await?;
    let replicas = format!("{name}-repl");
    owned.service(&replicas, &labels, &[("postgresql", 5432, 5432)], Address::Own).await?;

    let wanted = spec["numberOfInstances"].as_i64().unwrap_or(1);
    let version = spec["postgresql"]["version"].as_str().unwrap_or("17");
    let image = format!("spilo:{version}");
    let ready = owned
        .servers(&Servers {
            name: name.clone(),
            labels,
            replicas: wanted,
            service: name,
            image: spec["dockerImage"].as_str().unwrap_or(&image),
            container: "postgres",
            port: 5432,
            environment: json!([{"name": "PGVERSION", "value": version}]),
            parallel: true,
            claims: vec![("pgdata".into(), claim(&spec["volume"]["size"], &spec["volume"]["storageClass"]))],
        })
        .await?;

    let before = &cluster.data["status"]["PostgresClusterStatus"];
    let ran = before.as_str().is_some_and(|state| !["Creating", "CreateFailed"].contains(&state));
    let state = match (world.annotated(cluster).failure, ready >= wanted) {
        (Some(_), _) if ran => "UpdateFailed",
        (Some(_), _) => "CreateFailed",
        (None, true) => "Running",
        (None, false) if ran => "Updating",
        (None, false) => "Creating",
    };
    world.set_status(KIND, cluster, json!({"PostgresClusterStatus": state})).await?;
    Ok(Next::Change)
}

/// The users of a cluster: the two that every cluster has, and those of the spec.
fn users(spec: &Value) -> Vec<String> {
    let mut all = vec!["postgres".to_owned(), "standby".to_owned()];
    all.extend(spec["users"].as_object().into_iter().flat_map(|users| users.keys().cloned()));
    all
}
