//! Schemas that a server of Kubernetes 1.37 refused, and why.

use crate::schema::CustomSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Refused {
    schema: Value,
    /// The field, the message and the reason of everything that is wrong, sorted. A message that ends in `*` goes on in
    /// words of the libraries that the server uses.
    told: Vec<(String, String, String)>,
}

fn told(schema: &Value) -> Vec<(String, String, String)> {
    let wrong = CustomSchema::parse(schema).err().unwrap_or_default();
    let mut told: Vec<_> = wrong
        .into_iter()
        .map(|cause| (cause.field, cause.message, cause.fault.reason().to_owned()))
        .collect();
    told.sort();
    told
}

#[test]
fn schemas_are_refused_as_by_a_real_server() {
    let recording: Vec<Refused> = serde_json::from_str(include_str!("refused.json")).unwrap();
    let mut differences = Vec::new();
    for refused in recording {
        let told: Vec<_> = told(&refused.schema)
            .into_iter()
            .enumerate()
            .map(|(index, (field, mut message, reason))| {
                let prefix = refused.told.get(index).and_then(|(_, expected, _)| expected.strip_suffix('*'));
                if let Some(prefix) = prefix.filter(|prefix| message.starts_with(prefix)) {
                    message = format!("{prefix}*");
                }
                (field, message, reason)
            })
            .collect();
        if told != refused.told {
            differences.push(format!("{}\n  told {told:#?}\n  not {:#?}", refused.schema, refused.told));
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
