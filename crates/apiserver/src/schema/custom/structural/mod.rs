//! Requirements for the schema of a custom kind: structural, with valid defaults and rules that compile.

mod compiled;
mod merging;
mod structure;
mod vocabulary;

pub(super) use compiled::{wrong_defaults, wrong_rules};

use super::field_errors;
use crate::{
    failure::Cause,
    schema::{extensions::is, path::Path},
};
use serde_json::Value;
use structure::Level;
use vocabulary::Place;

/// The problems of a schema, without those of rules and defaults.
pub(super) fn wrong(schema: &Value, place: &str) -> Vec<Cause> {
    let mut path = Path::default();
    let mark = path.field(place);
    let mut check = Check { path, causes: Vec::new() };
    check.structure(schema, Level::Root, 0);
    check.causes.sort_by_cached_key(|cause| format!("{}: {}", cause.field, cause.message));
    if is(schema, "nullable") {
        check.at("nullable", |check| check.forbid("nullable cannot be true at the root"));
    }
    check.schema(schema, Place::default(), 0);
    check.path.leave(mark);
    check.causes
}

/// A walk over a schema that collects errors.
struct Check {
    path: Path,
    causes: Vec<Cause>,
}

impl Check {
    fn at(&mut self, attribute: &str, check: impl FnOnce(&mut Self)) {
        let mark = self.path.field(attribute);
        check(self);
        self.path.leave(mark);
    }

    fn at_property(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        self.at("properties", |inside| {
            let mark = inside.path.key(name);
            check(inside);
            inside.path.leave(mark);
        });
    }

    fn require(&mut self, detail: &str) {
        self.causes.push(field_errors::required(&self.path, detail));
    }

    fn forbid(&mut self, detail: &str) {
        self.causes.push(field_errors::forbidden(&self.path, detail));
    }

    fn refuse(&mut self, detail: &str) {
        self.refuse_value(&Value::String(String::new()), detail);
    }

    fn refuse_value(&mut self, value: &Value, detail: &str) {
        self.causes.push(field_errors::invalid(&self.path, value, detail));
    }

    fn invalid(&mut self, attribute: &str, value: &Value, detail: &str) {
        self.at(attribute, |check| check.refuse_value(value, detail));
    }
}

/// The fields that a schema describes.
fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// The texts of a list.
fn texts<'a>(schema: &'a Value, attribute: &str) -> Vec<&'a str> {
    schema.get(attribute).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}
