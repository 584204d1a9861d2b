//! Objects as lines of YAML, with fields in the order in which people read them.

use crate::readable::in_reading_order;
use serde_json::{Map, Value};

/// The lines of an object.
pub(super) fn lines(object: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    match object {
        Value::Object(fields) => map(fields, "", "", &mut lines),
        other => lines.push(scalar(other)),
    }
    lines
}

/// The entries of a map. `first` is the prefix of the first entry, `indent` of all others.
fn map(fields: &Map<String, Value>, first: &str, indent: &str, lines: &mut Vec<String>) {
    let mut before = first;
    for (name, value) in in_reading_order(fields) {
        let label = format!("{before}{}:", scalar(&name.as_str().into()));
        before = indent;
        match value {
            Value::Object(inner) if !inner.is_empty() => {
                lines.push(label);
                let below = format!("{indent}  ");
                map(inner, &below, &below, lines);
            }
            Value::Array(items) if !items.is_empty() => {
                lines.push(label);
                list(items, indent, lines);
            }
            Value::String(text) if text.trim_end_matches('\n').contains('\n') => {
                lines.push(format!("{label} |"));
                lines.extend(text.lines().map(|line| format!("{indent}  {line}").trim_end().to_owned()));
            }
            other => lines.push(format!("{label} {}", scalar(other))),
        }
    }
}

fn list(items: &[Value], indent: &str, lines: &mut Vec<String>) {
    for item in items {
        match item {
            Value::Object(fields) if !fields.is_empty() => {
                map(fields, &format!("{indent}- "), &format!("{indent}  "), lines);
            }
            other => lines.push(format!("{indent}- {}", scalar(other))),
        }
    }
}

/// A value on one line, in quotes where YAML would give an unquoted text another meaning.
fn scalar(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    let harmless = |c: char| c.is_ascii_alphanumeric() || "/._-+:@<>=(),% ".contains(c);
    let begins = |c: char| c.is_ascii_alphanumeric() || "/._<".contains(c);
    let word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "~"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    let number = text.parse::<f64>().is_ok()
        || (text.starts_with(|c: char| c.is_ascii_digit()) && text.contains([':', 'x', 'o', 'e', 'E', '_']));
    let plain = text.starts_with(begins)
        && text.chars().all(harmless)
        && !word
        && !number
        && !text.contains(": ")
        && !text.ends_with([':', ' ']);
    if plain { text.clone() } else { value.to_string() }
}
