//! The documents themselves.

use super::kinds::{harbor, harbor_schema, harbor_with, resources};
use crate::{
    discovery::{Documents, documents::Document, respond},
    kinds::{Resource, Scale, Subresources},
    schema::definitions,
};
use serde_json::{Value, json};
use std::sync::Arc;

fn documents() -> Documents {
    Documents::new(&resources(), definitions())
}

fn get(documents: &Documents, path: &str, accept: &str) -> Document {
    respond(documents, path, None, accept).unwrap()
}

fn json(path: &str) -> Value {
    serde_json::from_slice(&get(&documents(), path, "").body).unwrap()
}

#[test]
fn groups_are_listed_with_their_preferred_version_and_the_core_group_apart() {
    let listed = json("/apis");
    let groups = listed["groups"].as_array().unwrap();
    let described = |name: &str, version: &str| {
        let version = json!({"groupVersion": format!("{name}/{version}"), "version": version});
        json!({"name": name, "preferredVersion": version, "versions": [version]})
    };
    assert_eq!(groups.first(), Some(&described("apps", "v1")));
    assert_eq!(groups.last(), Some(&described("goharbor.example", "v1alpha1")));
    assert_eq!(json("/api")["versions"], json!(["v1"]));
    assert_eq!(json("/apis/apps")["kind"], "APIGroup");
}

#[test]
fn a_version_lists_its_kinds_and_their_subresources() {
    let verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
    let listed = json("/apis/apps/v1");
    let of_deployments: Vec<&Value> = listed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|resource| resource["name"].as_str().unwrap().starts_with("deployments"))
        .collect();
    assert_eq!(
        json!(of_deployments),
        json!([
            {
                "name": "deployments", "singularName": "deployment", "namespaced": true, "kind": "Deployment",
                "verbs": verbs, "shortNames": ["deploy"], "categories": ["all"],
                "storageVersionHash": "8aSe+NMegvE=",
            },
            {
                "name": "deployments/scale", "singularName": "", "namespaced": true,
                "group": "autoscaling", "version": "v1", "kind": "Scale", "verbs": ["get", "patch", "update"],
            },
            {
                "name": "deployments/status", "singularName": "", "namespaced": true, "kind": "Deployment",
                "verbs": ["get", "patch", "update"],
            },
        ])
    );
}

#[test]
fn a_client_that_asks_for_one_document_gets_it_with_a_tag() {
    let accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    let document = get(&documents(), "/apis", accept);
    assert_eq!(document.content_type, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    assert!(document.etag.is_some());
    let list: Value = serde_json::from_slice(&document.body).unwrap();
    let own = json!({"group": "goharbor.example", "version": "v1alpha1", "kind": "Harbor"});
    assert_eq!(
        list["items"].as_array().unwrap().last().unwrap().clone(),
        json!({
            "metadata": {"name": "goharbor.example"},
            "versions": [{
                "version": "v1alpha1",
                "freshness": "Current",
                "resources": [{
                    "resource": "harbors",
                    "singularResource": "harbor",
                    "responseKind": own,
                    "scope": "Namespaced",
                    "shortNames": ["h"],
                    "categories": ["harbor"],
                    "verbs": [
                        "delete", "deletecollection", "get", "list", "patch", "create", "update", "watch",
                    ],
                    "subresources": [
                        {"subresource": "status", "responseKind": own, "verbs": ["get", "patch", "update"]},
                    ],
                }],
            }],
        })
    );
}

#[test]
fn a_custom_kind_lists_its_status_before_its_scale() {
    let scale = Scale {
        spec_replicas: ".spec.replicas".into(),
        status_replicas: ".status.replicas".into(),
        label_selector: None,
    };
    let scaled =
        Resource { subresources: Subresources { status: true, scale: Some(scale), extra: &[] }, ..harbor() };
    let documents = Documents::new(&[Arc::new(scaled)], definitions());
    let list: Value =
        serde_json::from_slice(&get(&documents, "/apis/goharbor.example/v1alpha1", "").body).unwrap();
    let names: Vec<&str> =
        list["resources"].as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["harbors", "harbors/status", "harbors/scale"]);
}

#[test]
fn health_is_plain_text() {
    let documents = documents();
    let body = |path, query| respond(&documents, path, query, "").map(|document| document.body);
    assert_eq!(body("/healthz", None).unwrap(), "ok");
    assert_eq!(body("/readyz/ping", None).unwrap(), "ok");
    assert_eq!(
        body("/livez", Some("verbose")).unwrap(),
        "[+]ping ok\n[+]log ok\n[+]etcd ok\nlivez check passed\n"
    );
    assert_eq!(body("/healthz/nothing", None), None);
}

#[test]
fn other_paths_have_no_document() {
    let documents = documents();
    for path in
        ["/apis/nope", "/apis/apps/v9", "/api/v1/pods", "/apis/apps/v1/deployments", "/openapi/v4", "x"]
    {
        assert_eq!(respond(&documents, path, None, ""), None, "{path}");
    }
}

#[test]
fn every_patch_says_that_it_takes_field_validation_and_dry_run() {
    let document = json("/openapi/v3/apis/goharbor.example/v1alpha1");
    let patches: Vec<&Value> =
        document["paths"].as_object().unwrap().values().filter_map(|path| path.get("patch")).collect();
    assert_eq!(patches.len(), 2);
    for patch in patches {
        let names: Vec<&Value> =
            patch["parameters"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(names, ["dryRun", "fieldManager", "fieldValidation", "force"]);
        assert_eq!(
            patch["x-kubernetes-group-version-kind"],
            json!({"group": "goharbor.example", "version": "v1alpha1", "kind": "Harbor"})
        );
    }
}

#[test]
fn every_reference_has_a_definition() {
    let documents = documents();
    for (path, prefix, place) in [
        ("/openapi/v2", "#/definitions/", "/definitions"),
        ("/openapi/v3/api/v1", "#/components/schemas/", "/components/schemas"),
        ("/openapi/v3/apis/apps/v1", "#/components/schemas/", "/components/schemas"),
    ] {
        let body = get(&documents, path, "application/json").body;
        let document: Value = serde_json::from_slice(&body).unwrap();
        let known = document.pointer(place).unwrap();
        let text = String::from_utf8(body.to_vec()).unwrap();
        let references: Vec<&str> =
            text.split("\"$ref\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(!references.is_empty());
        for reference in references {
            let name = reference.strip_prefix(prefix).unwrap();
            assert!(known.get(name).is_some(), "{path}: {reference}");
        }
    }
}

#[test]
fn metadata_is_never_called_required() {
    let document = json("/openapi/v3/apis/apps/v1");
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        assert!(!required.contains(&json!("metadata")), "{name}");
    }
}

#[test]
fn version_two_omits_what_kubectl_cannot_read() {
    let document = json("/openapi/v2");
    let spec = &document["definitions"]["example.goharbor.v1alpha1.Harbor"]["properties"]["spec"];
    assert_eq!(
        *spec,
        json!({
            "type": "object",
            "description": "What is wanted.",
            "required": ["version"],
            "properties": {
                "version": {"type": "string", "description": "The version of Harbor.", "minLength": 1},
                "replicas": {"type": "integer", "format": "int32", "minimum": 0},
                "port": {"x-kubernetes-int-or-string": true},
                "settings": {"x-kubernetes-preserve-unknown-fields": true},
                "proxy": {},
                "hosts": {
                    "type": "array",
                    "items": {"type": "object", "properties": {"name": {"type": "string"}}},
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                },
            },
        })
    );
}

#[test]
fn version_two_keeps_how_a_field_merges_beside_its_reference() {
    let strategy = json("/openapi/v2")
        .pointer("/definitions/io.k8s.api.apps.v1.DeploymentSpec/properties/strategy")
        .cloned()
        .unwrap();
    assert_eq!(strategy["$ref"], "#/definitions/io.k8s.api.apps.v1.DeploymentStrategy");
    assert_eq!(strategy["x-kubernetes-patch-strategy"], "retainKeys");
}

#[test]
fn objects_within_objects_have_a_type_and_metadata() {
    let mut schema = harbor_schema();
    schema["properties"]["spec"]["properties"] = json!({
        "template": {
            "type": "object",
            "x-kubernetes-embedded-resource": true,
            "properties": {"spec": {"type": "object"}},
        },
    });
    let embedding = harbor_with(schema);
    let documents = Documents::new(&[Arc::new(embedding)], definitions());
    let body = get(&documents, "/openapi/v3/apis/goharbor.example/v1alpha1", "").body;
    let document: Value = serde_json::from_slice(&body).unwrap();
    let template = document
        .pointer("/components/schemas/example.goharbor.v1alpha1.Harbor/properties/spec/properties/template")
        .unwrap();
    assert_eq!(template["required"], json!(["kind", "apiVersion"]));
    let names: Vec<&String> = template["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["apiVersion", "kind", "metadata", "spec"]);
}

#[test]
fn a_changed_custom_kind_gets_another_hash_and_the_others_keep_theirs() {
    let before = documents();
    let place = |documents: &Documents, place: &str| -> Value {
        let index: Value = serde_json::from_slice(&get(documents, "/openapi/v3", "").body).unwrap();
        index["paths"][place]["serverRelativeURL"].clone()
    };
    let apps = get(&before, "/openapi/v3/apis/apps/v1", "");
    let mut kinds = resources();
    kinds.pop();
    let mut schema = harbor_schema();
    schema["properties"]["spec"]["properties"]["added"] = json!({"type": "string"});
    kinds.push(Arc::new(harbor_with(schema)));
    let after = before.renewed(&kinds);
    assert_eq!(place(&before, "apis/apps/v1"), place(&after, "apis/apps/v1"));
    assert_ne!(
        place(&before, "apis/goharbor.example/v1alpha1"),
        place(&after, "apis/goharbor.example/v1alpha1")
    );
    assert_eq!(get(&after, "/openapi/v3/apis/apps/v1", ""), apps);
}
