//! One step of a path into an object, in the format of `managedFields`.

use crate::go;
use serde_json::{Map, Value};
use std::{cmp::Ordering, fmt};

/// One step of a path. The order is the order in which Kubernetes prints.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Element {
    /// A field of an object, or a key of a map.
    Field(String),
    /// The item of a list whose fields have these values; sorted by name.
    Key(Vec<(String, Ordered)>),
    /// The item of a set.
    Value(Ordered),
    /// The item at an index. It is read, but never written.
    Index(i64),
}

/// A JSON value with an order: numbers, strings, booleans, lists, objects, null.
#[derive(Debug, Clone)]
pub(crate) struct Ordered(pub Value);

/// Why a text is not a path element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// A type of element that only newer servers have; it is skipped.
    Unknown,
    Malformed(String),
}

impl Element {
    /// Reads `f:name`, `k:{…}`, `v:…` or `i:0`.
    pub fn parse(text: &str) -> Result<Self, Unreadable> {
        let malformed = |why: String| Unreadable::Malformed(why);
        if text.len() < 2 {
            return Err(malformed("key must be 2 characters long:".to_owned()));
        }
        let Some((kind, rest)) = text.split_once(':').filter(|(kind, _)| kind.len() == 1) else {
            return Err(malformed(format!("missing colon: {text}")));
        };
        match kind {
            "f" => Ok(Self::Field(rest.to_owned())),
            "v" => serde_json::from_str(rest)
                .map(|value| Self::Value(Ordered(value)))
                .map_err(|error| malformed(error.to_string())),
            "k" => serde_json::from_str::<Map<String, Value>>(rest)
                .map(|fields| {
                    Self::Key(fields.into_iter().map(|(name, value)| (name, Ordered(value))).collect())
                })
                .map_err(|error| malformed(error.to_string())),
            "i" => rest.parse().map(Self::Index).map_err(|_| malformed(format!("invalid index: {rest}"))),
            _ => Err(Unreadable::Unknown),
        }
    }

    /// The text that [`Element::parse`] reads.
    pub fn text(&self) -> String {
        match self {
            Self::Field(name) => format!("f:{name}"),
            Self::Key(fields) => {
                let fields: Vec<String> = fields
                    .iter()
                    .map(|(name, value)| {
                        format!("{}:{}", Value::String(name.clone()), escaped(&value.0.to_string()))
                    })
                    .collect();
                format!("k:{{{}}}", fields.join(","))
            }
            Self::Value(value) => format!("v:{}", escaped(&value.0.to_string())),
            Self::Index(index) => format!("i:{index}"),
        }
    }
}

/// JSON as Go's encoder writes it, which escapes what could end a script in a web page.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
    out
}

/// In the format of conflicts: `.spec`, `[name="a"]` or `[="a"]`.
impl fmt::Display for Element {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(out, ".{name}"),
            Self::Key(fields) => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{name}={}", shown(&value.0))).collect();
                write!(out, "[{}]", fields.join(","))
            }
            Self::Value(value) => write!(out, "[={}]", shown(&value.0)),
            Self::Index(index) => write!(out, "[{index}]"),
        }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::String(text) => go::quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(name, value)| format!("{name}={}", shown(value))).collect();
            fields.concat()
        }
        scalar => go::plain(scalar),
    }
}

/// A path in the format of conflicts.
pub(crate) fn path_text(path: &[Element]) -> String {
    path.iter().map(ToString::to_string).collect()
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ordered {}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

/// Whether two values are equal, whatever the notation of their numbers.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    compare(left, right).is_eq()
}

/// The order of values. Whole numbers and fractions compare as numbers.
fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => match (whole(left), whole(right)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => left.as_f64().unwrap_or(0.0).total_cmp(&right.as_f64().unwrap_or(0.0)),
        },
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => {
            let unequal = left.iter().zip(right).map(|(left, right)| compare(left, right));
            first_unequal(unequal).unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => {
            let unequal = left.iter().zip(right).map(|((left_name, left), (right_name, right))| {
                left_name.cmp(right_name).then_with(|| compare(left, right))
            });
            first_unequal(unequal).unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn first_unequal(mut orders: impl Iterator<Item = Ordering>) -> Option<Ordering> {
    orders.find(|order| order.is_ne())
}

fn whole(number: &serde_json::Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn elements_read_back_as_they_are_written() {
        for text in
            ["f:a:b", "f:", r#"k:{"containerPort":80,"protocol":"TCP"}"#, r#"v:"a\u003cb""#, "v:1", "i:3"]
        {
            assert_eq!(Element::parse(text).map(|element| element.text()), Ok(text.to_owned()));
        }
        assert_eq!(Element::parse("q:x"), Err(Unreadable::Unknown));
        for text in ["", "f", "nope", "k:[]", "v:", "i:x", "é:x"] {
            assert!(matches!(Element::parse(text), Err(Unreadable::Malformed(_))), "{text}");
        }
    }

    #[test]
    fn numbers_equal_whatever_their_spelling() {
        assert_eq!(Ordered(json!(1)), Ordered(json!(1.0)));
        assert!(Ordered(json!(443)) > Ordered(json!(80)));
        assert!(Ordered(json!(9)) < Ordered(json!("1")));
    }

    #[test]
    fn a_path_is_shown_as_conflicts_show_it() {
        let path = [
            Element::Field("spec".into()),
            Element::Field("ports".into()),
            Element::Key(vec![
                ("port".into(), Ordered(json!(80))),
                ("protocol".into(), Ordered(json!("TCP"))),
            ]),
        ];
        assert_eq!(path_text(&path), r#".spec.ports[port=80,protocol="TCP"]"#);
        assert_eq!(path_text(&[Element::Value(Ordered(json!("x")))]), r#"[="x"]"#);
    }
}
