//! Parts of objects that the how-to pages show: every field exists.

use crate::tree::pages;
use serde_json::Value;
use std::path::Path;

/// The schema of a HarborCluster.
fn schema() -> Value {
    let definitions = api::crds::all();
    let definition = definitions.into_iter().find(|it| it.spec.names.kind == "HarborCluster").unwrap();
    let version = &definition.spec.versions[0];
    serde_json::to_value(version.schema.as_ref().unwrap().open_api_v3_schema.as_ref().unwrap()).unwrap()
}

/// The fields of a value that its schema does not have.
fn unknown(value: &Value, schema: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let Some(known) = schema["properties"].as_object() else { return };
            for (name, below) in fields {
                let path = format!("{at}.{name}");
                match known.get(name) {
                    Some(schema) => unknown(below, schema, &path, found),
                    None => found.push(path),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| unknown(item, &schema["items"], at, found)),
        _ => {}
    }
}

/// The fields in the parts of a HarborCluster that a text shows, without `apiVersion`, that do not exist.
fn wrong(text: &str, schema: &Value) -> Vec<String> {
    let mut value: Value = serde_saphyr::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    value.as_object_mut().unwrap().remove("metadata");
    let mut found = Vec::new();
    unknown(&value, &schema["properties"]["spec"], "spec", &mut found);
    found
}

#[test]
fn every_field_that_a_how_to_page_shows_exists() {
    let schema = schema();
    let mut shown = 0;
    for page in pages().iter().filter(|page| page.path.starts_with(Path::new("docs/how-to"))) {
        for block in page.blocks.iter().filter(|block| block.language == "yaml") {
            shown += 1;
            let wrong = wrong(&block.text, &schema);
            assert!(wrong.is_empty(), "{}:{}: {wrong:?}", page.path.display(), block.line);
        }
    }
    assert!(shown >= 8, "only {shown}");
    assert_eq!(wrong("storage:\n  kind: S3\n  spc: {}\n", &schema), ["spec.storage.spc"]);
}
