//! Formats values as Go prints them, for error messages that clients see.

use serde_json::{Number, Value};

/// A value as `%v` prints it: `map[a:1 b:[x y]]`.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => self::number(number),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(" ")),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name}:{}", plain(value))).collect();
            format!("map[{}]", fields.join(" "))
        }
    }
}

/// A value as `%#v` prints it: `map[string]interface {}{"a":1}`.
pub(crate) fn syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => self::number(number),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{}:{}", quoted(name), syntax(value))).collect();
            format!("map[string]interface {{}}{{{}}}", fields.join(", "))
        }
    }
}

/// The type that a decoded JSON value has, as `%T` prints it.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// The name of a value in the errors of Go's JSON decoder.
pub(crate) fn json_word(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// The package that holds the internal types of a group: `core`, `apps`, `networking`.
pub(crate) fn package(group: &str) -> &str {
    match group.split('.').next() {
        None | Some("") => "core",
        Some(package) => package,
    }
}

/// A string as `%q` prints it.
pub(crate) fn quoted(text: &str) -> String {
    use std::fmt::Write;
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            control if u32::from(control) < 0x20 || control == '\u{7f}' => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\x{:02x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

fn number(number: &Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < 1e21 => format!("{float:.0}"),
        Some(float) if number.is_f64() && (float.abs() >= 1e21 || float.abs() < 1e-4) => exponent(float),
        _ => number.to_string(),
    }
}

/// Go prints the sign of an exponent and at least two digits.
fn exponent(float: f64) -> String {
    let text = format!("{float:e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    match exponent.strip_prefix('-') {
        Some(digits) => format!("{mantissa}e-{digits:0>2}"),
        None => format!("{mantissa}e+{exponent:0>2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_look_as_go_prints_them() {
        let value = json!({"b": [1, 2.5, null], "a": "x\"y", "c": {"d": true}});
        assert_eq!(plain(&value), "map[a:x\"y b:[1 2.5 <nil>] c:map[d:true]]");
        assert_eq!(
            syntax(&value),
            r#"map[string]interface {}{"a":"x\"y", "b":[]interface {}{1, 2.5, interface {}(nil)}, "c":map[string]interface {}{"d":true}}"#
        );
        assert_eq!(plain(&json!(1e21)), "1e+21");
        assert_eq!(plain(&json!(1e-7)), "1e-07");
        assert_eq!(plain(&json!(3.0)), "3");
    }
}
