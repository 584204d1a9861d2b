use super::*;
use k8s_openapi::api::apps::v1::Deployment;
use serde_json::json;

fn references(pod: serde_json::Value) -> References {
    let template: PodTemplateSpec = serde_json::from_value(json!({ "spec": pod })).unwrap();
    References::of("ns", &template)
}

fn contents(objects: &[(ObjectKey, serde_json::Value)]) -> ContentDigests {
    objects.iter().map(|(key, object)| (key.clone(), Some(Content::of(object)))).collect()
}

fn secret(name: &str) -> ObjectKey {
    ObjectKey::of::<Secret>("ns", name)
}

fn config(name: &str) -> ObjectKey {
    ObjectKey::of::<ConfigMap>("ns", name)
}

fn env(name: &str, key: &str) -> serde_json::Value {
    json!({"containers": [{"name": "c", "env": [
        {"name": "X", "valueFrom": {"secretKeyRef": {"name": name, "key": key}}}
    ]}]})
}

fn digest(references: &References, contents: &ContentDigests) -> Result<Digest, PlanError> {
    references.digest(&DigestKey::PLACEHOLDER, &workload("w"), contents)
}

fn workload(name: &str) -> ObjectKey {
    ObjectKey::of::<Deployment>("ns", name)
}

#[test]
fn every_reference_in_a_pod_template_is_found() {
    let found = references(json!({
        "volumes": [
            {"name": "a", "secret": {"secretName": "volume"}},
            {"name": "b", "configMap": {"name": "files", "items": [{"key": "x", "path": "x"}]}},
            {"name": "c", "projected": {"sources": [
                {"secret": {"name": "projected"}}, {"configMap": {"name": "projected"}}
            ]}},
        ],
        "initContainers": [{"name": "i", "envFrom": [{"secretRef": {"name": "init"}}]}],
        "containers": [{"name": "c",
            "envFrom": [{"configMapRef": {"name": "environment"}}],
            "env": [
                {"name": "A", "valueFrom": {"secretKeyRef": {"name": "env", "key": "k"}}},
                {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "env", "key": "k"}}},
            ]}],
    }));
    let expected = [
        config("env"),
        config("environment"),
        config("files"),
        config("projected"),
        secret("env"),
        secret("init"),
        secret("projected"),
        secret("volume"),
    ];
    assert_eq!(found.keys().cloned().collect::<Vec<_>>(), expected);
}

#[test]
fn relabelling_a_secret_changes_no_digest() {
    let references = references(env("s", "k"));
    let before =
        contents(&[(secret("s"), json!({"metadata": {"labels": {"a": "1"}}, "data": {"k": "eA=="}}))]);
    let after =
        contents(&[(secret("s"), json!({"metadata": {"labels": {"a": "2"}}, "data": {"k": "eA=="}}))]);
    assert_eq!(digest(&references, &before), digest(&references, &after));
}

#[test]
fn b01_a_new_value_of_a_used_key_changes_the_digest_and_that_of_an_unused_key_does_not() {
    let references = references(env("s", "k"));
    let digest = |used: &str, unused: &str| {
        let object = json!({"data": {"k": used, "other": unused}});
        digest(&references, &contents(&[(secret("s"), object)])).unwrap()
    };
    assert_ne!(digest("eA==", ""), digest("eQ==", ""));
    assert_eq!(digest("eA==", ""), digest("eA==", "eg=="));
}

#[test]
fn a_whole_volume_uses_every_key() {
    let references = references(json!({
        "containers": [], "volumes": [{"name": "a", "secret": {"secretName": "s"}}]
    }));
    let digest =
        |data: serde_json::Value| digest(&references, &contents(&[(secret("s"), json!({ "data": data }))]));
    assert_ne!(digest(json!({"a": "eA=="})).unwrap(), digest(json!({"a": "eA==", "b": "eA=="})).unwrap());
}

#[test]
fn a_missing_object_or_key_is_named() {
    let missing = digest(&references(env("s", "k")), &ContentDigests::new()).unwrap_err();
    assert_eq!(missing.to_string(), "Secret ns/s does not exist; create it");

    let keyless = digest(&references(env("s", "k")), &contents(&[(secret("s"), json!({}))])).unwrap_err();
    assert_eq!(keyless.to_string(), "Secret ns/s: has no key \"k\"; add the key \"k\" to it");
}

#[test]
fn an_optional_object_may_be_absent_and_its_creation_changes_the_digest() {
    let references = references(json!({"containers": [{"name": "c", "env": [
        {"name": "X", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": true}}}
    ]}]}));
    let absent = digest(&references, &ContentDigests::new()).unwrap();
    let present = digest(&references, &contents(&[(secret("s"), json!({"data": {"k": "eA=="}}))])).unwrap();
    assert_ne!(absent, present);
}

#[test]
fn an_equivalent_value_does_not_change_the_digest_and_any_later_value_does() {
    let references = references(env("s", "k"));
    let digest = |value: &str, annotations: serde_json::Value| {
        let object = json!({"metadata": {"annotations": annotations}, "data": {"k": value}});
        digest(&references, &contents(&[(secret("s"), object)])).unwrap()
    };
    let first = digest("one", json!({}));
    let (name, value) = equivalence::equivalence("k", Digest::of_bytes(b"one"), "two");
    let annotations = json!({ &name: value });
    assert_eq!(digest("two", annotations.clone()), first, "equivalent");
    assert_eq!(digest("three", annotations.clone()), digest("three", json!({})), "not equivalent");
    assert_ne!(digest("three", annotations), first);
    for nonsense in ["", "=", "two=one", "three"] {
        assert_eq!(digest("two", json!({ &name: nonsense })), digest("two", json!({})), "{nonsense}");
    }
}

#[test]
fn equal_inputs_have_different_digests_under_different_keys_and_for_different_workloads() {
    let references = references(env("s", "k"));
    let inputs = contents(&[(secret("s"), json!({"data": {"k": "eA=="}}))]);
    let other_namespace = ObjectKey::of::<Deployment>("other", "w");
    let cases = [
        (DigestKey::new([1; 32]), workload("w")),
        (DigestKey::new([2; 32]), workload("w")),
        (DigestKey::new([1; 32]), workload("v")),
        (DigestKey::new([1; 32]), other_namespace),
    ];
    let digests: BTreeSet<_> =
        cases.iter().map(|(key, workload)| references.digest(key, workload, &inputs).unwrap()).collect();
    assert_eq!(digests.len(), cases.len());
}

#[test]
fn a_counted_value_takes_the_place_of_the_one_that_is_stored_and_of_no_other() {
    let references = references(env("admin", "password"));
    // "first" and "second", as the API serves them.
    let stored = |password: &str| contents(&[(secret("admin"), json!({"data": {"password": password}}))]);
    let (first, second) = (stored("Zmlyc3Q="), stored("c2Vjb25k"));
    let of = |contents: ContentDigests| digest(&references, &contents).unwrap();
    assert_ne!(of(first.clone()), of(second.clone()));

    let counted = CountedValues::default().and(secret("admin"), "password", b"first");
    assert_eq!(of(counted.in_place(second.clone())), of(first));
    let others = CountedValues::default().and(secret("admin"), "other", b"first");
    assert_eq!(of(others.in_place(second.clone())), of(second));
    let absent = counted.in_place(ContentDigests::from([(secret("admin"), None)]));
    assert_eq!(digest(&references, &absent), Err(PlanError::Missing([secret("admin")].into())));
}
