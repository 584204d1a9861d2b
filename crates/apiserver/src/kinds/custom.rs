//! STUB until C delivers.
use super::resource::{Column, Origin, Resource, Scale, Subresources, Verb};
use crate::schema::CustomSchema;
use serde_json::{Value, json};
use std::sync::Arc;

const VERBS: &[Verb] = &[Verb::Delete, Verb::DeleteCollection, Verb::Get, Verb::List, Verb::Patch, Verb::Create, Verb::Update, Verb::Watch];

pub(crate) fn resources(crd: &Value) -> Vec<Resource> {
    let spec = &crd["spec"];
    let s = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    let list = |v: &Value| v.as_array().into_iter().flatten().map(s).collect::<Vec<_>>();
    let names = &spec["names"];
    let storage = spec["versions"].as_array().into_iter().flatten().find(|v| v["storage"] == true).map(|v| s(&v["name"])).unwrap_or_default();
    spec["versions"].as_array().into_iter().flatten().filter(|v| v["served"] == true).map(|v| {
        let structural = CustomSchema::parse(&v["schema"]["openAPIV3Schema"]).ok().map(Arc::new);
        Resource {
            group: s(&spec["group"]), version: s(&v["name"]), kind: s(&names["kind"]),
            list_kind: names["listKind"].as_str().map_or_else(|| s(&names["kind"]) + "List", str::to_owned),
            plural: s(&names["plural"]), singular: names["singular"].as_str().map_or_else(|| s(&names["kind"]).to_lowercase(), str::to_owned),
            short_names: list(&names["shortNames"]), categories: list(&names["categories"]),
            namespaced: spec["scope"] == "Namespaced", verbs: VERBS,
            subresources: Subresources { status: !v["subresources"]["status"].is_null(), scale: v["subresources"]["scale"].is_object().then(|| Scale {
                spec_replicas: s(&v["subresources"]["scale"]["specReplicasPath"]), status_replicas: s(&v["subresources"]["scale"]["statusReplicasPath"]), label_selector: v["subresources"]["scale"]["labelSelectorPath"].as_str().map(str::to_owned) }), extra: &[] },
            counts_generations: true, unconditional_update: false, definition: String::new(),
            storage_group: s(&spec["group"]), storage_version: storage.clone(), storage_plural: s(&names["plural"]),
            schema: structural.as_ref().map(|c| c.schema.clone()).unwrap_or_default(),
            custom: Some(Arc::new(v["schema"]["openAPIV3Schema"].clone())), structural,
            selectable_fields: vec![],
            columns: v["additionalPrinterColumns"].as_array().into_iter().flatten().map(|c| Column { name: s(&c["name"]), kind: s(&c["type"]), format: s(&c["format"]), description: s(&c["description"]), priority: c["priority"].as_i64().unwrap_or(0), json_path: Some(s(&c["jsonPath"])) }).collect(),
            origin: Origin::Custom,
        }
    }).collect()
}

pub(crate) fn accepted_status(crd: &Value, now: &str) -> Value {
    if crd["status"]["conditions"].is_array() { return crd["status"].clone(); }
    json!({"acceptedNames": crd["spec"]["names"], "storedVersions": ["v1"], "conditions": [
        {"type": "NamesAccepted", "status": "True", "reason": "NoConflicts", "message": "no conflicts found", "lastTransitionTime": now},
        {"type": "Established", "status": "True", "reason": "InitialNamesAccepted", "message": "the initial names have been accepted", "lastTransitionTime": now}]})
}
