//! The definitions of v1alpha3: ours, and the Go operator's, where they are here.
//!
//! `v1alpha3-fields.txt` names the fields of the Go operator's, so that ours are compared without them, too.

use crate::shared::{files, shared};
use api::conversion::{ConversionWebhook, serve_v1alpha3};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The fields of the Go operator's definitions, in order.
const FIELDS: &str = include_str!("v1alpha3-fields.txt");

/// The schema of a kind in v1alpha3: the Go operator's, or ours if its files are not here.
pub fn old_schema(kind: &str) -> Value {
    let theirs = old_definitions().unwrap_or_default().into_iter().find(|definition| definition.kind == kind);
    if let Some(OldDefinition { schema, .. }) = theirs {
        return schema;
    }
    eprintln!("{kind} is tried with our own definition of v1alpha3");
    let mut ours = ours_in_v1alpha3().remove(kind).unwrap();
    for (service, only, required) in [
        ("inClusterCache", "Redis", json!(["kind", "redisSpec"])),
        ("inClusterDatabase", "PostgresSQL", json!(["kind", "postgresSqlSpec"])),
        ("inClusterStorage", "MinIO", json!(["kind"])),
    ] {
        if let Some(service) = ours.pointer_mut(&format!("/properties/spec/properties/{service}")) {
            // Theirs says so. Ours admits everything that may be stored.
            service["properties"]["kind"]["enum"] = json!([only]);
            service["required"] = required;
        }
    }
    if let Some(minio) = ours.pointer_mut("/properties/spec/properties/inClusterStorage/properties/minIOSpec")
    {
        minio["required"] = json!(["redirect", "replicas", "volumesPerServer"]);
    }
    ours
}

/// What the Go operator says about a kind in v1alpha3.
struct OldDefinition {
    kind: String,
    schema: Value,
}

fn old_definitions() -> Option<Vec<OldDefinition>> {
    let folder = shared("upstream-crds")?;
    let definitions = files(&folder).into_iter().filter_map(|(_, text)| {
        let definition: Value = serde_saphyr::from_str(&text).unwrap();
        let versions = definition["spec"]["versions"].as_array().unwrap();
        let version = versions.iter().find(|version| version["name"] == "v1alpha3")?;
        Some(OldDefinition {
            kind: definition["spec"]["names"]["kind"].as_str().unwrap().to_owned(),
            schema: version["schema"]["openAPIV3Schema"].clone(),
        })
    });
    Some(definitions.collect())
}

/// Fields that hold a Kubernetes type, which is converted as a whole.
const WHOLE: [&str; 6] =
    ["imagePullSecrets", "resources", "tolerations", "volume", "volumeClaimTemplate", "volumeSource"];

/// The paths of all values below a schema.
fn paths(schema: &Value, path: &str, name: &str, found: &mut BTreeSet<String>) {
    let items = &schema["items"];
    if WHOLE.contains(&name) {
        found.insert(path.to_owned());
    } else if let Some(properties) = schema["properties"].as_object() {
        for (name, below) in properties {
            paths(below, &format!("{path}.{name}"), name, found);
        }
    } else if items["properties"].is_object() {
        paths(items, &format!("{path}[]"), "", found);
    } else {
        found.insert(path.to_owned());
    }
}

/// Our definitions with both versions.
fn ours() -> Vec<CustomResourceDefinition> {
    let webhook =
        ConversionWebhook::Service { namespace: "operators".into(), name: "harbor-operator".into() };
    serve_v1alpha3(api::crds::all(), &webhook)
}

/// The schemas of v1alpha3 in our definitions.
fn ours_in_v1alpha3() -> BTreeMap<String, Value> {
    let definitions = ours();
    let versions = definitions.iter().flat_map(|definition| {
        let kind = &definition.spec.names.kind;
        definition.spec.versions.iter().map(move |version| (kind.clone(), version))
    });
    let old = versions.filter(|(_, version)| version.name == "v1alpha3");
    old.map(|(kind, version)| {
        let schema = version.schema.as_ref().unwrap().open_api_v3_schema.as_ref().unwrap();
        (kind, serde_json::to_value(schema).unwrap())
    })
    .collect()
}

#[test]
fn the_fields_of_v1alpha3_are_those_of_the_old_definitions() {
    let theirs: BTreeSet<_> = FIELDS.lines().map(str::to_owned).collect();
    let mut ours = BTreeSet::new();
    for (kind, schema) in ours_in_v1alpha3() {
        paths(&schema["properties"]["spec"], &kind, "spec", &mut ours);
    }

    assert_eq!(ours.difference(&theirs).collect::<Vec<_>>(), Vec::<&String>::new(), "they do not have these");
    assert_eq!(theirs.difference(&ours).collect::<Vec<_>>(), Vec::<&String>::new(), "we do not have these");
}

#[test]
fn the_list_of_fields_is_what_the_go_operators_files_say() {
    let Some(definitions) = old_definitions() else { return };
    let mut theirs = BTreeSet::new();
    for OldDefinition { kind, schema } in definitions {
        paths(&schema["properties"]["spec"], &kind, "spec", &mut theirs);
    }
    assert_eq!(theirs.iter().map(String::as_str).collect::<Vec<_>>(), FIELDS.lines().collect::<Vec<_>>());
}

#[test]
fn definitions_with_both_versions_fit_into_the_annotation_of_kubectl_apply() {
    for definition in ours() {
        let size = serde_json::to_string(&definition).unwrap().len();
        assert!(size < 256 * 1024, "{}: {size}", definition.spec.names.kind);
    }
}
