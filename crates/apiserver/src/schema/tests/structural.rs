//! Schemas that Kubernetes 1.37 refused, and why.

use crate::schema::CustomSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Refused {
    schema: Value,
    /// The field, the message and the reason of every error, sorted. A message that ends in `*` is a prefix: the rest
    /// comes from libraries of the server.
    errors: Vec<(String, String, String)>,
}

fn errors(schema: &Value) -> Vec<(String, String, String)> {
    let wrong = CustomSchema::parse(schema).err().unwrap_or_default();
    let mut errors: Vec<_> = wrong
        .into_iter()
        .map(|cause| (cause.field, cause.message, cause.fault.reason().to_owned()))
        .collect();
    errors.sort();
    errors
}

#[test]
fn schemas_are_refused_as_by_a_real_server() {
    let recording: Vec<Refused> = serde_json::from_str(include_str!("refused.json")).unwrap();
    let mut differences = Vec::new();
    for refused in recording {
        let errors: Vec<_> = errors(&refused.schema)
            .into_iter()
            .enumerate()
            .map(|(index, (field, mut message, reason))| {
                let prefix =
                    refused.errors.get(index).and_then(|(_, expected, _)| expected.strip_suffix('*'));
                if let Some(prefix) = prefix.filter(|prefix| message.starts_with(prefix)) {
                    message = format!("{prefix}*");
                }
                (field, message, reason)
            })
            .collect();
        if errors != refused.errors {
            differences.push(format!("{}\n  got {errors:#?}\n  not {:#?}", refused.schema, refused.errors));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn a_schema_that_is_nested_too_deeply_is_refused() {
    let mut schema = json!({"type": "string"});
    for _ in 0..200 {
        schema = json!({"type": "object", "properties": {"a": schema}});
    }
    assert!(CustomSchema::parse(&schema).is_err());
}
