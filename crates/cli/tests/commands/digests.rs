//! An attacker who may read Deployments and ConfigMaps, but no Secrets, and has a list of words.

use crate::run::Folder;
use api::names::INPUTS_ANNOTATION;
use k8s_openapi::{
    ByteString,
    api::{apps::v1::Deployment, core::v1::PodTemplateSpec},
};
use plan::{Content, DigestKey, ObjectKey, References};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

const WORDS: [&str; 5] =
    ["123456", "example-only-redis", "letmein", "example-only-postgres", "example-only-Harbor12345"];
const REDIS: &str = "example-only-redis";
const POSTGRES: &str = "example-only-postgres";

/// Objects of a namespace, by kind and name.
type Objects = BTreeMap<(String, String), Value>;

/// What the operator made of a Harbor with an exporter and Trivy, in a sandbox.
fn made() -> Objects {
    let folder = Folder::empty();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let example = |file: &str| fs::read_to_string(examples.join(file)).unwrap();
    for file in ["namespace.yaml", "harbor-inputs.yaml"] {
        folder.file(file, &example(file));
    }
    folder.file("harbor.yaml", &(example("harbor.yaml") + "  trivy:\n    storage: {}\n  exporter: {}\n"));
    let ran = folder.run(
        "sandbox --apply namespace.yaml harbor-inputs.yaml harbor.yaml --wait --delay 0s --state state.json",
    );
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut objects = Objects::new();
    for line in folder.read("state.json").lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        for object in
            line.as_object().unwrap().values().filter(|it| it["metadata"]["namespace"] == "registry")
        {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            objects.insert((text(&object["kind"]), text(&object["metadata"]["name"])), object.clone());
        }
    }
    objects
}

/// The objects with these passwords instead of the real ones, wherever those occur in Secrets.
fn guessed(objects: &Objects, redis: &str, postgres: &str) -> Objects {
    let guess = |value: &mut Value| {
        let bytes: ByteString = serde_json::from_value(value.clone()).unwrap();
        if let Ok(text) = String::from_utf8(bytes.0) {
            // One after the other, a guess of the first could be taken for the second.
            let text = text.replace(REDIS, "\0").replace(POSTGRES, postgres).replace('\0', redis);
            *value = json!(ByteString(text.into_bytes()));
        }
    };
    let mut objects = objects.clone();
    for (_, secret) in objects.iter_mut().filter(|((kind, _), _)| kind == "Secret") {
        secret["data"].as_object_mut().into_iter().flat_map(|data| data.values_mut()).for_each(guess);
    }
    objects
}

/// What a template uses: kind and name of an object, and a key of it, or none for all there are.
type Used = (&'static str, String, Option<String>);

/// Everything of Secrets and ConfigMaps that a template uses.
fn used(template: &Value) -> Vec<Used> {
    let of = |kind: &'static str, it: &Value| -> Vec<Used> {
        let name = it.get("secretName").unwrap_or(&it["name"]).as_str().unwrap().to_owned();
        let key = |item: &Value| Some(item["key"].as_str().unwrap().to_owned());
        match it["items"].as_array() {
            Some(items) => items.iter().map(|item| (kind, name.clone(), key(item))).collect(),
            None => vec![(kind, name, it.get("key").and_then(|_| key(it)))],
        }
    };
    match template {
        Value::Object(fields) => {
            let each = |(field, value): (&String, &Value)| match field.as_str() {
                "secretKeyRef" | "secretRef" | "secret" => of("Secret", value),
                "configMapKeyRef" | "configMapRef" | "configMap" => of("ConfigMap", value),
                _ => used(value),
            };
            fields.iter().flat_map(each).collect()
        }
        Value::Array(items) => items.iter().flat_map(used).collect(),
        _ => Vec::new(),
    }
}

/// The beginning of a SHA-256.
fn sha256(bytes: &[u8]) -> String {
    let bytes: Vec<_> = Sha256::digest(bytes)[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.concat()
}

/// The digest of a workload's inputs as operators have made it that had no key.
fn without_key(workload: &Value, objects: &Objects) -> String {
    let mut entries = BTreeSet::new();
    for (kind, name, key) in used(&workload["spec"]["template"]["spec"]) {
        let object = &objects[&(kind.to_owned(), name.clone())];
        let data = object["data"].as_object().unwrap();
        let keys = key.map_or_else(|| data.keys().cloned().collect(), |key| vec![key]);
        let digest = |key: &String| data.get(key).map(|value| sha256(value.as_str().unwrap().as_bytes()));
        entries.extend(keys.iter().map(|key| (kind, name.clone(), key.clone(), digest(key))));
    }
    sha256(&serde_json::to_vec(&entries).unwrap())
}

/// The digest with a key that is public in the source.
fn with_published_key(workload: &Value, objects: &Objects) -> String {
    let template: PodTemplateSpec = serde_json::from_value(workload["spec"]["template"].clone()).unwrap();
    let references = References::of("registry", &template);
    let content = |key: &ObjectKey| objects.get(&(key.kind.clone(), key.name.clone())).map(Content::of);
    let contents = references.keys().map(|key| (key.clone(), content(key))).collect();
    let key = ObjectKey::of::<Deployment>("registry", workload["metadata"]["name"].as_str().unwrap());
    references.digest(&DigestKey::PLACEHOLDER, &key, &contents).unwrap().to_string()
}

#[test]
fn no_word_of_a_list_can_be_confirmed_with_what_deployments_and_config_maps_tell() {
    let objects = made();
    let mut tried = BTreeSet::new();
    for redis in WORDS {
        for postgres in WORDS {
            let guess = guessed(&objects, redis, postgres);
            for name in ["acme-harbor-exporter", "acme-harbor-trivy", "acme-harbor-core"] {
                let deployment = &objects[&("Deployment".to_owned(), name.to_owned())];
                let shown = &deployment["spec"]["template"]["metadata"]["annotations"][INPUTS_ANNOTATION];
                let guesses = [without_key(deployment, &guess), with_published_key(deployment, &guess)];
                assert!(
                    !guesses.contains(&shown.as_str().unwrap().to_owned()),
                    "{name}: {redis}, {postgres}"
                );
                tried.extend(guesses);
            }
        }
    }
    // Two kinds of digest; Trivy uses one of the passwords, the exporter and Core both.
    let (one, both) = (WORDS.len(), WORDS.len() * WORDS.len());
    assert_eq!(tried.len(), 2 * (one + both + both), "every guess is another digest");
}

/// All that a user without permission to read Secrets can read of the passwords of a namespace.
#[test]
fn no_other_object_holds_a_hash_of_a_value_of_a_secret() {
    let objects = made();
    let mut hashes = BTreeSet::new();
    for ((_, name), secret) in objects.iter().filter(|((kind, _), _)| kind == "Secret") {
        for (key, value) in secret["data"].as_object().into_iter().flatten() {
            let bytes: ByteString = serde_json::from_value(value.clone()).unwrap();
            for content in [bytes.0.as_slice(), value.as_str().unwrap().as_bytes()] {
                hashes.insert((sha256(content), format!("{name}, {key}")));
            }
        }
    }
    assert!(hashes.len() > 20);
    for ((kind, name), object) in objects.iter().filter(|((kind, _), _)| kind != "Secret") {
        let text = object.to_string();
        let found = hashes.iter().find(|(hash, _)| text.contains(hash));
        assert_eq!(found, None, "{kind} {name}");
    }
}
