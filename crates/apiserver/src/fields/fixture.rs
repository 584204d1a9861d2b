//! A custom kind with a field of every shape, for tests.

use super::{ApplyError, Force, Manager, apply, update};
use crate::schema::{ListKey, Merge, Schema, Type};
use serde_json::{Value, json};
use std::sync::Arc;

fn scalar(kind: Type) -> Schema {
    Schema { kind: Some(kind), ..Schema::default() }
}

fn text() -> Schema {
    scalar(Type::String)
}

fn object<const N: usize>(fields: [(&str, Schema); N]) -> Schema {
    let properties = fields.into_iter().map(|(name, schema)| (name.to_owned(), Arc::new(schema))).collect();
    Schema { kind: Some(Type::Object), properties, ..Schema::default() }
}

fn map(values: Schema) -> Schema {
    Schema { kind: Some(Type::Object), additional: Some(Arc::new(values)), ..Schema::default() }
}

fn list(items: Schema, merge: Merge) -> Schema {
    Schema { kind: Some(Type::Array), items: Some(Arc::new(items)), merge, ..Schema::default() }
}

fn key(name: &str) -> ListKey {
    ListKey { name: name.to_owned(), default: None }
}

/// The schema of a `Thing`.
pub(super) fn thing() -> Schema {
    let item = object([
        ("name", text()),
        ("value", text()),
        ("sub", object([("a", text()), ("b", text())])),
        ("tags", list(text(), Merge::Set)),
    ]);
    let port = object([("port", scalar(Type::Integer)), ("protocol", text()), ("name", text())]);
    let protocol = ListKey { name: "protocol".to_owned(), default: Some(json!("TCP")) };
    let condition = object([("type", text()), ("status", text())]);
    let spec = object([
        ("scalar", text()),
        ("count", scalar(Type::Integer)),
        ("flag", scalar(Type::Boolean)),
        ("obj", object([("x", text()), ("yy", object([("z", scalar(Type::Integer))]))])),
        ("atomicObj", Schema { merge: Merge::Atomic, ..object([("p", text()), ("q", text())]) }),
        ("tags", map(text())),
        ("deep", map(object([("v", scalar(Type::Integer)), ("w", text())]))),
        ("set", list(text(), Merge::Set)),
        ("atomicList", list(text(), Merge::Plain)),
        ("items", list(item, Merge::Map(vec![key("name")]))),
        ("ports", list(port, Merge::Map(vec![key("port"), protocol]))),
        ("any", Schema { preserves_unknown: true, ..scalar(Type::Object) }),
    ]);
    let metadata = object([
        ("name", text()),
        ("namespace", text()),
        ("labels", map(text())),
        ("annotations", map(text())),
        ("finalizers", list(text(), Merge::Set)),
    ]);
    let status = object([("phase", text()), ("conditions", list(condition, Merge::Map(vec![key("type")])))]);
    object([
        ("apiVersion", text()),
        ("kind", text()),
        ("metadata", metadata),
        ("spec", spec),
        ("status", status),
    ])
}

/// A `Thing` with this spec.
pub(super) fn a_thing(spec: Value) -> Value {
    json!({
        "apiVersion": "t.example/v1",
        "kind": "Thing",
        "metadata": {"name": "it", "namespace": "default"},
        "spec": spec,
    })
}

/// A manager of `Thing`s at this second of an hour.
pub(super) fn manager<'a>(name: &'a str, now: &'a str) -> Manager<'a> {
    Manager { name, subresource: None, api_version: "t.example/v1", now }
}

pub(super) const NOON: &str = "2026-01-01T12:00:00Z";
pub(super) const LATER: &str = "2026-01-01T12:00:01Z";

/// Applies at noon, without touching the status.
pub(super) fn applied(
    live: Option<&Value>,
    config: &Value,
    name: &str,
    force: Force,
) -> Result<Value, ApplyError> {
    apply(&thing(), live, config, &manager(name, NOON), force, &[&["status"]])
}

/// Writes `new` over `old` at noon.
pub(super) fn updated(old: Option<&Value>, mut new: Value, name: &str) -> Value {
    update(&thing(), old, &mut new, &manager(name, NOON), &[&["status"]]);
    new
}

/// The fields of an owner, by its name and operation.
pub(super) fn fields_of(object: &Value, manager: &str, operation: &str) -> Option<Value> {
    let entries = object["metadata"]["managedFields"].as_array()?;
    let entry =
        entries.iter().find(|entry| entry["manager"] == manager && entry["operation"] == operation)?;
    Some(entry["fieldsV1"].clone())
}
