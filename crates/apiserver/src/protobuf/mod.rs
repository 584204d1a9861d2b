//! Built-in objects as protocol buffers, which typed clients such as `kubectl create` send.
//!
//! A body is an envelope with a kind and a message. The message is decoded into the JSON object that the same client
//! would have sent as JSON; no other module knows the difference.

mod decode;
mod messages;
#[cfg(test)]
mod tests;
mod wire;

use crate::{
    failure::Failure,
    go,
    kinds::{Origin, Resource},
};
use serde_json::Value;
use wire::{Fields, Payload};

/// The media type of such a body.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// The first bytes of every body.
const MAGIC: &[u8] = b"k8s\0";
/// How many bytes of a body a failure quotes.
const QUOTED: usize = 30;

/// The kind of a body that does not name one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected<'a> {
    pub group: &'a str,
    pub version: &'a str,
    pub kind: &'a str,
    /// Only built-in kinds have messages.
    pub origin: Origin,
}

impl<'a> From<&'a Resource> for Expected<'a> {
    fn from(resource: &'a Resource) -> Self {
        Self {
            group: &resource.group,
            version: &resource.version,
            kind: &resource.kind,
            origin: resource.origin,
        }
    }
}

impl<'a> Expected<'a> {
    /// A built-in kind.
    pub fn builtin(group: &'a str, version: &'a str, kind: &'a str) -> Self {
        Self { group, version, kind, origin: Origin::Builtin }
    }
}

/// Why bytes are not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Malformed {
    #[error("empty data")]
    NoData,
    #[error("empty body")]
    NoBody,
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    Magic,
    #[error("unexpected EOF")]
    Ends,
    #[error("proto: integer overflow")]
    Overflow,
    #[error("proto: negative length found during unmarshaling")]
    Length,
    #[error("proto: illegal wireType {0}")]
    WireType(u8),
    #[error("proto: wrong wireType = {wire} for field {field}")]
    WrongWireType { wire: u8, field: String },
    #[error("proto: {message}: illegal tag {number} (wire type {wire})")]
    Tag { message: &'static str, number: i32, wire: u64 },
    #[error("proto: {0}: wiretype end group for non-group")]
    EndOfGroup(&'static str),
    #[error("exceeded max depth")]
    Nested,
    #[error("impossible IntOrString.Type")]
    NumberOrText,
    #[error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'")]
    Quantity,
    #[error("Time.MarshalJSON: year outside of range [0,9999]")]
    Time,
    #[error("json: {0}")]
    Json(String),
}

/// The object of a body, as JSON.
pub(crate) fn object(body: &[u8], expected: Expected<'_>) -> Result<Value, Failure> {
    let envelope = Envelope::open(body).map_err(|why| {
        Failure::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {why} ({})",
            expected.kind,
            quoted(body)
        ))
    })?;
    let (api_version, kind) = envelope.declared(expected);
    envelope.object(&api_version, &kind).map_err(|why| {
        let version = api_version.rsplit('/').next().unwrap_or_default();
        let expected = expected.kind;
        Failure::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {expected}: {why}"
        ))
    })
}

/// The options of a deletion, as JSON.
pub(crate) fn delete_options(body: &[u8]) -> Result<Value, Failure> {
    let expected = Expected::builtin("", "v1", "DeleteOptions");
    let failed = |why: Malformed| Failure::bad_request(why.to_string());
    let envelope = Envelope::open(body).map_err(failed)?;
    let (api_version, kind) = envelope.declared(expected);
    envelope.object(&api_version, &kind).map_err(failed)
}

/// The parts of a body.
struct Envelope<'a> {
    api_version: String,
    kind: String,
    message: &'a [u8],
}

impl<'a> Envelope<'a> {
    fn open(body: &'a [u8]) -> Result<Self, Malformed> {
        if body.is_empty() {
            return Err(Malformed::NoData);
        }
        let content = body.strip_prefix(MAGIC).ok_or(Malformed::Magic)?;
        if content.is_empty() {
            return Err(Malformed::NoBody);
        }
        let mut envelope = Self { api_version: String::new(), kind: String::new(), message: &[] };
        let mut fields = Fields::of("Unknown", content);
        while let Some((number, payload)) = fields.next()? {
            match (number, payload) {
                (1, Payload::Bytes(bytes)) => envelope.read_type(bytes)?,
                (2, Payload::Bytes(bytes)) => envelope.message = bytes,
                (1..=4, payload) if !matches!(payload, Payload::Bytes(_)) => {
                    let field = ["TypeMeta", "Raw", "ContentEncoding", "ContentType"];
                    let index = usize::try_from(number - 1).unwrap_or_default();
                    let field = field.get(index).copied().unwrap_or_default().to_owned();
                    return Err(Malformed::WrongWireType { wire: payload.wire_type(), field });
                }
                _ => {}
            }
        }
        Ok(envelope)
    }

    fn read_type(&mut self, bytes: &[u8]) -> Result<(), Malformed> {
        let mut fields = Fields::of("TypeMeta", bytes);
        while let Some((number, payload)) = fields.next()? {
            match (number, payload) {
                (1, Payload::Bytes(bytes)) => self.api_version = String::from_utf8_lossy(bytes).into_owned(),
                (2, Payload::Bytes(bytes)) => self.kind = String::from_utf8_lossy(bytes).into_owned(),
                _ => {}
            }
        }
        Ok(())
    }

    /// API version and kind, or the expected ones if the body does not name them.
    fn declared(&self, expected: Expected<'_>) -> (String, String) {
        let api_version = match (self.api_version.as_str(), expected.group) {
            ("", "") => expected.version.to_owned(),
            ("", group) => format!("{group}/{}", expected.version),
            (declared, _) => declared.to_owned(),
        };
        let kind = if self.kind.is_empty() { expected.kind } else { &self.kind };
        (api_version, kind.to_owned())
    }

    /// The object. That of an unknown kind has only its kind, and is refused later.
    fn object(&self, api_version: &str, kind: &str) -> Result<Value, Malformed> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        // Every group has its own, all equal.
        let package = if kind == "DeleteOptions" { "meta" } else { go::package(group) };
        let mut fields = decode::object(&format!("{package}.{kind}"), self.message)?;
        fields.insert("apiVersion".to_owned(), api_version.into());
        fields.insert("kind".to_owned(), kind.into());
        Ok(Value::Object(fields))
    }
}

/// The beginning of a body in the format of failures.
fn quoted(body: &[u8]) -> String {
    let shown = body.get(..QUOTED).unwrap_or(body);
    let more = if body.len() > QUOTED { " ..." } else { "" };
    match shown.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(shown)),
        Some(_) => shown.iter().map(|byte| format!("{byte:02x}")).chain([more.to_owned()]).collect(),
    }
}
