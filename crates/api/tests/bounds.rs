//! Nothing in an object is unbounded, every pattern is about the whole value, and what names an object is a name.

#![allow(clippy::unwrap_used, clippy::panic)] // this is a test, helpers included

#[allow(dead_code, reason = "shared with other tests")]
mod schema;
mod shared;

use api::v1beta1::{
    harborserverconfiguration::{LONGEST_RULE, MOST_RULES},
    name::ObjectName,
};
use regex::Regex;
use schema::schema as schema_of;
use serde_json::Value;
use shared::{files, shared};
use std::collections::{BTreeMap, BTreeSet};

/// Ends of paths to objects of which Kubernetes knows the fields and the definitions do not, and why they are so. Each has
/// a largest number of fields; what is inside them is limited by the size of the object, which etcd limits to 1.5 MiB.
const OPEN: [(&str, &str); 8] = [
    (
        ".affinity",
        "4 KiB of schema in each of a dozen components; goes into pods as it is, nothing is read for it",
    ),
    (".topologySpreadConstraints[]", "goes into pods as it is, nothing is read for it"),
    (".initContainers[]", "6 KiB of schema in each of a dozen components; the lists in it are bounded"),
    (".initContainers[].env[]", "the list is bounded; the names in it are checked when they are planned"),
    (".initContainers[].envFrom[]", "the list is bounded; the names in it are checked when they are planned"),
    (".initContainers[].ports[]", "goes into pods as it is"),
    (".initContainers[].volumeDevices[]", "goes into pods as it is"),
    (".initContainers[].volumeMounts[]", "goes into pods as it is"),
];

/// Ends of paths to fields that are called as if they named an object of Kubernetes, and what they name.
const NO_OBJECTS: [(&str, &str); 23] = [
    (".projectName", "a project of Harbor, which has a pattern of its own"),
    (".registryName", "a registry endpoint of Harbor"),
    (".sourceRegistryName", "a registry endpoint of Harbor"),
    (".destinationRegistryName", "a registry endpoint of Harbor"),
    (".policyName", "a replication policy of Harbor"),
    (".scannerName", "a scanner registration of Harbor"),
    (".instanceName", "a preheat instance of Harbor, which has a pattern of its own"),
    (".groupName", "a group of users of Harbor"),
    (".fullName", "a robot account of Harbor, in a status"),
    (".storageProviderName", "a kind of storage"),
    (".controllerName", "a controller, in a status"),
    (".azureDisk.diskName", "a disk of Azure"),
    (".azureFile.shareName", "a share of Azure"),
    (".flocker.datasetName", "a dataset of Flocker"),
    (".gcePersistentDisk.pdName", "a disk of Google"),
    (".iscsi.initiatorName", "an initiator of iSCSI"),
    (".scaleIO.volumeName", "a volume of ScaleIO"),
    (".storageos.volumeName", "a volume of StorageOS"),
    (".vsphereVolume.storagePolicyName", "a policy of vSphere"),
    (".clusterTrustBundle.signerName", "a signer, with a slash"),
    (".ldapGroupAttributeName", "an attribute in LDAP"),
    (".oidcName", "what users see when they log in"),
    (".metadata.generateName", "the beginning of a name; no object is made from it"),
];

/// One node of a definition.
struct Node<'a> {
    path: String,
    schema: &'a Value,
}

fn definitions() -> Vec<Value> {
    api::crds::all().iter().map(|crd| serde_json::to_value(crd).unwrap()).collect()
}

/// Every node of a definition, by its path from the kind.
fn nodes(definition: &Value) -> Vec<Node<'_>> {
    fn walk<'a>(path: String, schema: &'a Value, found: &mut Vec<Node<'a>>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            walk(format!("{path}.{name}"), property, found);
        }
        for (key, suffix) in [("items", "[]"), ("additionalProperties", "{}")] {
            if schema[key].is_object() {
                walk(format!("{path}{suffix}"), &schema[key], found);
            }
        }
        found.push(Node { path, schema });
    }
    let mut found = Vec::new();
    let kind = definition["spec"]["names"]["kind"].as_str().unwrap();
    walk(kind.to_owned(), schema_of(definition), &mut found);
    found
}

fn is_open(schema: &Value) -> bool {
    schema["x-kubernetes-preserve-unknown-fields"] == true
}

fn is_text(schema: &Value) -> bool {
    schema["type"] == "string" && schema["enum"].is_null()
}

#[test]
fn nothing_is_unbounded() {
    let definitions = definitions();
    let unbounded: Vec<String> =
        definitions.iter().flat_map(nodes).filter(is_unbounded).map(|it| it.path).collect();

    assert!(unbounded.is_empty(), "{unbounded:#?}");
}

fn is_unbounded(node: &Node<'_>) -> bool {
    let schema = node.schema;
    let bound = match schema["type"].as_str() {
        None if schema["x-kubernetes-int-or-string"] == true => "maxLength",
        // A date is as long as dates are.
        Some("string") if schema["enum"].is_array() || schema["format"] == "date-time" => return false,
        Some("string") => "maxLength",
        Some("array") => "maxItems",
        Some("object") if schema["additionalProperties"].is_object() || is_open(schema) => "maxProperties",
        // Whatever else is in an object without fields is dropped.
        Some("object" | "integer" | "number" | "boolean") => return false,
        other => panic!("{} has type {other:?}", node.path),
    };
    !schema[bound].is_u64()
}

#[test]
fn rules_for_images_are_bounded_as_the_webhook_bounds_them() {
    let definition = serde_json::to_value(api::crds::of("HarborServerConfiguration").unwrap()).unwrap();
    let rules = &schema_of(&definition)["properties"]["spec"]["properties"]["rules"];
    assert_eq!(
        (rules["maxItems"].as_u64(), rules["items"]["maxLength"].as_u64()),
        (Some(MOST_RULES as u64), Some(LONGEST_RULE as u64))
    );
}

#[test]
fn what_is_open_is_listed_with_its_reason() {
    let mut listed = BTreeSet::new();
    for definition in definitions() {
        for Node { path, .. } in nodes(&definition).into_iter().filter(|node| is_open(node.schema)) {
            let (end, _) =
                OPEN.iter().find(|(end, _)| path.ends_with(end)).unwrap_or_else(|| panic!("{path} is open"));
            listed.insert(*end);
        }
    }
    assert_eq!(listed.len(), OPEN.len(), "something listed is not open any more");
}

#[test]
fn every_pattern_is_about_the_whole_value() {
    for definition in definitions() {
        for Node { path, schema } in nodes(&definition) {
            if let Some(pattern) = schema["pattern"].as_str() {
                assert!(is_anchored(pattern), "{path}: {pattern}");
            }
        }
    }
    for partial in ["a", "^a", "a$", "^a|b$", "^(a)|(b)$", r"^a\$"] {
        assert!(!is_anchored(partial), "{partial}");
    }
}

/// Whether a pattern holds for a whole value or not at all: anchored at both ends, and without an alternative that is not.
fn is_anchored(pattern: &str) -> bool {
    let Some(inner) = pattern.strip_prefix('^').and_then(|rest| rest.strip_suffix('$')) else { return false };
    let (mut depth, mut escaped, mut in_class) = (0, false, false);
    for c in inner.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            _ if in_class => {}
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if depth == 0 => return false,
            _ => {}
        }
    }
    !escaped
}

#[test]
fn what_names_an_object_can_only_be_a_name() {
    let mut exceptions = BTreeSet::new();
    let mut checked = 0;
    for definition in definitions() {
        for Node { path, schema } in nodes(&definition).into_iter().filter(|node| is_text(node.schema)) {
            if !seems_to_name(&path) {
                continue;
            }
            if let Some((end, _)) = NO_OBJECTS.iter().find(|(end, _)| path.ends_with(end)) {
                exceptions.insert(*end);
                continue;
            }
            checked += 1;
            let pattern = schema["pattern"].as_str().unwrap_or_else(|| panic!("{path} has no pattern"));
            let accepted = Regex::new(pattern).unwrap();
            for path_segment in ["../../victim/secrets/creds", "..", "a/b", "a%2fb", "a?b", "a#b", "a\n", "A"]
            {
                assert!(!accepted.is_match(path_segment), "{path} accepts {path_segment:?}");
            }
            assert!(accepted.is_match("a-name"), "{path} refuses a name");
        }
    }
    assert!(checked > 500, "checked only {checked} fields");
    assert_eq!(exceptions.len(), NO_OBJECTS.len(), "something listed is not a field any more");
}

/// Whether a field is called as fields are that name an object.
fn seems_to_name(path: &str) -> bool {
    let parents = [
        "Ref",
        "Refs[]",
        "Issuer",
        ".secret",
        ".configMap",
        ".imagePullSecrets[]",
        ".dataSource",
        ".metadata",
    ];
    let named = |field: &str| {
        path.strip_suffix(field).is_some_and(|parent| parents.iter().any(|end| parent.ends_with(end)))
    };
    ["Ref", "Refs[]", "Name", ".serviceAccount", ".harborServerConfig"].iter().any(|end| path.ends_with(end))
        || named(".name")
        || named(".namespace")
}

#[test]
fn keys_of_secrets_can_only_be_keys() {
    let mut checked = 0;
    for definition in definitions() {
        for Node { path, schema } in nodes(&definition) {
            let is_key = ["PasswordKey", ".passwordKey", "Ref.key", ".items[].key"]
                .iter()
                .any(|end| path.ends_with(end));
            if is_key {
                checked += 1;
                assert_eq!(schema["pattern"], "^[-._a-zA-Z0-9]+$", "{path}");
            }
        }
    }
    assert!(checked > 50, "checked only {checked} fields");
}

/// How many objects something can name: those it names itself, in each of its items.
fn names(schema: &Value, path: &str) -> u64 {
    let most = |bound: &str| schema[bound].as_u64().unwrap_or(1);
    if is_text(schema) {
        return u64::from(matches!(
            schema["pattern"].as_str(),
            Some(ObjectName::PATTERN | ObjectName::OPTIONAL_PATTERN)
        ));
    }
    let below = |key: &str, suffix: &str| match &schema[key] {
        Value::Object(_) => names(&schema[key], &format!("{path}{suffix}")),
        _ => 0,
    };
    let variable =
        [".initContainers[].env[]", ".initContainers[].envFrom[]"].iter().any(|end| path.ends_with(end));
    let fields = schema["properties"].as_object().into_iter().flatten();
    let fields: u64 = fields.map(|(name, property)| names(property, &format!("{path}.{name}"))).sum();
    u64::from(variable)
        + fields
        + below("items", "[]") * most("maxItems")
        + below("additionalProperties", "{}") * most("maxProperties")
}

#[test]
fn an_object_of_a_component_names_a_bounded_number_of_objects() {
    // Harbor and HarborCluster hand on what they name to objects of components, which read it.
    for definition in definitions() {
        let kind = definition["spec"]["names"]["kind"].as_str().unwrap();
        let most = names(&schema_of(&definition)["properties"]["spec"], "");
        println!("{most:>6} {kind}");
        assert!(most <= 2500 || matches!(kind, "Harbor" | "HarborCluster"), "{kind} can name {most} objects");
    }
}

/// What of an object goes beyond what its definition allows.
fn refused(value: &Value, schema: &Value, path: &str, problems: &mut Vec<String>) {
    let over = |bound: &str, count: usize| schema[bound].as_u64().is_some_and(|most| most < count as u64);
    match value {
        Value::String(text) => {
            let pattern = schema["pattern"].as_str().map(|pattern| Regex::new(pattern).unwrap());
            if over("maxLength", text.chars().count())
                || pattern.is_some_and(|pattern| !pattern.is_match(text))
            {
                problems.push(format!("{path}: {text}"));
            }
        }
        Value::Array(items) => {
            if over("maxItems", items.len()) {
                problems.push(format!("{path}: {} items", items.len()));
            }
            for item in items {
                refused(item, &schema["items"], &format!("{path}[]"), problems);
            }
        }
        Value::Object(fields) => {
            if over("maxProperties", fields.len()) {
                problems.push(format!("{path}: {} entries", fields.len()));
            }
            for (name, value) in fields {
                let below = [&schema["properties"][name], &schema["additionalProperties"]];
                let below = below.into_iter().find(|schema| schema.is_object()).unwrap_or(&Value::Null);
                refused(value, below, &format!("{path}.{name}"), problems);
            }
        }
        _ => {}
    }
}

#[test]
fn no_object_of_the_go_operator_is_refused() {
    let schemas: BTreeMap<String, Value> = definitions()
        .iter()
        .map(|definition| {
            (definition["spec"]["names"]["kind"].as_str().unwrap().to_owned(), schema_of(definition).clone())
        })
        .collect();
    let mut texts = vec![include_str!("stored/objects.yaml").to_owned()];
    for folder in ["upstream-samples", "upstream-objects"].into_iter().filter_map(shared) {
        texts.extend(files(&folder).into_iter().map(|(_, text)| text));
    }
    let documents = texts.iter().flat_map(|text| serde_saphyr::from_multiple::<Value>(text).unwrap());
    let objects = documents.flat_map(|document| match document["items"].as_array() {
        Some(items) => items.clone(),
        None => vec![document],
    });
    let mut problems = Vec::new();
    let mut checked = 0;
    for object in objects.filter(|object| object["apiVersion"] == "goharbor.io/v1beta1") {
        checked += 1;
        let kind = object["kind"].as_str().unwrap();
        for part in ["spec", "status"] {
            refused(
                &object[part],
                &schemas[kind]["properties"][part],
                &format!("{kind}.{part}"),
                &mut problems,
            );
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(checked >= 16, "checked only {checked} objects");
}
