//! Kinds that CustomResourceDefinitions add.

mod scale;
mod status;
mod validation;

pub(crate) use scale::wrong_scale;
pub(crate) use status::{accepted_status, is_established};
pub(crate) use validation::{validate_crd, validate_crd_update};

use super::{
    registry::priority,
    resource::{
        Column, Origin, Resource, Scale, Subresources,
        Verb::{self, Create, Delete, DeleteCollection, Get, List, Patch, Update, Watch},
    },
    value::{has, items, text},
};
use crate::{conversion::Conversion, schema::CustomSchema};
use serde_json::{Value, json};
use std::sync::Arc;

const VERBS: &[Verb] = &[Delete, DeleteCollection, Get, List, Patch, Create, Update, Watch];

const AGE: &str = "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed \
     to be set in happens-before order across separate operations. Clients may not set this value. It is represented \
     in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
     https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// The served versions of a valid and defaulted CustomResourceDefinition.
pub(crate) fn resources(crd: &Value) -> Vec<Resource> {
    let spec = &crd["spec"];
    let versions = items(spec, "versions");
    let storage = versions.iter().find(|version| version["storage"] == json!(true));
    let served = versions.iter().filter(|version| version["served"] == json!(true));
    let mut all: Vec<Resource> = served
        .map(|version| resource(spec, version, storage.map_or("", |version| text(version, "name"))))
        .collect();
    if all.iter().any(|one| one.version != one.storage_version) {
        let stored = storage.map(|version| Arc::new(CustomSchema::stored(&definition(version))));
        for one in all.iter_mut().filter(|one| one.version != one.storage_version) {
            one.stored.clone_from(&stored);
        }
    }
    all
}

fn definition(version: &Value) -> Value {
    version["schema"].get("openAPIV3Schema").cloned().unwrap_or_else(|| json!({}))
}

fn resource(spec: &Value, version: &Value, storage: &str) -> Resource {
    let names = &spec["names"];
    let group = text(spec, "group");
    let kind = text(names, "kind");
    let definition = definition(version);
    let structural = Arc::new(CustomSchema::stored(&definition));
    let reversed = group.rsplit('.').collect::<Vec<_>>().join(".");
    Resource {
        group: group.to_owned(),
        version: text(version, "name").to_owned(),
        kind: kind.to_owned(),
        list_kind: text(names, "listKind").to_owned(),
        plural: text(names, "plural").to_owned(),
        singular: text(names, "singular").to_owned(),
        short_names: words(names, "shortNames"),
        categories: words(names, "categories"),
        namespaced: text(spec, "scope") == "Namespaced",
        verbs: VERBS,
        subresources: subresources(&version["subresources"]),
        counts_generations: true,
        unconditional_update: false,
        definition: format!("{reversed}.{}.{kind}", text(version, "name")),
        storage_group: group.to_owned(),
        storage_version: storage.to_owned(),
        storage_plural: text(names, "plural").to_owned(),
        schema: Arc::clone(&structural.schema),
        structural: Some(structural),
        stored: None,
        conversion: Conversion::parse(&spec["conversion"]).map(Arc::new),
        custom: Some(Arc::new(definition)),
        selectable_fields: items(version, "selectableFields")
            .iter()
            .map(|field| text(field, "jsonPath").to_owned())
            .collect(),
        columns: columns(version),
        deprecation: deprecation(spec, version),
        origin: Origin::Custom,
    }
}

/// The warning about a deprecated version: that of the definition, or a newer version to use.
fn deprecation(spec: &Value, version: &Value) -> Option<String> {
    if version["deprecated"] != json!(true) {
        return None;
    }
    if let Some(warning) = version["deprecationWarning"].as_str() {
        return Some(warning.to_owned());
    }
    let (group, kind, old) = (text(spec, "group"), text(&spec["names"], "kind"), text(version, "name"));
    let newer = items(spec, "versions")
        .iter()
        .filter(|other| other["served"] == json!(true) && other["deprecated"] != json!(true))
        .map(|other| text(other, "name"))
        .filter(|name| priority(name) > priority(old))
        .max_by_key(|name| priority(name));
    let message = format!("{group}/{old} {kind} is deprecated");
    Some(newer.map_or_else(|| message.clone(), |newer| format!("{message}; use {group}/{newer} {kind}")))
}

fn subresources(given: &Value) -> Subresources {
    let scale = &given["scale"];
    Subresources {
        status: has(given, "status"),
        scale: has(given, "scale").then(|| Scale {
            spec_replicas: text(scale, "specReplicasPath").to_owned(),
            status_replicas: text(scale, "statusReplicasPath").to_owned(),
            label_selector: Some(text(scale, "labelSelectorPath").to_owned()).filter(|path| !path.is_empty()),
        }),
        extra: &[],
    }
}

fn columns(version: &Value) -> Vec<Column> {
    let given = items(version, "additionalPrinterColumns");
    if given.is_empty() {
        return vec![Column {
            name: "Age".into(),
            kind: "date".into(),
            format: String::new(),
            description: AGE.into(),
            priority: 0,
            json_path: Some(".metadata.creationTimestamp".into()),
        }];
    }
    let column = |column: &Value| Column {
        name: text(column, "name").to_owned(),
        kind: text(column, "type").to_owned(),
        format: text(column, "format").to_owned(),
        description: match text(column, "description") {
            "" => format!(
                "Custom resource definition column (in JSONPath format): {}",
                text(column, "jsonPath")
            ),
            description => description.to_owned(),
        },
        priority: column["priority"].as_i64().unwrap_or_default(),
        json_path: Some(text(column, "jsonPath").to_owned()),
    };
    given.iter().map(column).collect()
}

fn words(holder: &Value, field: &str) -> Vec<String> {
    items(holder, field).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::resources;
    use crate::kinds::Scale;
    use serde_json::json;

    #[test]
    fn only_served_versions_are_served_and_all_are_stored_as_one() {
        let version = |name: &str, served: bool, storage: bool| {
            json!({
                "name": name, "served": served, "storage": storage,
                "schema": {"openAPIV3Schema": {"type": "object"}},
                "subresources": {"status": {}, "scale": {
                    "specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas",
                }},
            })
        };
        let crd = json!({"spec": {
            "group": "stable.example.com", "scope": "Namespaced",
            "names": {"plural": "tests", "singular": "test", "kind": "Test", "listKind": "TestList", "shortNames": ["t"]},
            "versions": [version("v1alpha1", false, false), version("v1beta1", true, false), version("v1", true, true)],
        }});
        let served = resources(&crd);
        let versions: Vec<_> = served
            .iter()
            .map(|kind| (kind.version.as_str(), kind.storage_version.as_str(), kind.definition.as_str()))
            .collect();
        assert_eq!(
            versions,
            [
                ("v1beta1", "v1", "com.example.stable.v1beta1.Test"),
                ("v1", "v1", "com.example.stable.v1.Test")
            ]
        );
        assert_eq!(
            served[0].subresources.scale,
            Some(Scale {
                spec_replicas: ".spec.replicas".into(),
                status_replicas: ".status.replicas".into(),
                label_selector: None
            })
        );
        assert_eq!(served[0].columns[0].name, "Age");
    }
}
