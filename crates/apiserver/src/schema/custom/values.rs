//! JSON as rules see it: field names are escaped, and texts with a format are converted.

use super::{dialect::LIBRARY, node::Node};
use crate::schema::Type;
use kube::core::cel::cel::{
    Program, Value as Cel,
    objects::{Key, Map},
};
use serde_json::{Number, Value};
use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

/// The maximum depth of values; serde_json parses no deeper.
const DEPTH: usize = 128;

/// A value of a schema, or of an unknown type. The root of an object has metadata, which is not in its schema.
pub(super) fn value(node: Option<&Node>, json: &Value, is_object: bool) -> Cel {
    converted(node, json, is_object, 0)
}

fn converted(node: Option<&Node>, json: &Value, is_object: bool, depth: usize) -> Cel {
    if depth > DEPTH {
        return Cel::Null;
    }
    match json {
        Value::Null => Cel::Null,
        Value::Bool(truth) => Cel::Bool(*truth),
        Value::Number(amount) => number(node, amount),
        Value::String(content) => text(node, content),
        Value::Array(items) => {
            let item = node.and_then(|node| node.items.as_deref());
            Cel::List(Arc::new(
                items.iter().map(|json| converted(item, json, embedded(item), depth + 1)).collect(),
            ))
        }
        Value::Object(map) => {
            let is_struct = node.is_none_or(Node::is_struct);
            let fields = map.iter().filter_map(|(name, json)| {
                if is_object && name == "metadata" {
                    return Some((name.clone(), metadata(json)));
                }
                if is_struct && json.is_null() {
                    return None;
                }
                let field = node.and_then(|node| node.field(name));
                let name = if is_struct { escaped(name)? } else { name.clone() };
                Some((name, converted(field, json, embedded(field), depth + 1)))
            });
            object(fields.collect())
        }
    }
}

fn embedded(node: Option<&Node>) -> bool {
    node.is_some_and(|node| node.embedded)
}

fn object(fields: Vec<(String, Cel)>) -> Cel {
    let map: HashMap<Key, Cel> =
        fields.into_iter().map(|(name, value)| (Key::String(Arc::new(name)), value)).collect();
    Cel::Map(Map { map: Arc::new(map) })
}

/// The only fields of metadata that rules see.
fn metadata(json: &Value) -> Cel {
    let fields = ["name", "generateName"].into_iter().filter_map(|name| {
        let text = json.get(name)?.as_str()?;
        Some((name.to_owned(), Cel::String(Arc::new(text.to_owned()))))
    });
    object(fields.collect())
}

fn number(node: Option<&Node>, number: &Number) -> Cel {
    let float = number.as_f64().unwrap_or(f64::NAN);
    match (node.and_then(|node| node.kind), number.as_i64()) {
        (Some(Type::Number), _) => Cel::Float(float),
        (_, Some(whole)) => Cel::Int(whole),
        #[expect(clippy::cast_possible_truncation, reason = "a whole number of a schema that asks for one")]
        (Some(Type::Integer), None) if float.fract() == 0.0 => Cel::Int(float as i64),
        (_, None) => number.as_u64().map_or(Cel::Float(float), Cel::UInt),
    }
}

fn text(node: Option<&Node>, text: &str) -> Cel {
    let plain = Cel::String(Arc::new(text.to_owned()));
    let Some(node) = node.filter(|node| node.kind == Some(Type::String)) else { return plain };
    let conversion = match node.format.as_deref() {
        Some("date-time") => &*TIMESTAMP,
        Some("date") => &*DATE,
        Some("duration") => &*DURATION,
        Some("byte") => &*BYTES,
        _ => return plain,
    };
    let Some(conversion) = conversion else { return plain };
    let mut scope = LIBRARY.new_inner_scope();
    scope.add_variable_from_value("text", plain.clone());
    conversion.execute(&scope).unwrap_or(plain)
}

static TIMESTAMP: LazyLock<Option<Program>> = LazyLock::new(|| Program::compile("timestamp(text)").ok());
static DATE: LazyLock<Option<Program>> =
    LazyLock::new(|| Program::compile("timestamp(text + 'T00:00:00Z')").ok());
static DURATION: LazyLock<Option<Program>> = LazyLock::new(|| Program::compile("duration(text)").ok());
static BYTES: LazyLock<Option<Program>> = LazyLock::new(|| Program::compile("base64.decode(text)").ok());

/// Words that cannot be the name of a field in a rule.
const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// The name of a field in rules; None if it cannot be used there.
pub(super) fn escaped(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let mut escaped = String::with_capacity(name.len());
    let mut characters = name.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '_' if characters.peek() == Some(&'_') => {
                characters.next();
                escaped.push_str("__underscores__");
            }
            '.' => escaped.push_str("__dot__"),
            '-' => escaped.push_str("__dash__"),
            '/' => escaped.push_str("__slash__"),
            '_' => escaped.push('_'),
            plain if plain.is_ascii_alphanumeric() => escaped.push(plain),
            _ => return None,
        }
    }
    Some(escaped)
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn field_names_are_spelled_as_rules_spell_them() {
        let spelled: Vec<_> = ["namespace", "a-b", "a.b/c", "my_field", "a__b", "0x", "ä", "$ref"]
            .map(escaped)
            .into_iter()
            .collect();
        let expected: Vec<Option<String>> = [
            Some("__namespace__"),
            Some("a__dash__b"),
            Some("a__dot__b__slash__c"),
            Some("my_field"),
            Some("a__underscores__b"),
            None,
            None,
            None,
        ]
        .map(|name| name.map(str::to_owned))
        .into_iter()
        .collect();
        assert_eq!(spelled, expected);
    }
}
