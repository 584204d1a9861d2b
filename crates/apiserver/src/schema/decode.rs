//! Decodes objects of the built-in kinds as Go's JSON decoder does.

use super::{Format, Schema, Type, duplicates::MOST, path::Path};
use crate::{failure::Failure, go};
use regex::Regex;
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

/// Checks the types of an object's fields, drops nulls and unknown fields, and returns the latter.
pub(crate) fn decode(schema: &Schema, object: &mut Value) -> Result<Vec<String>, Failure> {
    let mut decoder = Decoder::default();
    decoder.value(schema, object);
    match decoder.problem {
        None => Ok(decoder.unknown.iter().map(|path| format!("unknown field {path:?}")).collect()),
        Some(problem) => {
            let expected = schema.go.as_deref().and_then(|go| go.rsplit('.').next()).unwrap_or("Object");
            let given = object.get("kind").and_then(Value::as_str).unwrap_or(expected);
            let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or("v1");
            let version = version.rsplit('/').next().unwrap_or(version);
            Err(Failure::bad_request(format!(
                "{given} in version {version:?} cannot be handled as a {expected}: {problem}"
            )))
        }
    }
}

/// Why the metadata of an object of any kind cannot be decoded.
pub(crate) fn metadata_problem(object: &Value) -> Option<String> {
    let mut metadata = object.get("metadata")?.clone();
    let mut decoder = Decoder::default();
    decoder.value(&OBJECT_META, &mut metadata);
    decoder.problem
}

static OBJECT_META: LazyLock<Arc<Schema>> =
    LazyLock::new(|| Schema::builtin("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"));

#[derive(Default)]
struct Decoder<'a> {
    path: Path,
    /// The names of the fields that led here, without indices.
    fields: Vec<&'a str>,
    /// The struct that the last of them is part of.
    inside: &'a str,
    unknown: Vec<String>,
    /// Go reports only the first.
    problem: Option<String>,
}

impl<'a> Decoder<'a> {
    fn value(&mut self, schema: &'a Schema, value: &mut Value) {
        if self.path.is_too_deep() {
            self.report(|| "exceeded max depth".to_owned());
            return;
        }
        let schema = match &schema.recurs {
            Some(definition) => super::builtin::schema(definition).map_or(schema, |again| &**again),
            None => schema,
        };
        match (schema.kind, &mut *value) {
            (Some(Type::Object), Value::Object(map)) if !schema.properties.is_empty() => {
                self.fields(schema, map);
            }
            (Some(Type::Object), Value::Object(map)) => self.map(schema, map),
            (Some(Type::Array), Value::Array(items)) => self.items(schema, items),
            (Some(Type::String), Value::String(text)) => self.text(schema, text),
            (Some(Type::IntOrString), Value::String(text)) if schema.format == Format::Quantity => {
                self.quantity(text);
            }
            (Some(Type::IntOrString), Value::Number(_) | Value::String(_))
                if schema.format == Format::Quantity => {}
            (Some(Type::IntOrString), Value::String(_))
            | (Some(Type::Boolean), Value::Bool(_))
            | (Some(Type::Number), Value::Number(_))
            | (None, _) => {}
            (Some(Type::Integer | Type::IntOrString), Value::Number(number)) => {
                let fits = match schema.format {
                    Format::Int64 | Format::Any => number.is_i64(),
                    _ => number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
                };
                if !fits {
                    let found = format!("number {number}");
                    self.mismatch(schema, &found);
                }
            }
            (Some(Type::IntOrString), _) if schema.format == Format::Quantity => self.quantity(""),
            (Some(_), other) => {
                let found = go::json_word(other);
                self.mismatch(schema, found);
            }
        }
    }

    fn fields(&mut self, schema: &'a Schema, map: &mut Map<String, Value>) {
        let outside = std::mem::replace(&mut self.inside, short(schema));
        map.retain(|name, value| {
            let Some((name, field)) = schema.properties.get_key_value(name) else {
                if !schema.preserves_unknown {
                    self.note_unknown(name);
                }
                return schema.preserves_unknown;
            };
            if !value.is_null() {
                let mark = self.path.field(name);
                self.fields.push(name);
                self.value(field, value);
                self.fields.pop();
                self.path.leave(mark);
            }
            !value.is_null()
        });
        self.inside = outside;
    }

    fn map(&mut self, schema: &'a Schema, map: &mut Map<String, Value>) {
        let Some(values) = &schema.additional else {
            map.retain(|name, _| {
                if !schema.preserves_unknown {
                    self.note_unknown(name);
                }
                schema.preserves_unknown
            });
            return;
        };
        for (name, value) in map {
            let mark = self.path.field(name);
            self.element(values, value);
            self.path.leave(mark);
        }
    }

    fn items(&mut self, schema: &'a Schema, items: &mut [Value]) {
        let Some(item) = &schema.items else { return };
        for (index, value) in items.iter_mut().enumerate() {
            let mark = self.path.index(index);
            self.element(item, value);
            self.path.leave(mark);
        }
    }

    /// An item, or a value of a map: null means zero there.
    fn element(&mut self, schema: &'a Schema, value: &mut Value) {
        if value.is_null() {
            *value = zero(schema);
        } else {
            self.value(schema, value);
        }
    }

    fn text(&mut self, schema: &Schema, text: &mut String) {
        match schema.format {
            Format::Byte => {
                if let Some(position) = base64_flaw(text) {
                    self.report(|| format!("illegal base64 data at input byte {position}"));
                }
                text.retain(|character| !matches!(character, '\r' | '\n'));
            }
            Format::DateTime if !is_time(text) => {
                self.report(|| {
                    format!("parsing time {text:?} as \"2006-01-02T15:04:05Z07:00\": cannot parse {text:?} as \"2006\"")
                });
            }
            Format::MicroTime if !MICRO_TIME.is_match(text) => {
                self.report(|| {
                    format!(
                        "parsing time {text:?} as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse {text:?} as \"2006\""
                    )
                });
            }
            _ => {}
        }
    }

    fn quantity(&mut self, text: &str) {
        if !QUANTITY.is_match(text.trim()) {
            self.report(|| {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
                    .to_owned()
            });
        }
    }

    fn note_unknown(&mut self, name: &str) {
        if self.unknown.len() < MOST {
            let mark = self.path.field(name);
            self.unknown.push(self.path.to_string());
            self.path.leave(mark);
        }
    }

    fn mismatch(&mut self, schema: &Schema, found: &str) {
        let into = if schema.format == Format::IntOrString {
            // The decoder of the type does not know the name of the field.
            "Go value of type int32".to_owned()
        } else if self.fields.is_empty() {
            format!("Go value of type {}", go_type(schema, 0))
        } else {
            let of = go_type(schema, 0);
            format!("Go struct field {}.{} of type {of}", self.inside, self.fields.join("."))
        };
        self.report(|| format!("json: cannot unmarshal {found} into {into}"));
    }

    fn report(&mut self, problem: impl FnOnce() -> String) {
        self.problem.get_or_insert_with(problem);
    }
}

static QUANTITY: LazyLock<Regex> = LazyLock::new(|| pattern("^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$"));
static MICRO_TIME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$"));
static TIME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$"));

/// A pattern of this file.
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern that compiles")
}

/// Whether a text is a time in the format of RFC 3339.
pub(super) fn is_time(text: &str) -> bool {
    TIME.is_match(text) && text.replace(',', ".").parse::<jiff::Timestamp>().is_ok()
}

/// The position of the first character that is not base64.
pub(super) fn base64_flaw(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let unbroken = || bytes.iter().enumerate().filter(|(_, byte)| !matches!(byte, b'\r' | b'\n'));
    let digits = unbroken()
        .take_while(|(_, byte)| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
        .count();
    let padding = unbroken().skip(digits).take_while(|(_, byte)| **byte == b'=').count();
    let total = unbroken().count();
    let padded = matches!((digits % 4, padding), (0, 0) | (2, 2) | (3, 1));
    match unbroken().nth(digits + padding) {
        Some((position, _)) => Some(position),
        None if padded => None,
        None if padding > 0 => unbroken().nth(digits).map(|(position, _)| position),
        None => Some(total - digits % 4),
    }
}

/// The zero value of a Go type, as JSON.
fn zero(schema: &Schema) -> Value {
    match (schema.kind, schema.format) {
        (Some(Type::String), _) => json!(""),
        (Some(Type::Integer | Type::Number), _) | (Some(Type::IntOrString), Format::IntOrString) => json!(0),
        (Some(Type::IntOrString), _) => json!("0"),
        (Some(Type::Boolean), _) => json!(false),
        (Some(Type::Object), _) if !schema.properties.is_empty() => json!({}),
        _ => Value::Null,
    }
}

/// The name of a struct without its package.
fn short(schema: &Schema) -> &str {
    schema.go.as_deref().and_then(|go| go.rsplit('.').next()).unwrap_or_default()
}

/// A type in the format of Go; the names of scalar types are unknown.
fn go_type(schema: &Schema, depth: usize) -> String {
    if depth > 8 {
        return "interface {}".to_owned();
    }
    let element = |of: &Option<_>| {
        of.as_ref()
            .map_or_else(|| "interface {}".into(), |of: &std::sync::Arc<Schema>| go_type(of, depth + 1))
    };
    match (schema.kind, schema.format, &schema.go) {
        (Some(Type::Object), _, None) => format!("map[string]{}", element(&schema.additional)),
        (Some(Type::Array), _, _) => format!("[]{}", element(&schema.items)),
        (Some(Type::Object), _, Some(go)) => go.to_string(),
        (Some(Type::String), Format::Byte, _) => "[]uint8".into(),
        (Some(Type::Integer), Format::Int32, _) => "int32".into(),
        (Some(Type::Integer), _, _) => "int64".into(),
        (Some(Type::Number), _, _) => "float64".into(),
        (Some(Type::Boolean), _, _) => "bool".into(),
        _ => "string".into(),
    }
}
