//! The page of a kind: a table per object level.
//!
//! Objects that Kubernetes defines, which our definitions leave without a description, are named, without a
//! section; an object with the same schema as an earlier one is linked to that.

use super::words::{cell, code, constraints, default, element, rules, shape, simple_type, step};
use api::bounds;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion, JSONSchemaProps,
};
use std::fmt::Write as _;

/// The file that lists all kinds.
pub const INDEX: &str = "README.md";

const GENERATED: &str = "<!-- Written by hack/generate from the doc comments in crates/api; edit those. -->";

/// The file of a kind.
pub fn file(definition: &CustomResourceDefinition) -> String {
    format!("{}.md", definition.spec.names.kind.to_lowercase())
}

/// A list of all kinds.
pub fn index(definitions: &[CustomResourceDefinition]) -> String {
    let mut text = format!("# The kinds\n\n{GENERATED}\n\n");
    text += "Every field of every kind of `goharbor.io`. `kubectl explain harbor.spec` shows the same.\n";
    text += "Required fields are marked; a field without a default that is not required may be left out.\n";
    let _ = write!(
        text,
        "Unless a page says otherwise, a list has at most {} items, a map {} entries and a text {} characters.\n\n",
        bounds::ITEMS,
        bounds::ENTRIES,
        bounds::CHARACTERS
    );
    text += "| kind | description |\n|---|---|\n";
    for definition in definitions {
        let meaning = schema(definition).and_then(|schema| schema.description.as_deref());
        let link = format!("[{}]({})", definition.spec.names.kind, file(definition));
        row(&mut text, &[&link, meaning.unwrap_or_default()]);
    }
    text
}

/// The page of one kind.
pub fn page(definition: &CustomResourceDefinition) -> String {
    let names = &definition.spec.names;
    let mut text = format!("# {}\n\n{GENERATED}\n\n", names.kind);
    let Some(schema) = schema(definition) else { return text };
    if let Some(description) = &schema.description {
        let _ = write!(text, "{}\n\n", prose(description));
    }
    let versions: Vec<_> = definition.spec.versions.iter().map(|version| version.name.as_str()).collect();
    row(&mut text, &["", ""]);
    text += "|---|---|\n";
    row(&mut text, &["group, version", &code(&format!("{}/{}", definition.spec.group, versions.join(", ")))]);
    row(&mut text, &["scope", &definition.spec.scope]);
    let mut called = vec![names.plural.as_str()];
    called.extend(names.short_names.iter().flatten().map(String::as_str));
    called.extend(names.categories.iter().flatten().map(String::as_str));
    let called = called.iter().map(|name| code(&format!("kubectl get {name}"))).collect::<Vec<_>>();
    row(&mut text, &["listed by", &called.join(", ")]);
    row(&mut text, &["subresources", &subresources(definition).join(", ")]);
    list_of_rules(&mut text, schema);
    let mut page = Page { text, seen: Vec::new() };
    for part in ["spec", "status"] {
        if let Some(schema) = schema.properties.as_ref().and_then(|properties| properties.get(part)) {
            page.section(part, schema);
        }
    }
    page.text
}

/// A page under construction.
struct Page {
    text: String,
    /// The objects that have a section, and where.
    seen: Vec<(String, JSONSchemaProps)>,
}

impl Page {
    /// The section of an object, and after it those of the objects below.
    fn section(&mut self, path: &str, schema: &JSONSchemaProps) {
        self.seen.push((path.to_owned(), without_description(schema)));
        let _ = write!(self.text, "\n## {}\n", code(path));
        if let Some(description) = &schema.description {
            let _ = write!(self.text, "\n{}\n", prose(description));
        }
        list_of_rules(&mut self.text, schema);
        self.text += "\n| field | type | default | meaning |\n|---|---|---|---|\n";
        let required = |name: &String| schema.required.iter().flatten().any(|required| required == name);
        let mut below = Vec::new();
        for (name, field) in schema.properties.iter().flatten() {
            let place = format!("{path}.{name}{}", step(field));
            let object = element(field);
            let type_ = if !has_section(object) {
                simple_type(object).to_owned()
            } else if let Some(earlier) = self.earlier(object) {
                format!("[like {}](#{})", code(&earlier), anchor(&earlier))
            } else {
                self.seen.push((place.clone(), without_description(object)));
                below.push((place.clone(), object));
                format!("[object](#{})", anchor(&place))
            };
            let default = match default(field) {
                Some(default) => default,
                None if required(name) => "required".to_owned(),
                None => String::new(),
            };
            let mut meaning: Vec<_> = field.description.iter().cloned().collect();
            meaning.extend(constraints(field));
            row(&mut self.text, &[&code(name), &shape(field, &type_), &default, &meaning.join(" ")]);
        }
        for (place, object) in below {
            self.section(&place, object);
        }
    }

    fn earlier(&self, schema: &JSONSchemaProps) -> Option<String> {
        let schema = without_description(schema);
        self.seen.iter().find(|(_, seen)| *seen == schema).map(|(place, _)| place.clone())
    }
}

/// Whether an object has fields that we describe.
fn has_section(schema: &JSONSchemaProps) -> bool {
    schema.properties.iter().flatten().any(|(_, field)| field.description.is_some())
}

fn without_description(schema: &JSONSchemaProps) -> JSONSchemaProps {
    JSONSchemaProps { description: None, default: None, ..schema.clone() }
}

/// The anchor that GitHub and mdBook give to the section of a path.
fn anchor(path: &str) -> String {
    path.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

fn list_of_rules(text: &mut String, schema: &JSONSchemaProps) {
    let rules: Vec<_> = rules(schema).collect();
    if rules.is_empty() {
        return;
    }
    *text += "\nRefused when it is created or changed:\n\n";
    for rule in rules {
        let _ = writeln!(text, "- {}", prose(&rule));
    }
}

/// Text outside of tables.
fn prose(text: &str) -> String {
    cell(text).replace("\\|", "|")
}

fn row(text: &mut String, cells: &[&str]) {
    *text += "|";
    for content in cells {
        let separator = if content.is_empty() { "" } else { " " };
        let _ = write!(text, "{separator}{} |", cell(content));
    }
    *text += "\n";
}

fn subresources(definition: &CustomResourceDefinition) -> Vec<&'static str> {
    let declared = stored(definition).and_then(|version| version.subresources.as_ref());
    let status = declared.and_then(|declared| declared.status.as_ref()).map(|_| "status");
    let scale = declared.and_then(|declared| declared.scale.as_ref()).map(|_| "scale");
    status.into_iter().chain(scale).collect()
}

fn schema(definition: &CustomResourceDefinition) -> Option<&JSONSchemaProps> {
    stored(definition)?.schema.as_ref()?.open_api_v3_schema.as_ref()
}

fn stored(definition: &CustomResourceDefinition) -> Option<&CustomResourceDefinitionVersion> {
    definition.spec.versions.iter().find(|version| version.storage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn a_definition(schema: &serde_json::Value) -> CustomResourceDefinition {
        serde_json::from_value(serde_json::json!({
            "metadata": {"name": "widgets.example.com"},
            "spec": {
                "group": "example.com",
                "names": {"kind": "Widget", "plural": "widgets", "shortNames": ["w"]},
                "scope": "Namespaced",
                "versions": [{
                    "name": "v1", "served": true, "storage": true,
                    "subresources": {"status": {}},
                    "schema": {"openAPIV3Schema": schema},
                }],
            },
        }))
        .unwrap()
    }

    #[test]
    fn a_page_has_a_table_for_each_object() {
        let port = serde_json::json!({
            "type": "object",
            "description": "Where one listens.",
            "required": ["number"],
            "properties": {
                "number": {"type": "integer", "description": "Which.", "minimum": 1, "maximum": 65535},
                "mode": {"type": "string", "description": "How: a|b.", "enum": ["a", "b"], "default": "a"},
            },
            "x-kubernetes-validations": [{"rule": "true", "message": "mode: is <odd>; keep it"}],
        });
        let other = serde_json::json!({"description": "The other one.", "type": "object",
            "required": port["required"], "properties": port["properties"],
            "x-kubernetes-validations": port["x-kubernetes-validations"]});
        let definition = a_definition(&serde_json::json!({
            "description": "A thing.",
            "properties": {"spec": {
                "type": "object",
                "properties": {
                    "first": port,
                    "ports": {"type": "array", "items": other, "minItems": 1, "description": "More."},
                    "resources": {"type": "object", "description": "As in a pod.",
                        "properties": {"limits": {"type": "object"}}},
                },
            }},
        }));
        let expected = "\
# Widget

<!-- Written by hack/generate from the doc comments in crates/api; edit those. -->

A thing.

| | |
|---|---|
| group, version | `example.com/v1` |
| scope | Namespaced |
| listed by | `kubectl get widgets`, `kubectl get w` |
| subresources | status |

## `spec`

| field | type | default | meaning |
|---|---|---|---|
| `first` | [object](#specfirst) | | Where one listens. |
| `ports` | list of [like `spec.first`](#specfirst) | | More. At least 1 of them. |
| `resources` | object | | As in a pod. |

## `spec.first`

Where one listens.

Refused when it is created or changed:

- mode: is \\<odd>; keep it

| field | type | default | meaning |
|---|---|---|---|
| `mode` | string | `a` | How: a\\|b. One of `a`, `b`. |
| `number` | integer | required | Which. At least 1. At most 65535. |
";
        assert_eq!(page(&definition), expected);
    }

    #[test]
    fn no_two_sections_of_a_page_have_the_same_anchor() {
        for definition in api::crds::all() {
            let page = page(&definition);
            let sections = page.lines().filter_map(|line| line.strip_prefix("## "));
            let anchors: Vec<_> = sections.map(anchor).collect();
            let different: BTreeSet<_> = anchors.iter().collect();
            assert_eq!(different.len(), anchors.len(), "{}", file(&definition));
        }
    }

    #[test]
    fn every_field_of_ours_is_described() {
        for definition in api::crds::all() {
            let page = page(&definition);
            let is_undescribed = |line: &&str| line.starts_with("| `") && line.ends_with("| |");
            let undescribed: Vec<_> = page.lines().filter(is_undescribed).collect();
            assert!(undescribed.is_empty(), "{}: {undescribed:?}", file(&definition));
        }
    }
}
