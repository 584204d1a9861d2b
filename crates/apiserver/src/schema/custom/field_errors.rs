//! Field errors in the wording of Go.

use crate::{
    failure::{Cause, Fault},
    schema::path::Path,
};
use serde_json::Value;

/// `Invalid value: VALUE: detail`
pub(super) fn invalid(path: &Path, value: &Value, detail: impl AsRef<str>) -> Cause {
    at(path, Fault::Invalid, format!("Invalid value: {}: {}", shown(value), detail.as_ref()))
}

/// `Invalid value: VALUE: detail`, for a value with its own format.
pub(super) fn invalid_shown(path: &Path, value: &str, detail: &str) -> Cause {
    at(path, Fault::Invalid, format!("Invalid value: {value}: {detail}"))
}

/// `Invalid value: detail`, for values that are not shown.
pub(super) fn invalid_unshown(path: &Path, detail: &str) -> Cause {
    at(path, Fault::Invalid, format!("Invalid value: {detail}"))
}

/// An error without a field.
pub(super) fn nowhere(detail: impl AsRef<str>) -> Cause {
    invalid(&Path::default(), &Value::String(String::new()), detail)
}

/// A value of the wrong type or format.
pub(super) fn mistyped(path: &Path, value: &Value, detail: impl AsRef<str>) -> Cause {
    Cause { fault: Fault::TypeInvalid, ..invalid(path, value, detail) }
}

pub(super) fn required(path: &Path, detail: &str) -> Cause {
    Cause::required(path.named(), detail)
}

pub(super) fn forbidden(path: &Path, detail: &str) -> Cause {
    Cause::forbidden(path.named(), detail)
}

pub(super) fn duplicate(path: &Path, value: &Value) -> Cause {
    at(path, Fault::Duplicate, format!("Duplicate value: {}", shown(value)))
}

pub(super) fn duplicate_unshown(path: &Path) -> Cause {
    at(path, Fault::Duplicate, "Duplicate value".to_owned())
}

pub(super) fn not_supported(path: &Path, value: &Value, supported: &[String]) -> Cause {
    let supported = supported.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ");
    at(
        path,
        Fault::NotSupported,
        format!("Unsupported value: {}: supported values: {supported}", shown(value)),
    )
}

pub(super) fn too_long(path: &Path, most: u64) -> Cause {
    let bytes = if most == 1 { "byte" } else { "bytes" };
    at(path, Fault::TooLong, format!("Too long: may not be more than {most} {bytes}"))
}

pub(super) fn too_many(path: &Path, actual: usize, most: u64) -> Cause {
    let items = if most == 1 { "item" } else { "items" };
    at(path, Fault::TooMany, format!("Too many: {actual}: must have at most {most} {items}"))
}

fn at(path: &Path, fault: Fault, message: String) -> Cause {
    Cause { fault, field: path.named(), message }
}

/// A value in the format of Go's field errors.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Number(number) => {
            number.as_f64().filter(|_| number.is_f64()).map_or_else(|| number.to_string(), float)
        }
        Value::Array(_) | Value::Object(_) => json(value),
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}

/// JSON as Go writes it.
pub(super) fn json(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// Go's `%q`.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

fn escaped(character: char) -> String {
    match character {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        control if control.is_ascii_control() => format!("\\x{:02x}", u32::from(control)),
        control if control.is_control() => format!("\\u{:04x}", u32::from(control)),
        plain => plain.to_string(),
    }
}

/// Go's `%v` of a float.
pub(super) fn float(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 || (1e-4..1e21).contains(&size) {
        return number.to_string();
    }
    let scientific = format!("{number:e}");
    match scientific.split_once('e') {
        Some((digits, power)) => {
            let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
            format!("{digits}e{sign}{power:0>2}")
        }
        None => scientific,
    }
}
