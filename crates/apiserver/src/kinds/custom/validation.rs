//! Validation of CustomResourceDefinitions.

use super::status::is_protected;
use crate::{
    failure::{Cause, Fault},
    kinds::{
        rules::names,
        value::{has, items, text},
    },
    schema::CustomSchema,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The problems of a new or changed definition, without those of its metadata.
pub(crate) fn validate_crd(crd: &Value) -> Vec<Cause> {
    let mut causes = Vec::new();
    let spec = &crd["spec"];
    let name = text(&crd["metadata"], "name");
    if name != format!("{}.{}", text(&spec["names"], "plural"), text(spec, "group")) {
        let message = "must be spec.names.plural+\".\"+spec.group";
        causes.push(Cause::invalid("metadata.name", &json!(name), message));
    }
    group_and_scope(spec, &mut causes);
    versions(spec, &mut causes);
    names(&spec["names"], &mut causes);
    conversion(&spec["conversion"], &mut causes);
    stored_versions(crd, &mut causes);
    approval(crd, &mut causes);
    if spec["preserveUnknownFields"] == json!(true) {
        let message =
            "cannot set to true, set x-preserve-unknown-fields to true in spec.versions[*].schema instead";
        causes.push(Cause::invalid("spec.preserveUnknownFields", &json!(true), message));
    }
    causes
}

/// The problems of a change to a definition.
pub(crate) fn validate_crd_update(old: &Value, new: &Value) -> Vec<Cause> {
    let (before, after) = (&old["spec"], &new["spec"]);
    let established = items(&old["status"], "conditions")
        .iter()
        .any(|condition| text(condition, "type") == "Established" && text(condition, "status") == "True");
    let fields = [
        ("spec.scope", "/scope", established),
        ("spec.names.kind", "/names/kind", established),
        ("spec.group", "/group", true),
        ("spec.names.plural", "/names/plural", true),
    ];
    fields
        .into_iter()
        .filter(|(_, pointer, fixed)| *fixed && before.pointer(pointer) != after.pointer(pointer))
        .map(|(field, pointer, _)| {
            Cause::invalid(field, after.pointer(pointer).unwrap_or(&json!("")), "field is immutable")
        })
        .collect()
}

fn group_and_scope(spec: &Value, causes: &mut Vec<Cause>) {
    let group = text(spec, "group");
    if group.is_empty() {
        causes.push(Cause::required("spec.group", ""));
    } else if let wrong @ [_, ..] = names::dns_subdomain(group).as_slice() {
        causes.push(Cause::invalid("spec.group", &json!(group), wrong.join(",")));
    } else if !group.contains('.') {
        let message = "should be a domain with at least one dot";
        causes.push(Cause::invalid("spec.group", &json!(group), message));
    }
    match text(spec, "scope") {
        "" => causes.push(Cause::required("spec.scope", "")),
        "Cluster" | "Namespaced" => {}
        other => causes.push(Cause::not_supported("spec.scope", &json!(other), &["Cluster", "Namespaced"])),
    }
}

fn versions(spec: &Value, causes: &mut Vec<Cause>) {
    let versions = items(spec, "versions");
    let mut known = BTreeSet::new();
    let mut unique = true;
    for (index, version) in versions.iter().enumerate() {
        let schema = version["schema"].get("openAPIV3Schema").unwrap_or(&Value::Null);
        if schema.is_null() {
            causes.push(Cause::required(format!("spec.versions[{index}].schema.openAPIV3Schema"), ""));
        }
    }
    // Kubernetes stores and reports what all versions have in common once.
    let shared = |field: &str| versions.iter().all(|version| version.get(field) == versions[0].get(field));
    for (index, version) in versions.iter().enumerate() {
        let name = text(version, "name");
        unique &= known.insert(name);
        if let wrong @ [_, ..] = names::dns1035_label(name).as_slice() {
            let field = format!("spec.versions[{index}].name");
            causes.push(Cause::invalid(field, &json!(name), wrong.join(",")));
        }
        let path = |field: &str, top: &str| match (shared(field), index) {
            (true, 0) => Some(format!("spec.{top}")),
            (true, _) => None,
            (false, _) => Some(format!("spec.versions[{index}].{field}")),
        };
        if let (Some(path), Some(schema)) =
            (path("schema", "validation"), version["schema"].get("openAPIV3Schema"))
        {
            let place = format!("{path}.openAPIV3Schema");
            causes.extend(CustomSchema::parse_at(&place, schema).err().into_iter().flatten());
        }
        if let Some(path) = path("subresources", "subresources") {
            scale(&version["subresources"], &path, causes);
        }
        if let Some(path) = path("additionalPrinterColumns", "additionalPrinterColumns") {
            columns(version, &path, causes);
        }
    }
    let mut refuse = |message: &str| {
        let all: Vec<String> = versions.iter().map(|version| shown(version, shared)).collect();
        causes.push(Cause {
            fault: Fault::Invalid,
            field: "spec.versions".into(),
            message: format!("Invalid value: [{}]: {message}", all.join(",")),
        });
    };
    if !unique {
        refuse("must contain unique version names");
    }
    if versions.iter().filter(|version| version["storage"] == json!(true)).count() != 1 {
        refuse("must have exactly one version marked as storage version");
    }
}

/// A version in the internal form of Kubernetes, without what all versions have in common.
fn shown(version: &Value, shared: impl Fn(&str) -> bool) -> String {
    let own = |field: &str| version.get(field).filter(|_| !shared(field)).unwrap_or(&Value::Null);
    let fields = [
        ("Name", &version["name"]),
        ("Served", &version["served"]),
        ("Storage", &version["storage"]),
        ("Deprecated", version.get("deprecated").unwrap_or(&Value::Bool(false))),
        ("DeprecationWarning", &version["deprecationWarning"]),
        ("Schema", own("schema")),
        ("Subresources", own("subresources")),
        ("AdditionalPrinterColumns", own("additionalPrinterColumns")),
        ("SelectableFields", own("selectableFields")),
    ];
    let fields = fields.map(|(name, value)| format!("{}:{value}", json!(name)));
    format!("{{{}}}", fields.join(","))
}

fn scale(subresources: &Value, path: &str, causes: &mut Vec<Cause>) {
    if !has(subresources, "scale") {
        return;
    }
    let scale = &subresources["scale"];
    for (field, root) in [("specReplicasPath", "spec"), ("statusReplicasPath", "status")] {
        let path = format!("{path}.scale.{field}");
        match text(scale, field) {
            "" => causes.push(Cause::required(path, "")),
            given if !given.starts_with(&format!(".{root}.")) => {
                let message = format!("should be a json path under .{root}");
                causes.push(Cause::invalid(path, &json!(given), message));
            }
            _ => {}
        }
    }
    let selector = text(scale, "labelSelectorPath");
    if !selector.is_empty() && !selector.starts_with(".spec.") && !selector.starts_with(".status.") {
        let message = "should be a json path under either .spec or .status";
        causes.push(Cause::invalid(format!("{path}.scale.labelSelectorPath"), &json!(selector), message));
    }
}

fn columns(version: &Value, path: &str, causes: &mut Vec<Cause>) {
    const KINDS: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
    for (index, column) in items(version, "additionalPrinterColumns").iter().enumerate() {
        let path = format!("{path}[{index}]");
        if text(column, "name").is_empty() {
            causes.push(Cause::required(format!("{path}.name"), ""));
        }
        let message = format!("must be one of {}", KINDS.join(","));
        match text(column, "type") {
            "" => causes.push(Cause::required(format!("{path}.type"), &message)),
            kind if !KINDS.contains(&kind) => {
                causes.push(Cause::invalid(format!("{path}.type"), &json!(kind), message));
            }
            _ => {}
        }
        if text(column, "jsonPath").is_empty() {
            causes.push(Cause::required(format!("{path}.JSONPath"), ""));
        }
    }
}

fn names(given: &Value, causes: &mut Vec<Cause>) {
    for field in ["plural", "singular", "kind", "listKind"] {
        if text(given, field).is_empty() {
            causes.push(Cause::required(format!("spec.names.{field}"), ""));
        }
    }
    for field in ["plural", "singular", "kind", "listKind"] {
        let name = text(given, field);
        let mixed = field.to_lowercase().ends_with("kind");
        let wrong = names::dns1035_label(&if mixed { name.to_lowercase() } else { name.to_owned() });
        if name.is_empty() || wrong.is_empty() {
            continue;
        }
        let prefix = if mixed { "may have mixed case, but should otherwise match: " } else { "" };
        let message = format!("{prefix}{}", wrong.join(","));
        causes.push(Cause::invalid(format!("spec.names.{field}"), &json!(name), message));
    }
    let listed = |field: &str, causes: &mut Vec<Cause>| {
        for (index, name) in items(given, field).iter().enumerate() {
            if let wrong @ [_, ..] = names::dns1035_label(name.as_str().unwrap_or_default()).as_slice() {
                causes.push(Cause::invalid(format!("spec.names.{field}[{index}]"), name, wrong.join(",")));
            }
        }
    };
    listed("shortNames", causes);
    if !text(given, "kind").is_empty() && given["kind"] == given["listKind"] {
        let message = "kind and listKind may not be the same";
        causes.push(Cause::invalid("spec.names.listKind", &given["listKind"], message));
    }
    listed("categories", causes);
}

fn conversion(conversion: &Value, causes: &mut Vec<Cause>) {
    match text(conversion, "strategy") {
        "" if conversion.is_null() => {}
        "" => causes.push(Cause::required("spec.conversion.strategy", "")),
        "None" => {}
        "Webhook" if has(&conversion["webhook"], "clientConfig") => {}
        "Webhook" => {
            let message = "required when strategy is set to Webhook";
            causes.push(Cause::required("spec.conversion.webhookClientConfig", message));
        }
        other => {
            let words = ["None", "Webhook"];
            causes.push(Cause::not_supported("spec.conversion.strategy", &json!(other), &words));
        }
    }
}

fn stored_versions(crd: &Value, causes: &mut Vec<Cause>) {
    let stored = items(&crd["status"], "storedVersions");
    let field = "status.storedVersions";
    if stored.is_empty() {
        causes.push(Cause::invalid(field, &Value::Null, "must have at least one stored version"));
        return;
    }
    let versions = items(&crd["spec"], "versions");
    for version in versions.iter().filter(|version| version["storage"] == json!(true)) {
        if !stored.contains(&version["name"]) {
            let message = format!("must have the storage version {}", text(version, "name"));
            causes.push(Cause::invalid(field, &crd["status"]["storedVersions"], message));
        }
    }
    for (index, name) in stored.iter().enumerate() {
        if !versions.iter().any(|version| version["name"] == *name) {
            let word = name.as_str().unwrap_or_default();
            let message = format!(
                "missing from spec.versions; {word} was previously a storage version, and must remain in spec.versions \
                 until a storage migration ensures no data remains persisted in {word} and removes {word} from \
                 status.storedVersions"
            );
            causes.push(Cause::invalid(format!("{field}[{index}]"), name, message));
        }
    }
}

fn approval(crd: &Value, causes: &mut Vec<Cause>) {
    const ANNOTATION: &str = "api-approved.kubernetes.io";
    if is_protected(text(&crd["spec"], "group"))
        && text(&crd["metadata"]["annotations"], ANNOTATION).is_empty()
    {
        let message = format!(
            "protected groups must have approval annotation {ANNOTATION:?}, see \
             https://github.com/kubernetes/enhancements/pull/1111"
        );
        causes.push(Cause::required(format!("metadata.annotations[{ANNOTATION}]"), &message));
    }
}

#[cfg(test)]
mod tests {
    use super::validate_crd;
    use serde_json::{Value, json};

    fn messages(crd: Value) -> Vec<String> {
        validate_crd(&crd).iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect()
    }

    #[test]
    fn an_empty_definition_gets_the_errors_of_kubernetes() {
        assert_eq!(
            messages(json!({"metadata": {"name": "as.example.com"}, "spec": {}})),
            [
                r#"metadata.name: Invalid value: "as.example.com": must be spec.names.plural+"."+spec.group"#,
                "spec.group: Required value",
                "spec.scope: Required value",
                "spec.versions: Invalid value: []: must have exactly one version marked as storage version",
                "spec.names.plural: Required value",
                "spec.names.singular: Required value",
                "spec.names.kind: Required value",
                "spec.names.listKind: Required value",
                "status.storedVersions: Invalid value: null: must have at least one stored version",
            ]
        );
    }

    #[test]
    fn every_field_of_a_schema_has_a_type() {
        let schema = json!({"properties": {"spec": {"properties": {"a": {"items": {}}}}}});
        let crd = json!({
            "metadata": {"name": "as.example.com"},
            "spec": {
                "group": "example.com", "scope": "Namespaced",
                "names": {"plural": "as", "singular": "a", "kind": "A", "listKind": "AList"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
            "status": {"storedVersions": ["v1"]},
        });
        let root = "spec.validation.openAPIV3Schema";
        assert_eq!(
            messages(crd),
            [
                format!(
                    "{root}.properties[spec].properties[a].items.type: Required value: must not be empty for specified \
                     array items"
                ),
                format!(
                    "{root}.properties[spec].properties[a].type: Required value: must not be empty for specified object \
                     fields"
                ),
                format!(
                    "{root}.properties[spec].type: Required value: must not be empty for specified object fields"
                ),
                format!("{root}.type: Required value: must not be empty at the root"),
            ]
        );
    }
}
