//! Built-in kinds: their definitions, and how objects are decoded.

use crate::schema::{
    ListKey, Merge, PatchStrategy, Schema, Type, decode, definitions, duplicates, strict_failure,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

fn schema(kind: &str) -> Arc<Schema> {
    Schema::builtin(&format!("io.k8s.api.{kind}"))
}

fn at<'a>(schema: &'a Schema, path: &[&str]) -> &'a Schema {
    path.iter().fold(schema, |schema, step| match *step {
        "[]" => schema.items.as_ref().unwrap(),
        name => schema.field(name).unwrap_or_else(|| panic!("no {name} in {path:?}")),
    })
}

/// The comparable part of a definition: without descriptions, and only fields that both sides have.
fn comparable(definition: &Value, other: &Value) -> Value {
    match definition {
        Value::Object(map) => {
            let kept = map.iter().filter(|(name, _)| {
                !matches!(
                    name.as_str(),
                    "description" | "default" | "x-kubernetes-unions" | "enum" | "required"
                )
            });
            kept.filter_map(|(name, value)| match (name.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    let shared =
                        properties.iter().filter(|(field, _)| other["properties"].get(field).is_some());
                    let shared =
                        shared.map(|(field, value)| (field.clone(), comparable(value, &Value::Null)));
                    Some((name.clone(), Value::Object(shared.collect())))
                }
                ("x-kubernetes-group-version-kind", _)
                    if value.as_array().is_some_and(|all| all.len() > 1) =>
                {
                    None
                }
                ("x-kubernetes-group-version-kind", _)
                    if other[name].as_array().is_some_and(|all| all.len() > 1) =>
                {
                    None
                }
                ("allOf", Value::Array(all)) if all.len() == 1 => {
                    Some(("$ref".into(), all[0]["$ref"].clone()))
                }
                _ => Some((name.clone(), comparable(value, &Value::Null))),
            })
            .collect()
        }
        Value::Array(all) => all.iter().map(|value| comparable(value, &Value::Null)).collect(),
        scalar => scalar.clone(),
    }
}

#[test]
fn definitions_are_those_that_kubernetes_publishes() {
    let folder = Path::new("/opt/kubernetes-src/api/openapi-spec/v3");
    if !folder.exists() {
        println!("skipped: no source of Kubernetes");
        return;
    }
    let mut published = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let document: Value = serde_json::from_str(&text).unwrap();
        if let Some(schemas) = document["components"]["schemas"].as_object() {
            published.extend(schemas.clone());
        }
    }
    let mut compared = 0;
    for (name, ours) in definitions() {
        let Some(theirs) = published.get(name) else { continue };
        assert_eq!(comparable(ours, theirs), comparable(theirs, ours), "{name}");
        compared += 1;
    }
    assert!(compared > 400, "only {compared} definitions were compared");
}

#[test]
fn lists_know_how_they_merge() {
    let deployment = schema("apps.v1.Deployment");
    let pod = at(&deployment, &["spec", "template", "spec"]);
    let key = |name: &str, default: Option<Value>| ListKey { name: name.into(), default };
    assert_eq!(at(pod, &["containers"]).merge, Merge::Map(vec![key("name", Some(json!("")))]));
    assert_eq!(
        at(pod, &["containers", "[]", "ports"]).merge,
        Merge::Map(vec![key("containerPort", Some(json!(0))), key("protocol", Some(json!("TCP")))])
    );
    assert_eq!(at(&deployment, &["metadata", "finalizers"]).merge, Merge::Set);
    assert_eq!(at(&deployment, &["spec", "selector"]).merge, Merge::Atomic);
    assert_eq!(at(pod, &["nodeSelector"]).merge, Merge::Atomic);
    assert_eq!(at(pod, &["tolerations"]).merge, Merge::Plain);
    assert_eq!(at(pod, &["containers", "[]", "resources", "limits"]).kind, Some(Type::Object));
}

#[test]
fn patches_know_their_strategies() {
    let deployment = schema("apps.v1.Deployment");
    let strategy = |merge, retain_keys, merge_key: Option<&str>| {
        Some(PatchStrategy { merge, retain_keys, merge_key: merge_key.map(str::to_owned) })
    };
    assert_eq!(at(&deployment, &["spec", "strategy"]).patch, strategy(false, true, None));
    let pod = at(&deployment, &["spec", "template", "spec"]);
    assert_eq!(at(pod, &["volumes"]).patch, strategy(true, true, Some("name")));
    assert_eq!(at(pod, &["containers"]).patch, strategy(true, false, Some("name")));
    assert_eq!(at(&deployment, &["metadata", "finalizers"]).patch, strategy(true, false, None));
    assert_eq!(at(pod, &["tolerations"]).patch, None);
}

#[test]
fn an_unknown_definition_keeps_everything() {
    assert!(Schema::builtin("not.defined").preserves_unknown);
}

#[test]
fn reading_drops_nulls_and_unknown_fields_and_names_the_latter() {
    let mut object = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "foo": 1,
        "metadata": {"name": "a", "creationTimestamp": null, "labels": {"a": null}},
        "spec": {"replicas": null, "template": {"spec": {"containers": [{"name": "a", "imag": "b"}, null]}}},
    });
    let unknown = decode(&schema("apps.v1.Deployment"), &mut object).unwrap();
    assert_eq!(
        unknown,
        [r#"unknown field "foo""#, r#"unknown field "spec.template.spec.containers[0].imag""#]
    );
    assert_eq!(
        object,
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": "a", "labels": {"a": ""}},
            "spec": {"template": {"spec": {"containers": [{"name": "a"}, {}]}}},
        })
    );
}

#[test]
fn reading_goes_on_where_a_definition_contains_itself() {
    let mut object = json!({"spec": {"versions": [{"schema": {"openAPIV3Schema": {"properties": {"a": {"properties": {
        "b": {"type": "object", "typo": 1, "default": {"any": "thing"}},
    }}}}}}]}});
    let schema =
        Schema::builtin("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition");
    assert_eq!(
        decode(&schema, &mut object).unwrap(),
        [r#"unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.properties.b.typo""#]
    );
}

fn refusal(kind: &str, object: Value) -> String {
    decode(&schema(kind), &mut object.clone()).unwrap_err().message
}

#[test]
fn values_of_the_wrong_type_are_refused_with_the_messages_of_go() {
    let deployment = |spec: Value| {
        refusal("apps.v1.Deployment", json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}))
    };
    let prefix = r#"Deployment in version "v1" cannot be handled as a Deployment: "#;
    let pod = |pod: Value| deployment(json!({"template": {"spec": pod}}));
    assert_eq!(
        deployment(json!({"replicas": "3"})),
        format!(
            "{prefix}json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32"
        )
    );
    assert_eq!(
        deployment(json!({"replicas": 4_294_967_296_i64})),
        format!(
            "{prefix}json: cannot unmarshal number 4294967296 into Go struct field DeploymentSpec.spec.replicas of type int32"
        )
    );
    assert_eq!(
        pod(json!({"containers": [{"name": 1}]})),
        format!(
            "{prefix}json: cannot unmarshal number into Go struct field Container.spec.template.spec.containers.name of type string"
        )
    );
    assert_eq!(
        pod(json!({"containers": {}})),
        format!(
            "{prefix}json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container"
        )
    );
    assert_eq!(
        deployment(json!({"strategy": {"rollingUpdate": {"maxSurge": true}}})),
        format!("{prefix}json: cannot unmarshal bool into Go value of type int32")
    );
    assert_eq!(
        pod(json!({"containers": [{"resources": {"limits": {"cpu": "lots"}}}]})),
        format!(
            "{prefix}quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        )
    );
    assert_eq!(
        refusal("core.v1.Secret", json!({"kind": "Secret", "apiVersion": "v1", "data": {"a": "a"}})),
        r#"Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0"#
    );
    assert_eq!(
        refusal("core.v1.ConfigMap", json!({"kind": "ConfigMap", "apiVersion": "v1", "data": {"a": 1}})),
        r#"ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go struct field ConfigMap.data of type string"#
    );
}

#[test]
fn duplicate_keys_are_found_once_each() {
    let body =
        br#"{"a": 1, "spec": {"x": 1, "x": 2, "x": 3, "list": [{"y": 1, "y": {"z": null}}]}, "a": 2.5}"#;
    assert_eq!(
        duplicates(body),
        [r#"duplicate field "spec.x""#, r#"duplicate field "spec.list[0].y""#, r#"duplicate field "a""#]
    );
    assert_eq!(duplicates(br#"{"a": 1, "a"#), Vec::<String>::new());
    assert_eq!(duplicates("[".repeat(100_000).as_bytes()), Vec::<String>::new());
}

#[test]
fn strict_decoding_fails_with_everything_that_was_found() {
    let problems = [r#"unknown field "spec.foo""#.to_owned(), r#"duplicate field "spec.bar""#.to_owned()];
    assert_eq!(
        strict_failure("Deployment", "v1", &problems).message,
        r#"Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo", duplicate field "spec.bar""#
    );
}
