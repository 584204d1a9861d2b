//! What a Harbor has, so that two of them can be compared.

use crate::world::World;
use serde_json::Value;
use std::collections::BTreeSet;

/// Lists and objects of the whole Harbor.
const PATHS: [&str; 13] = [
    "/projects",
    "/quotas",
    "/users",
    "/usergroups",
    "/robots",
    "/registries",
    "/replication/policies",
    "/scanners",
    "/p2p/preheat/instances",
    "/configurations",
    "/system/CVEAllowlist",
    "/system/gc/schedule",
    "/labels?scope=g",
];

/// Lists of each project.
const PATHS_OF_PROJECTS: [&str; 3] = ["members", "preheat/policies", "immutabletagrules"];

/// Everything that a Harbor has but executions, without numbers and times. Nothing has the same description twice.
pub async fn contents(world: &World) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut add = async |whose: &str, path: &str| {
        let separator = if path.contains('?') { '&' } else { '?' };
        let items = match world.ask("GET", &format!("{path}{separator}page_size=100"), Value::Null).await {
            Value::Array(items) => items,
            single => vec![single],
        };
        let kind: String = path.chars().filter(|character| !character.is_ascii_digit()).collect();
        for item in items {
            let item = format!("{whose}{kind}: {}", described(item));
            assert!(all.insert(item.clone()), "it exists twice: {item}");
        }
    };
    for path in PATHS {
        add("", path).await;
    }
    let projects = world.ask("GET", "/projects?page_size=100", Value::Null).await;
    for project in projects.as_array().unwrap() {
        let (name, id) = (project["name"].as_str().unwrap(), &project["project_id"]);
        for path in PATHS_OF_PROJECTS {
            add(name, &format!("/projects/{name}/{path}")).await;
        }
        add(name, &format!("/labels?scope=p&project_id={id}")).await;
        add(name, &format!("/robots?q=Level%3Dproject%2CProjectID%3D{id}")).await;
        if let Some(retention) = project["metadata"]["retention_id"].as_str() {
            add(name, &format!("/retentions/{retention}")).await;
        }
    }
    all
}

/// A value without what differs from Harbor to Harbor.
fn described(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let is_lasting = |(name, value): &(String, Value)| {
                let is_id = name == "id" || name == "uuid" || name.ends_with("_id");
                // The policy of a retention refers to its project by number, and a quota by name.
                let is_number = name == "ref" && value.is_number();
                let is_time =
                    ["_time", "_timestamp", "expires_at", "UpdateTime"].iter().any(|it| name.ends_with(it));
                !(is_id || is_number || is_time)
            };
            let fields = fields.into_iter().filter(is_lasting);
            fields.map(|(name, value)| (name, described(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(described).collect(),
        other => other,
    }
}
