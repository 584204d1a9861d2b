//! Custom kinds: the answers of Kubernetes 1.37 about the same objects.

use crate::schema::{CustomSchema, ListKey, Merge, Type, apply_defaults, drop_nulls, prune, validate};
use serde::Deserialize;
use serde_json::{Value, json};

/// A schema, and the errors of the server about objects of it.
#[derive(Deserialize)]
struct Recording {
    schema: Value,
    creations: Vec<Attempt>,
    updates: Vec<Attempt>,
}

#[derive(Deserialize)]
struct Attempt {
    new: Value,
    old: Option<Value>,
    /// The field, the message and the reason of every error, sorted.
    errors: Vec<(String, String, String)>,
    /// The stored spec, if the object was accepted.
    stored: Option<Value>,
}

fn recording() -> Recording {
    serde_json::from_str(include_str!("things.json")).unwrap()
}

fn parsed(schema: &Value) -> CustomSchema {
    CustomSchema::parse(schema).unwrap_or_else(|wrong| panic!("{wrong:#?}"))
}

fn errors(schema: &CustomSchema, new: &Value, old: Option<&Value>) -> Vec<(String, String, String)> {
    let causes = validate(schema, new, old).into_iter();
    let mut errors: Vec<_> = causes
        .map(|cause| (cause.field.clone(), cause.message.clone(), cause.fault.reason().to_owned()))
        .collect();
    errors.sort();
    errors
}

#[test]
fn objects_are_created_or_refused_as_by_a_real_server() {
    let recording = recording();
    let schema = parsed(&recording.schema);
    for attempt in recording.creations {
        let mut object = attempt.new.clone();
        assert_eq!(prune(&schema, &mut object), Vec::<String>::new());
        drop_nulls(&schema, &mut object);
        apply_defaults(&schema, &mut object);
        assert_eq!(errors(&schema, &object, None), attempt.errors, "{}", attempt.new);
        if let Some(stored) = attempt.stored {
            assert_eq!(object["spec"], stored);
        }
    }
}

#[test]
fn objects_that_were_invalid_before_are_updated_or_refused_as_by_a_real_server() {
    let recording = recording();
    let schema = parsed(&recording.schema);
    for attempt in recording.updates {
        let old = attempt.old.unwrap();
        assert_eq!(
            errors(&schema, &attempt.new, Some(&old)),
            attempt.errors,
            "from {old} to {}",
            attempt.new
        );
    }
}

#[test]
fn pruning_keeps_preserved_fields() {
    let schema = parsed(&json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {
            "known": {"type": "string"},
            "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"a": {"type": "string"}}}},
            "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {
                "strict": {"type": "object", "properties": {"a": {"type": "string"}}},
            }},
            "list": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
            "object": {"type": "object", "x-kubernetes-embedded-resource": true, "properties": {"spec": {"type": "object"}}},
        }},
    }}));
    let mut object = json!({
        "apiVersion": "test.dev/v1", "kind": "Thing", "metadata": {"name": "a", "typo": 1, "labels": {"a": "b"}}, "extra": 1,
        "spec": {
            "known": "x", "unknown": 1,
            "map": {"k": {"a": "1", "b": "2"}},
            "any": {"free": {"x": [1]}, "strict": {"a": "1", "b": 2}},
            "list": [{"a": "1", "b": 1}],
            "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "typo": 1}, "spec": {"x": 1}, "status": {}},
        },
    });
    assert_eq!(
        prune(&schema, &mut object),
        [
            r#"unknown field "extra""#,
            r#"unknown field "metadata.typo""#,
            r#"unknown field "spec.any.strict.b""#,
            r#"unknown field "spec.list[0].b""#,
            r#"unknown field "spec.map.k.b""#,
            r#"unknown field "spec.object.metadata.typo""#,
            r#"unknown field "spec.object.spec.x""#,
            r#"unknown field "spec.object.status""#,
            r#"unknown field "spec.unknown""#,
        ]
    );
    assert_eq!(
        object,
        json!({
            "apiVersion": "test.dev/v1", "kind": "Thing", "metadata": {"name": "a", "labels": {"a": "b"}},
            "spec": {
                "known": "x",
                "map": {"k": {"a": "1"}},
                "any": {"free": {"x": [1]}, "strict": {"a": "1"}},
                "list": [{"a": "1"}],
                "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {}},
            },
        })
    );
}

#[test]
fn defaults_fill_in_what_is_missing_or_null_but_not_what_may_be_null() {
    let schema = parsed(&json!({"type": "object", "properties": {
        "spec": {"type": "object", "default": {}, "properties": {
            "a": {"type": "integer", "default": 1},
            "b": {"type": "integer", "default": 2, "nullable": true},
            "c": {"type": "integer"},
            "d": {"type": "integer", "nullable": true},
            "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "string", "default": "y"}}}},
            "list": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "string", "default": "y"}}}},
        }},
    }}));
    let defaulted = |mut object: Value| {
        drop_nulls(&schema, &mut object);
        apply_defaults(&schema, &mut object);
        object
    };
    assert_eq!(defaulted(json!({})), json!({"spec": {"a": 1, "b": 2}}));
    assert_eq!(
        defaulted(
            json!({"spec": {"a": null, "b": null, "c": null, "d": null, "map": {"k": {}, "l": null}, "list": [{}]}})
        ),
        json!({"spec": {"a": 1, "b": null, "d": null, "map": {"k": {"x": "y"}}, "list": [{"x": "y"}]}})
    );
}

#[test]
fn the_lowered_schema_has_the_merge_settings() {
    let schema = parsed(&recording().schema).schema;
    let spec = schema.field("spec").unwrap();
    let key = ListKey { name: "id".into(), default: None };
    assert_eq!(spec.field("items").unwrap().merge, Merge::Map(vec![key]));
    assert_eq!(spec.field("tags").unwrap().merge, Merge::Set);
    assert_eq!(spec.field("port").unwrap().kind, Some(Type::IntOrString));
    assert_eq!(schema.field("metadata").unwrap().field("finalizers").unwrap().merge, Merge::Set);
    assert!(spec.field("free").unwrap().preserves_unknown);
    assert_eq!(spec.field("embedded").unwrap().field("metadata").unwrap().kind, Some(Type::Object));
}

#[test]
fn rules_can_ask_for_an_old_value_that_need_not_be() {
    let schema = parsed(&json!({"type": "object", "properties": {"spec": {
        "type": "string",
        "x-kubernetes-validations": [
            {"rule": "!oldSelf.hasValue() || oldSelf.value() == self", "optionalOldSelf": true, "message": "changed"},
        ],
    }}}));
    assert_eq!(errors(&schema, &json!({"spec": "a"}), None), []);
    assert_eq!(errors(&schema, &json!({"spec": "a"}), Some(&json!({"spec": "a"}))), []);
    assert_eq!(
        errors(&schema, &json!({"spec": "a"}), Some(&json!({"spec": "b"}))),
        [("spec".into(), r#"Invalid value: "a": changed"#.into(), "FieldValueInvalid".into())]
    );
}
