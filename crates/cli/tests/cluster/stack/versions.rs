//! The versions that a HarborCluster requests depend on the installed operators.

use super::{Cluster, in_cluster, with};
use crate::world::World;
use api::thirdparty::zalando::Postgresql;
use envtest::{ControlPlane, Requests};
use sandbox::definitions;
use serde_json::{Value, json};

/// The definitions, with that of Zalando's operator of 2022.
fn of_2022() -> Vec<Value> {
    let mut definitions = definitions::all();
    let postgresql = definitions.iter_mut().find(|it| it["metadata"]["name"] == "postgresqls.acid.zalan.do");
    let spec =
        postgresql.unwrap().pointer_mut("/spec/versions/0/schema/openAPIV3Schema/properties/spec").unwrap();
    spec["properties"]["postgresql"] = json!({
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": true,
        "properties": {"version": {"type": "string", "enum": ["9.6", "10", "11", "12", "13", "14"]}},
    });
    definitions
}

#[tokio::test]
async fn a_new_database_has_a_version_that_the_installed_operator_knows() {
    let plane = ControlPlane::start().await.unwrap();
    let has_rules = plane.version().at_least(1, 24);
    let cluster = Cluster::with_definitions(World::on(plane).await, of_2022()).await;
    let _operator = cluster.operator(&Requests::default());
    cluster.apply(in_cluster()).await;
    if !has_rules {
        let message = cluster.until_condition("acme", "DatabaseReady", "Rejected").await;
        assert!(message.contains("spec.postgresql.version") && message.contains("\"14\""), "{message}");
        cluster.apply(with("/spec/database/spec/zlandoPostgreSql/version", json!("14"))).await;
    }
    cluster.until_healthy("acme").await;
    let database = cluster.get::<Postgresql>(&format!("postgresql-{}-acme", cluster.name)).await;
    assert_eq!(database.spec.postgresql.version, "14");
}
