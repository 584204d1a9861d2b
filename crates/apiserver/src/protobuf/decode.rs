//! Decodes messages into the JSON objects that they encode.

use super::{
    Malformed,
    messages::{Field, Message, Place, Shape, message},
    wire::{Fields, Payload, low_half, packed},
};
use crate::kinds::Quantity;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Number, Value};

/// The maximum nesting of values, as in a JSON body.
const DEEPEST: usize = 120;

/// A message as a JSON value; an empty object if the message is unknown.
pub(super) fn object(name: &str, bytes: &[u8]) -> Result<Map<String, Value>, Malformed> {
    let Some(message) = message(name) else { return Ok(Map::new()) };
    match decoded(message, bytes, Value::Null, DEEPEST)? {
        Value::Object(fields) => Ok(fields),
        _ => Ok(Map::new()),
    }
}

/// Adds the bytes of a message to the decoded value; a message may come in pieces.
fn decoded(message: &Message, bytes: &[u8], known: Value, depth: usize) -> Result<Value, Malformed> {
    let depth = depth.checked_sub(1).ok_or(Malformed::Nested)?;
    let mut value = match known {
        known if message.is_a_wrapper() => known,
        Value::Object(fields) => Value::Object(fields),
        _ => Value::Object(Map::new()),
    };
    let mut fields = Fields::of(message.name, bytes);
    while let Some((number, payload)) = fields.next()? {
        let Some(field) = message.field(number) else { continue };
        let read = |known| field.shape.read(field, payload, known, depth);
        match (field.place, &mut value) {
            (Place::Whole | Place::Inline, value) => *value = read(value.take())?,
            (Place::Named(name), Value::Object(object)) => {
                let known = object.remove(name).unwrap_or_default();
                let new = read(known)?;
                if !new.is_null() {
                    object.insert(name.to_owned(), new);
                }
            }
            (Place::Filled(name), Value::Object(object)) => {
                let new = read(Value::Null)?;
                if is_zero(&new) {
                    object.remove(name);
                } else {
                    object.insert(name.to_owned(), new);
                }
            }
            (Place::Named(_) | Place::Filled(_), _) => {}
        }
    }
    Ok(value)
}

impl Shape {
    /// The value of a field that was `known` before.
    fn read(
        &self,
        field: &Field,
        payload: Payload<'_>,
        known: Value,
        depth: usize,
    ) -> Result<Value, Malformed> {
        match (self, payload) {
            (Self::Boolean | Self::Small | Self::Large, Payload::Number(number)) => Ok(self.scalar(number)),
            (Self::Float, Payload::Eight(bytes)) => Ok(float(f64::from_le_bytes(bytes))),
            (Self::List(item), payload) => {
                let mut items = match known {
                    Value::Array(items) => items,
                    _ => Vec::new(),
                };
                let depth = depth.checked_sub(1).ok_or(Malformed::Nested)?;
                match (&**item, payload) {
                    (Self::Boolean | Self::Small | Self::Large, Payload::Bytes(bytes)) => {
                        items.extend(packed(bytes)?.into_iter().map(|number| item.scalar(number)));
                    }
                    _ => items.push(item.read(field, payload, Value::Null, depth)?),
                }
                Ok(Value::Array(items))
            }
            (Self::Map(item), Payload::Bytes(bytes)) => {
                let mut entries = match known {
                    Value::Object(entries) => entries,
                    _ => Map::new(),
                };
                let depth = depth.checked_sub(1).ok_or(Malformed::Nested)?;
                let (key, value) = item.entry(field, bytes, depth)?;
                entries.insert(key, value);
                Ok(Value::Object(entries))
            }
            (Self::Text, Payload::Bytes(bytes)) => Ok(String::from_utf8_lossy(bytes).into()),
            (Self::Bytes, Payload::Bytes(bytes)) => Ok(STANDARD.encode(bytes).into()),
            (Self::Time, Payload::Bytes(bytes)) => time(bytes, Precision::Seconds),
            (Self::MicroTime, Payload::Bytes(bytes)) => time(bytes, Precision::Microseconds),
            (Self::Quantity, Payload::Bytes(bytes)) => quantity(bytes),
            (Self::NumberOrText, Payload::Bytes(bytes)) => number_or_text(bytes),
            (Self::Raw, Payload::Bytes(bytes)) => raw(bytes, depth),
            (Self::Message(name), Payload::Bytes(bytes)) => match message(name) {
                Some(message) => decoded(message, bytes, known, depth),
                None => Ok(known),
            },
            _ => Err(Malformed::WrongWireType { wire: payload.wire_type(), field: field.go_name() }),
        }
    }

    /// The value of a number on the wire.
    fn scalar(&self, number: u64) -> Value {
        match self {
            Self::Boolean => (number != 0).into(),
            Self::Small => low_half(number).cast_signed().into(),
            _ => number.cast_signed().into(),
        }
    }

    /// A key of a map, and its value.
    fn entry(&self, field: &Field, bytes: &[u8], depth: usize) -> Result<(String, Value), Malformed> {
        let mut key = String::new();
        let mut value = self.zero();
        let mut fields = Fields::of("", bytes);
        while let Some((number, payload)) = fields.next()? {
            match (number, payload) {
                (1, Payload::Bytes(bytes)) => key = String::from_utf8_lossy(bytes).into_owned(),
                (2, payload) => value = self.read(field, payload, Value::Null, depth)?,
                _ => {}
            }
        }
        Ok((key, value))
    }

    fn zero(&self) -> Value {
        match self {
            Self::Text | Self::Bytes => "".into(),
            Self::Boolean => false.into(),
            Self::Small | Self::Large | Self::Float | Self::NumberOrText => 0.into(),
            Self::Quantity => "0".into(),
            Self::Map(_) | Self::Message(_) => Value::Object(Map::new()),
            Self::List(_) => Value::Array(Vec::new()),
            Self::Time | Self::MicroTime | Self::Raw => Value::Null,
        }
    }
}

impl Field {
    /// The name of the field in failures.
    fn go_name(&self) -> String {
        match self.place {
            Place::Named("metadata") => "ObjectMeta".to_owned(),
            Place::Named(name) | Place::Filled(name) => {
                let mut rest = name.chars();
                rest.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(rest).collect()
            }
            Place::Inline | Place::Whole => format!("{}", self.number),
        }
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(set) => !set,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Precision {
    Seconds,
    Microseconds,
}

/// No bytes mean no time.
fn time(bytes: &[u8], precision: Precision) -> Result<Value, Malformed> {
    if bytes.is_empty() {
        return Ok(Value::Null);
    }
    let (mut seconds, mut nanos) = (0, 0);
    let mut fields = Fields::of("Timestamp", bytes);
    while let Some((number, payload)) = fields.next()? {
        match (number, payload) {
            (1, Payload::Number(number)) => seconds = number.cast_signed(),
            (2, Payload::Number(number)) => nanos = low_half(number).cast_signed(),
            _ => {}
        }
    }
    let nanos = if precision == Precision::Seconds { 0 } else { nanos };
    let time = jiff::Timestamp::new(seconds, nanos).map_err(|_| Malformed::Time)?;
    let digits = if precision == Precision::Seconds { 0 } else { 6 };
    Ok(format!("{time:.digits$}").into())
}

fn quantity(bytes: &[u8]) -> Result<Value, Malformed> {
    let mut text = None;
    let mut fields = Fields::of("Quantity", bytes);
    while let Some((number, payload)) = fields.next()? {
        if let (1, Payload::Bytes(bytes)) = (number, payload) {
            text = Some(String::from_utf8_lossy(bytes));
        }
    }
    let Some(text) = text else { return Ok("0".into()) };
    text.parse::<Quantity>().map_err(|_| Malformed::Quantity)?;
    Ok(text.into())
}

fn number_or_text(bytes: &[u8]) -> Result<Value, Malformed> {
    let (mut kind, mut number, mut text) = (0, 0, String::new());
    let mut fields = Fields::of("IntOrString", bytes);
    while let Some(field) = fields.next()? {
        match field {
            (1, Payload::Number(value)) => kind = value,
            (2, Payload::Number(value)) => number = low_half(value).cast_signed(),
            (3, Payload::Bytes(bytes)) => text = String::from_utf8_lossy(bytes).into_owned(),
            _ => {}
        }
    }
    match kind {
        0 => Ok(number.into()),
        1 => Ok(text.into()),
        _ => Err(Malformed::NumberOrText),
    }
}

/// JSON within a message.
fn raw(bytes: &[u8], depth: usize) -> Result<Value, Malformed> {
    let mut json = &[][..];
    let mut fields = Fields::of("RawExtension", bytes);
    while let Some((number, payload)) = fields.next()? {
        if let (1, Payload::Bytes(bytes)) = (number, payload) {
            json = bytes;
        }
    }
    if json.is_empty() {
        return Ok(Value::Null);
    }
    let value = serde_json::from_slice(json).map_err(|error| Malformed::Json(error.to_string()))?;
    if nesting(&value) > depth { Err(Malformed::Nested) } else { Ok(value) }
}

fn nesting(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(nesting).max().unwrap_or_default(),
        Value::Object(fields) => 1 + fields.values().map(nesting).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Whole numbers are written without a fraction.
fn float(number: f64) -> Value {
    let whole = format!("{number:.0}").parse::<i64>().ok().filter(|_| number.fract() == 0.0);
    whole.map(Value::from).or_else(|| Number::from_f64(number).map(Value::Number)).unwrap_or_default()
}
