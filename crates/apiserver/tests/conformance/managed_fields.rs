//! managedFields in a readable format.

use serde_json::{Map, Value};

/// One line per field, under `MANAGER OPERATION VERSION [SUBRESOURCE]`.
pub fn readable(entries: Vec<Value>) -> Value {
    let mut readable: Vec<Value> = entries.iter().map(entry).collect();
    // The server orders by time, which has a resolution of one second.
    readable.sort_by_key(ToString::to_string);
    Value::Array(readable)
}

fn entry(entry: &Value) -> Value {
    let text = |key: &str| entry[key].as_str().unwrap_or("<absent>");
    let mut title = format!("{} {} {}", text("manager"), text("operation"), text("apiVersion"));
    if let Some(subresource) = entry["subresource"].as_str() {
        title = format!("{title} {subresource}");
    }
    let mut fields = Vec::new();
    paths(&entry["fieldsV1"], "", &mut fields);
    fields.sort();
    let fields = fields.into_iter().map(Value::String).collect();
    Value::Object(Map::from_iter([(title, Value::Array(fields))]))
}

fn paths(fields: &Value, above: &str, found: &mut Vec<String>) {
    let Some(fields) = fields.as_object() else { return };
    for (key, below) in fields {
        let path = match key.split_once(':') {
            Some(("f", name)) => format!("{above}.{name}"),
            Some(("k" | "v" | "i", element)) => format!("{above}[{element}]"),
            _ => format!("{above}{{}}"),
        };
        if below.as_object().is_none_or(Map::is_empty) {
            found.push(path);
        } else {
            paths(below, &path, found);
        }
    }
}
