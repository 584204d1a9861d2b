//! The results of rules on Kubernetes 1.37.

use crate::schema::{CustomSchema, apply_defaults, drop_nulls, validate};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Recording {
    properties: Value,
    spec: Value,
    rules: Vec<Evaluated>,
}

#[derive(Deserialize)]
struct Evaluated {
    rule: String,
    holds: bool,
}

/// Rules that the CEL library evaluates differently or not at all. Such a rule refuses objects that a server accepts.
const BEYOND: [&str; 6] = [
    "self.set == ['y', 'x']",
    "self.list.all(i, v, v > 0)",
    "self.map.transformList(k, v, v).size() == 2",
    "self.list.sortBy(x, -x) == [3, 2, 1]",
    "string(self.when) == '2026-01-02T03:04:05Z'",
    "string(self.dur) == '5400s'",
];

#[test]
fn rules_hold_where_they_hold_on_a_real_server() {
    let recording: Recording = serde_json::from_str(include_str!("evaluations.json")).unwrap();
    let mut differences = Vec::new();
    for Evaluated { rule, holds } in &recording.rules {
        let schema = CustomSchema::parse(&json!({"type": "object", "properties": {"spec": {
            "type": "object",
            "properties": recording.properties,
            "x-kubernetes-validations": [{"rule": rule, "message": "it does not hold"}],
        }}}));
        let schema = schema.unwrap_or_else(|wrong| panic!("{rule}: {wrong:#?}"));
        let mut object = json!({"spec": recording.spec});
        drop_nulls(&schema, &mut object);
        apply_defaults(&schema, &mut object);
        let errors: Vec<String> =
            validate(&schema, &object, None).into_iter().map(|cause| cause.message).collect();
        let expected: &[&str] = if *holds { &[] } else { &["Invalid value: it does not hold"] };
        if errors != expected && !BEYOND.contains(&rule.as_str()) {
            differences.push(format!("{rule}: {errors:?}"));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
