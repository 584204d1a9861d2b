//! OpenAPI 2 as the protocol buffers of gnostic (`OpenAPIv2.proto`), the only form that kubectl reads it in.

use super::protobuf::Message;
use serde_json::{Map, Value};

/// A document of version 2, encoded.
pub(in crate::discovery) fn document(document: &Value) -> Vec<u8> {
    let info =
        Message::default().text(1, text(document, "/info/title")).text(2, text(document, "/info/version"));
    let paths = entries(document, "paths")
        .fold(Message::default(), |paths, (path, item)| paths.message(2, named(path, path_item(item))));
    let definitions = entries(document, "definitions")
        .fold(Message::default(), |definitions, (name, value)| {
            definitions.message(1, named(name, schema(value)))
        });
    Message::default()
        .text(1, text(document, "/swagger"))
        .message(2, info)
        .message(8, paths)
        .message(9, definitions)
        .into_bytes()
}

fn text<'v>(value: &'v Value, pointer: &str) -> &'v str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn entries<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = (&'v String, &'v Value)> {
    value.get(field).and_then(Value::as_object).into_iter().flatten()
}

fn items<'v>(value: &'v Value, field: &str) -> impl Iterator<Item = &'v Value> {
    value.get(field).and_then(Value::as_array).into_iter().flatten()
}

fn named(name: &str, value: Message) -> Message {
    Message::default().text(1, name).message(2, value)
}

/// Any value, as YAML; JSON is YAML.
fn any(value: &Value) -> Message {
    Message::default().text(2, &format!("{value}\n"))
}

fn with_extensions(message: Message, field: u64, fields: &Value) -> Message {
    fields
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| name.starts_with("x-"))
        .fold(message, |message, (name, value)| message.message(field, named(name, any(value))))
}

fn path_item(item: &Value) -> Message {
    let methods = [("get", 2), ("put", 3), ("post", 4), ("delete", 5), ("patch", 8)];
    let message =
        methods.into_iter().fold(Message::default(), |message, (method, field)| match item.get(method) {
            Some(value) => message.message(field, operation(value)),
            None => message,
        });
    items(item, "parameters").fold(message, |message, value| message.message(9, parameter(value)))
}

fn operation(operation: &Value) -> Message {
    let texts = |message: Message, field: u64, name: &str| {
        items(operation, name)
            .filter_map(Value::as_str)
            .fold(message, |message, text| message.entry(field, text))
    };
    let mut message = texts(Message::default(), 1, "tags");
    message = message.text(3, text(operation, "/description")).text(5, text(operation, "/operationId"));
    message = texts(texts(message, 6, "produces"), 7, "consumes");
    message =
        items(operation, "parameters").fold(message, |message, value| message.message(8, parameter(value)));
    let responses = entries(operation, "responses").fold(Message::default(), |responses, (code, value)| {
        let mut response = Message::default().text(1, text(value, "/description"));
        if let Some(value) = value.get("schema") {
            response = response.message(2, Message::default().message(1, schema(value)));
        }
        responses.message(1, named(code, Message::default().message(1, response)))
    });
    message = texts(message.message(9, responses), 10, "schemes");
    with_extensions(message, 13, operation)
}

/// A `ParametersItem`.
fn parameter(parameter: &Value) -> Message {
    let place = text(parameter, "/in");
    let name = text(parameter, "/name");
    let required = parameter.get("required").and_then(Value::as_bool).unwrap_or_default();
    let kind = text(parameter, "/type");
    let inner = match place {
        "body" => {
            let body = Message::default().text(2, name).text(3, place).flag(4, required);
            let body = match parameter.get("schema") {
                Some(value) => body.message(5, schema(value)),
                None => body,
            };
            Message::default().message(1, body)
        }
        "path" => {
            let path = Message::default()
                .flag(1, required)
                .text(2, place)
                .text(4, name)
                .text(5, kind)
                .flag(19, true);
            Message::default().message(2, Message::default().message(4, path))
        }
        _ => {
            let query = Message::default()
                .flag(1, required)
                .text(2, place)
                .text(4, name)
                .text(6, kind)
                .flag(20, true);
            Message::default().message(2, Message::default().message(3, query))
        }
    };
    Message::default().message(1, inner)
}

fn schema(schema: &Value) -> Message {
    let empty = Map::new();
    let fields = schema.as_object().unwrap_or(&empty);
    let message =
        fields.iter().fold(Message::default(), |message, (name, value)| field(message, name, value));
    with_extensions(message, 31, schema)
}

/// One keyword of a schema.
fn field(message: Message, name: &str, value: &Value) -> Message {
    let text = value.as_str().unwrap_or_default();
    let flag = value.as_bool().unwrap_or_default();
    let double = value.as_f64().unwrap_or_default();
    let integer = value.as_i64().unwrap_or_default();
    let list = value.as_array().map_or(&[][..], Vec::as_slice);
    match name {
        "$ref" => message.text(1, text),
        "format" => message.text(2, text),
        "title" => message.text(3, text),
        "description" => message.text(4, text),
        "default" => message.message(5, any(value)),
        "multipleOf" => message.double(6, double),
        "maximum" => message.double(7, double),
        "exclusiveMaximum" => message.flag(8, flag),
        "minimum" => message.double(9, double),
        "exclusiveMinimum" => message.flag(10, flag),
        "maxLength" => message.integer(11, integer),
        "minLength" => message.integer(12, integer),
        "pattern" => message.text(13, text),
        "maxItems" => message.integer(14, integer),
        "minItems" => message.integer(15, integer),
        "uniqueItems" => message.flag(16, flag),
        "maxProperties" => message.integer(17, integer),
        "minProperties" => message.integer(18, integer),
        "required" => {
            list.iter().filter_map(Value::as_str).fold(message, |message, name| message.entry(19, name))
        }
        "enum" => list.iter().fold(message, |message, value| message.message(20, any(value))),
        "additionalProperties" => message.message(
            21,
            match value {
                Value::Bool(allowed) => Message::default().flag(2, *allowed),
                value => Message::default().message(1, schema(value)),
            },
        ),
        "type" => message.message(22, Message::default().entry(1, text)),
        "items" => message.message(23, Message::default().message(1, schema(value))),
        "properties" => {
            let properties = value
                .as_object()
                .into_iter()
                .flatten()
                .fold(Message::default(), |properties, (name, value)| {
                    properties.message(1, named(name, schema(value)))
                });
            message.message(25, properties)
        }
        _ => message,
    }
}
