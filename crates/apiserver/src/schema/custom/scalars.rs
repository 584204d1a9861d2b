//! Types, ranges and equality of scalars.

use crate::schema::Type;
use serde_json::{Number, Value};

/// The names of a value's type and of its format in Go.
pub(super) fn described(value: &Value) -> (&'static str, &'static str) {
    match value {
        Value::Null => ("null", ""),
        Value::Bool(_) => ("boolean", ""),
        Value::Number(number) if number.is_f64() => ("number", "float64"),
        Value::Number(_) => ("integer", "int64"),
        Value::String(_) => ("string", ""),
        Value::Array(_) => ("array", ""),
        Value::Object(_) => ("object", ""),
    }
}

/// Whether a value is of a type.
pub(super) fn fits(kind: Option<Type>, value: &Value) -> bool {
    let whole = |number: &Number| number.as_f64().is_some_and(|number| number.fract() == 0.0);
    match (kind, value) {
        (Some(Type::Object), Value::Object(_))
        | (Some(Type::Array), Value::Array(_))
        | (Some(Type::String | Type::IntOrString), Value::String(_))
        | (Some(Type::Boolean), Value::Bool(_))
        | (Some(Type::Number), Value::Number(_)) => true,
        (Some(Type::Integer | Type::IntOrString), Value::Number(number)) => !number.is_f64() || whole(number),
        _ => false,
    }
}

/// Whether a number is in the range of its type and format.
pub(super) fn in_range(kind: Option<Type>, format: Option<&str>, number: &Number) -> bool {
    let actual = number.as_f64().unwrap_or(f64::NAN);
    match (kind, format) {
        (Some(Type::Integer), Some("int32")) => {
            actual.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&actual)
        }
        (Some(Type::Integer), _) => {
            number.is_i64() || (number.is_f64() && actual.fract() == 0.0 && actual.abs() < 2_f64.powi(63))
        }
        (Some(Type::Number), Some("float")) => actual.abs() <= f64::from(f32::MAX),
        _ => true,
    }
}

/// Whether a number is a multiple of another, within the precision of a float.
pub(super) fn is_multiple(number: &Number, factor: f64) -> bool {
    let actual = number.as_f64().unwrap_or(f64::NAN);
    let quotient = if factor < 1.0 { 1.0 / factor * actual } else { actual / factor };
    (quotient - quotient.round()).abs() <= f64::EPSILON * quotient.abs().max(1.0)
}

/// Equality that ignores the difference between 1 and 1.0.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    left == right
        || match (left, right) {
            (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
            _ => false,
        }
}

/// Writes numbers as Go does: 2, not 2.0.
pub(crate) fn shorten_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let text =
                number.as_f64().filter(|float| float.fract() == 0.0).map(|float| format!("{float:.0}"));
            if let Some(whole) = text.and_then(|text| text.parse::<i64>().ok()) {
                *value = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_numbers),
        Value::Object(fields) => fields.values_mut().for_each(shorten_numbers),
        _ => {}
    }
}
