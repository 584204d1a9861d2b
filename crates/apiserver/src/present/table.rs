//! Objects as the rows of a `Table`, which `kubectl get` prints.

use super::{
    JsonPath, age, partial,
    printers::{self, Head, Printer, Row},
};
use crate::kinds::{Origin, Resource};
use jiff::Timestamp;
use serde_json::{Value, json};

/// How much of each object its row contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IncludeObject {
    None,
    Metadata,
    Object,
}

impl IncludeObject {
    /// Parses the query parameter `includeObject`; None for an invalid value.
    pub fn parse(parameter: Option<&str>) -> Option<Self> {
        match parameter {
            None | Some("" | "Metadata") => Some(Self::Metadata),
            Some("None") => Some(Self::None),
            Some("Object") => Some(Self::Object),
            Some(_) => None,
        }
    }
}

/// Whether the table describes its columns; only the first table of a watch does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WithHeaders {
    Yes,
    No,
}

/// Objects of one kind as a `Table` of this version of `meta.k8s.io`.
pub(crate) fn table(
    resource: &Resource,
    objects: &[&Value],
    list_metadata: Value,
    include: IncludeObject,
    now: Timestamp,
    headers: WithHeaders,
    version: &str,
) -> Value {
    let layout = Layout::of(resource);
    let rows: Vec<Value> = layout
        .rows(objects, now)
        .into_iter()
        .zip(objects)
        .map(|(row, object)| {
            let mut shown =
                json!({"cells": row.cells, "object": included(resource, object, include, version)});
            if let Some(condition) = row.condition {
                shown["conditions"] = json!([condition]);
            }
            shown
        })
        .collect();
    let columns = match headers {
        WithHeaders::Yes => layout.headers(),
        WithHeaders::No => Value::Null,
    };
    let rows = if rows.is_empty() && layout.rows_may_be_unset() { Value::Null } else { rows.into() };
    json!({
        "kind": "Table",
        "apiVersion": format!("meta.k8s.io/{version}"),
        "metadata": list_metadata,
        "columnDefinitions": columns,
        "rows": rows,
    })
}

fn included(resource: &Resource, object: &Value, include: IncludeObject, version: &str) -> Value {
    match include {
        IncludeObject::None => Value::Null,
        IncludeObject::Metadata => partial(object, version),
        IncludeObject::Object => {
            let mut whole = object.clone();
            if let Value::Object(fields) = &mut whole {
                fields.insert("apiVersion".into(), resource.api_version().into());
                fields.insert("kind".into(), resource.kind.clone().into());
            }
            whole
        }
    }
}

/// The columns of one kind.
enum Layout<'r> {
    Builtin(Printer),
    Custom(Vec<CustomColumn<'r>>),
}

struct CustomColumn<'r> {
    name: &'r str,
    kind: &'r str,
    format: &'r str,
    description: String,
    priority: i64,
    /// None for an invalid path: its cells stay empty.
    path: Option<JsonPath>,
}

impl<'r> Layout<'r> {
    fn of(resource: &'r Resource) -> Self {
        match resource.origin {
            Origin::Builtin => Self::Builtin(printers::of(&resource.group, &resource.plural)),
            Origin::Custom if resource.columns.is_empty() => Self::Custom(vec![CustomColumn {
                name: "Age",
                kind: "date",
                format: "",
                description: printers::CREATED.text(),
                priority: 0,
                path: JsonPath::parse(".metadata.creationTimestamp").ok(),
            }]),
            Origin::Custom => Self::Custom(
                resource
                    .columns
                    .iter()
                    .filter_map(|column| {
                        let path = column.json_path.as_deref()?;
                        let description = if column.description.is_empty() {
                            format!("Custom resource definition column (in JSONPath format): {path}")
                        } else {
                            column.description.clone()
                        };
                        Some(CustomColumn {
                            name: &column.name,
                            kind: &column.kind,
                            format: &column.format,
                            description,
                            priority: column.priority,
                            path: JsonPath::parse(path).ok(),
                        })
                    })
                    .collect(),
            ),
        }
    }

    fn rows_may_be_unset(&self) -> bool {
        matches!(self, Self::Builtin(Printer { rows_may_be_unset: true, .. }))
    }

    fn headers(&self) -> Value {
        let builtin =
            |head: &Head| header(head.name, head.kind, head.format, &head.about.text(), head.priority);
        match self {
            Self::Builtin(printer) => printer.heads.iter().map(builtin).collect(),
            Self::Custom(columns) => std::iter::once(builtin(&printers::NAME))
                .chain(columns.iter().map(|column| {
                    header(column.name, column.kind, column.format, &column.description, column.priority)
                }))
                .collect(),
        }
    }

    fn rows(&self, objects: &[&Value], now: Timestamp) -> Vec<Row> {
        match self {
            Self::Builtin(printer) => printer.rows(objects, now),
            Self::Custom(columns) => objects
                .iter()
                .map(|object| {
                    let name = object.pointer("/metadata/name").cloned().unwrap_or_else(|| "".into());
                    let cells = columns.iter().map(|column| column.cell(object, now));
                    Row::plain(std::iter::once(name).chain(cells).collect())
                })
                .collect(),
        }
    }
}

impl CustomColumn<'_> {
    fn cell(&self, object: &Value, now: Timestamp) -> Value {
        let found = self.path.as_ref().and_then(|path| path.find(object).ok()?.first().copied());
        let Some(value) = found else { return Value::Null };
        match (self.kind, value) {
            ("string", Value::String(_)) | ("boolean", Value::Bool(_)) => value.clone(),
            ("string", Value::Null) => "<no value>".into(),
            ("string", other) => other.to_string().into(),
            ("integer", Value::Number(number)) => whole(number),
            // Go writes 2.0 as 2.
            ("number", Value::Number(number))
                if number.as_f64().is_some_and(|float| float.fract() == 0.0) =>
            {
                whole(number)
            }
            ("date", Value::String(_)) => age::since(Some(value), now).into(),
            _ => Value::Null,
        }
    }
}

fn header(name: &str, kind: &str, format: &str, about: &str, priority: i64) -> Value {
    json!({"name": name, "type": kind, "format": format, "description": about, "priority": priority})
}

/// A number without its fraction.
fn whole(number: &serde_json::Number) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "Go converts the same way, and saturation is as good"
    )]
    number.as_i64().or_else(|| number.as_f64().map(|float| float as i64)).map_or(Value::Null, Value::from)
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
