//! Objects of the kinds that are about a whole Harbor: the operator process reaches it over the network, with TLS.

use crate::team::{Team, delete_server_configuration};
use api::v1beta1::{
    HarborPreheatInstance, HarborRegistryEndpoint, HarborReplication, HarborScanner, HarborUser,
    HarborUserGroup,
};
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};

/// Paths of lists, and names of objects in them that have a description.
const DESCRIBED: [(&str, &str); 4] = [
    ("/registries", "hub"),
    ("/replication/policies", "nightly"),
    ("/scanners", "own"),
    ("/p2p/preheat/instances", "df"),
];

/// The one that Harbor lists at this path under this name.
async fn shown(team: &Team, path: &str, field: &str, name: &str) -> Option<Value> {
    let all = team.harbor.ask("GET", &format!("{path}?page_size=100"), Value::Null).await;
    let mut found: Vec<_> = all.as_array().cloned().unwrap_or_default();
    found.retain(|it| it[field] == name);
    assert!(found.len() <= 1, "{path} has {name} twice: {found:?}");
    found.pop()
}

#[tokio::test]
async fn endpoints_replications_scanners_users_groups_and_networks_are_created_changed_and_deleted() {
    let team = Team::new().await;
    team.harbor.harbor.network().open_everything();
    // Harbor makes the first scanner the default, and deletes no default.
    team.harbor.ask("POST", "/scanners", json!({"name": "default", "url": "http://default:8080"})).await;
    let password =
        |password: &str| json!({"metadata": {"name": "anna"}, "stringData": {"password": password}});
    team.world.post_json::<Secret>(password("Anna12345")).await;
    let gone = |spec: Value| {
        let mut spec = spec;
        spec["deletionPolicy"] = "Delete".into();
        spec["description"] = "old".into();
        spec
    };
    let endpoint = gone(json!({"registryName": "hub", "type": "docker-registry", "url": "http://hub"}));
    team.create::<HarborRegistryEndpoint>("hub", endpoint).await;
    let replication = gone(json!({"policyName": "nightly", "destinationRegistryRef": "hub"}));
    team.create::<HarborReplication>("nightly", replication).await;
    team.create::<HarborScanner>("own", gone(json!({"scannerName": "own", "url": "http://own:8080"}))).await;
    let network = json!({
        "instanceName": "df", "vendor": "dragonfly", "endpoint": "http://df:8001",
        "policies": [{"project": "library", "name": "hot"}],
    });
    team.create::<HarborPreheatInstance>("df", gone(network)).await;
    let user = json!({
        "username": "anna", "email": "old@example.com", "passwordRef": {"name": "anna", "key": "password"},
        "deletionPolicy": "Delete",
    });
    team.create::<HarborUser>("anna", user).await;
    team.create::<HarborUserGroup>("ops", json!({"groupName": "ops", "groupType": "oidc"})).await;

    team.until_ready::<HarborRegistryEndpoint>("hub").await;
    team.until_ready::<HarborReplication>("nightly").await;
    team.until_ready::<HarborScanner>("own").await;
    team.until_ready::<HarborPreheatInstance>("df").await;
    team.until_ready::<HarborUser>("anna").await;
    team.until_ready::<HarborUserGroup>("ops").await;
    for (path, name) in DESCRIBED {
        assert_eq!(shown(&team, path, "name", name).await.unwrap()["description"], "old", "{path}");
    }
    let policies = "/projects/library/preheat/policies";
    assert_eq!(shown(&team, policies, "name", "hot").await.unwrap()["provider_name"], "df");
    let (status, _) = team.harbor.ask_as("anna", "Anna12345", "GET", "/users/current", Value::Null).await;
    assert_eq!(status, 200);

    let new = json!({"description": "new"});
    team.change::<HarborRegistryEndpoint>("hub", new.clone()).await;
    team.change::<HarborReplication>("nightly", new.clone()).await;
    team.change::<HarborScanner>("own", new.clone()).await;
    team.change::<HarborPreheatInstance>("df", new).await;
    for (path, name) in DESCRIBED {
        assert_eq!(shown(&team, path, "name", name).await.unwrap()["description"], "new", "{path}");
    }
    team.change::<HarborUser>("anna", json!({"email": "new@example.com"})).await;
    assert_eq!(shown(&team, "/users", "username", "anna").await.unwrap()["email"], "new@example.com");
    // The fields of a group identify it.
    assert_eq!(shown(&team, "/usergroups", "group_name", "ops").await.unwrap()["group_type"], 3);

    team.delete::<HarborReplication>("nightly").await;
    team.delete::<HarborRegistryEndpoint>("hub").await;
    team.delete::<HarborScanner>("own").await;
    team.delete::<HarborPreheatInstance>("df").await;
    team.delete::<HarborUser>("anna").await;
    team.delete::<HarborUserGroup>("ops").await;
    for (path, name) in DESCRIBED {
        assert_eq!(shown(&team, path, "name", name).await, None, "{path}");
    }
    assert_eq!(shown(&team, policies, "name", "hot").await, None);
    assert_eq!(shown(&team, "/users", "username", "anna").await, None);
    let group = shown(&team, "/usergroups", "group_name", "ops").await;
    assert!(group.is_some(), "a group is never deleted");
    delete_server_configuration(&team.world).await;
}
