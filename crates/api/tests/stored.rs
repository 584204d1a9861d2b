//! Objects the Go operator stored still decode, and nothing in them is lost.

#![allow(clippy::unwrap_used, clippy::panic)] // this is a test, helpers included

mod shared;

use api::v1beta1;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use shared::{files, shared};

/// Decodes an object of one of our kinds and writes it again.
fn round_trip(object: &Value) -> Value {
    fn through<K: DeserializeOwned + Serialize>(object: &Value) -> Value {
        let decoded: K =
            serde_json::from_value(object.clone()).unwrap_or_else(|error| panic!("{error}: {object}"));
        serde_json::to_value(decoded).unwrap()
    }
    match object["kind"].as_str().unwrap() {
        "ChartMuseum" => through::<v1beta1::ChartMuseum>(object),
        "Core" => through::<v1beta1::Core>(object),
        "Exporter" => through::<v1beta1::Exporter>(object),
        "Harbor" => through::<v1beta1::Harbor>(object),
        "HarborCluster" => through::<v1beta1::HarborCluster>(object),
        "HarborConfiguration" => through::<v1beta1::HarborConfiguration>(object),
        "HarborProject" => through::<v1beta1::HarborProject>(object),
        "HarborServerConfiguration" => through::<v1beta1::HarborServerConfiguration>(object),
        "JobService" => through::<v1beta1::JobService>(object),
        "NotaryServer" => through::<v1beta1::NotaryServer>(object),
        "NotarySigner" => through::<v1beta1::NotarySigner>(object),
        "Portal" => through::<v1beta1::Portal>(object),
        "PullSecretBinding" => through::<v1beta1::PullSecretBinding>(object),
        "Registry" => through::<v1beta1::Registry>(object),
        "RegistryController" => through::<v1beta1::RegistryController>(object),
        "Trivy" => through::<v1beta1::Trivy>(object),
        kind => panic!("unknown kind {kind}"),
    }
}

/// Fails unless `after` holds all that `before` holds. Null and empty lists say nothing and may go; a quantity may turn
/// from a number into text.
fn assert_nothing_lost(before: &Value, after: &Value, path: &str) {
    match before {
        Value::Null => {}
        Value::Object(fields) => {
            for (name, value) in fields {
                let says_nothing = match value {
                    Value::Null => true,
                    Value::Array(items) => items.is_empty(),
                    // An empty object may be a switch, such as `tls: {}`: only its absence from ours is a loss.
                    _ => false,
                };
                let path = format!("{path}.{name}");
                if !says_nothing {
                    assert!(after.get(name).is_some(), "{path} is lost");
                    assert_nothing_lost(value, &after[name], &path);
                }
            }
        }
        Value::Array(items) => {
            assert_eq!(items.len(), after.as_array().map_or(0, Vec::len), "{path}");
            for (index, item) in items.iter().enumerate() {
                assert_nothing_lost(item, &after[index], &format!("{path}[{index}]"));
            }
        }
        Value::Number(number) if after.is_string() => assert_eq!(number.to_string(), *after, "{path}"),
        scalar => assert_eq!(scalar, after, "{path}"),
    }
}

fn assert_survives(object: &Value) {
    let mut object = object.clone();
    object["metadata"].as_object_mut().unwrap().remove("managedFields");

    let written = round_trip(&object);

    assert_nothing_lost(&object, &written, object["kind"].as_str().unwrap());
    assert_eq!(round_trip(&written), written, "what we write, we read the same");
}

/// The objects of ours in a YAML stream or a list.
fn ours(text: &str) -> Vec<Value> {
    let documents: Vec<Value> = serde_saphyr::from_multiple(text).unwrap();
    let items = |document: Value| match document["items"].as_array() {
        Some(items) => items.clone(),
        None => vec![document],
    };
    let is_ours = |object: &Value| object["apiVersion"] == "goharbor.io/v1beta1";
    documents.into_iter().flat_map(items).filter(is_ours).collect()
}

#[test]
fn objects_of_every_kind_survive() {
    let objects = ours(include_str!("stored/objects.yaml"));

    let mut kinds: Vec<&str> = objects.iter().filter_map(|object| object["kind"].as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds.len(), 16, "{kinds:?}");
    for object in &objects {
        assert_survives(object);
    }
}

#[test]
fn the_samples_of_the_go_operator_survive() {
    let Some(folder) = shared("upstream-samples") else { return };

    let objects: Vec<Value> = files(&folder).iter().flat_map(|(_, text)| ours(text)).collect();

    assert_eq!(objects.len(), 5);
    for object in &objects {
        assert_survives(object);
    }
}

#[test]
fn objects_the_go_operator_wrote_survive() {
    let Some(folder) = shared("upstream-objects") else { return };

    let objects: Vec<Value> = files(&folder).iter().flat_map(|(_, text)| ours(text)).collect();

    assert!(!objects.is_empty());
    for object in &objects {
        assert_survives(object);
    }
}

#[test]
fn misspelt_fields_keep_their_spelling() {
    let objects = ours(include_str!("stored/objects.yaml"));
    let written = |kind: &str| round_trip(objects.iter().find(|object| object["kind"] == kind).unwrap());

    assert_eq!(written("NotarySigner")["spec"]["authentatication"]["certificateRef"], "notarysigner");
    assert_eq!(written("HarborCluster")["spec"]["database"]["kind"], "Zlando/PostgreSQL");
    assert!(written("HarborCluster")["spec"]["database"]["spec"]["zlandoPostgreSql"].is_object());
    assert_eq!(written("Trivy")["spec"]["redis"]["jobs"]["Namespace"], "jobs");
}

#[test]
fn a_null_list_of_file_loggers_decodes() {
    let objects = ours(include_str!("stored/objects.yaml"));
    let mut jobservice = objects.into_iter().find(|object| object["kind"] == "JobService").unwrap();
    jobservice["spec"]["loggers"]["files"] = Value::Null;

    assert_eq!(round_trip(&jobservice)["spec"]["loggers"].get("files"), None);
}

#[test]
fn an_absent_field_is_not_written_and_a_default_is() {
    let portal = serde_json::json!({
        "apiVersion": "goharbor.io/v1beta1", "kind": "Portal", "metadata": {"name": "a"}, "spec": {}
    });

    assert_eq!(round_trip(&portal)["spec"], serde_json::json!({"maxConnections": 1024}));
}
