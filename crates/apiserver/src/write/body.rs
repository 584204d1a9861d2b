//! Decodes the body of a request into a JSON value.

use crate::{
    failure::Failure,
    go,
    kinds::Origin,
    protobuf::{self, Expected},
    schema,
};
use http::StatusCode;
use serde_json::Value;

/// The body of a create or update.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub object: Value,
    /// Duplicate keys, as `duplicate field "spec.x"`.
    pub duplicates: Vec<String>,
}

/// The format of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PatchFormat {
    Json,
    Merge,
    Strategic,
    Apply,
}

impl Document {
    /// Decodes JSON, YAML or protocol buffers. `expected` is the kind of the path.
    pub fn parse(content_type: Option<&str>, body: &[u8], expected: Expected<'_>) -> Result<Self, Failure> {
        let Self { object, duplicates } = match media_type(content_type) {
            "application/json" | "" => {
                Self { object: json(body, expected.kind)?, duplicates: schema::duplicates(body) }
            }
            "application/yaml" => yaml(body).map_err(|failure| {
                let from = "error decoding patch: error converting YAML to JSON";
                let to = format!("the object provided is unrecognized (must be of type {})", expected.kind);
                failure.reworded(from, &to)
            })?,
            protobuf::MEDIA_TYPE if expected.origin == Origin::Builtin => {
                return Ok(Self { object: protobuf::object(body, expected)?, duplicates: Vec::new() });
            }
            _ => {
                return Err(unknown_format(
                    "application/json, application/yaml, application/vnd.kubernetes.protobuf",
                ));
            }
        };
        if !object.is_object() {
            let what = format!(
                "couldn't get version/kind; json parse error: json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }}",
                go::json_word(&object)
            );
            return Err(Failure::bad_request(what));
        }
        Ok(Self { object, duplicates })
    }
}

impl PatchFormat {
    /// The format of a content type; `strategic` says whether the kind supports that one.
    pub fn parse(content_type: Option<&str>, strategic: Strategic) -> Result<Self, Failure> {
        match (media_type(content_type), strategic) {
            ("application/json-patch+json", _) => Ok(Self::Json),
            ("application/merge-patch+json", _) => Ok(Self::Merge),
            ("application/apply-patch+yaml", _) => Ok(Self::Apply),
            ("application/strategic-merge-patch+json", Strategic::Known) => Ok(Self::Strategic),
            (_, Strategic::Known) => Err(Failure::generic(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "UnsupportedMediaType",
                "415: Unsupported Media Type",
            )),
            (_, Strategic::Unknown) => Err(unknown_format(
                "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
            )),
        }
    }
}

/// Whether a kind supports strategic merge patches: built-in ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategic {
    Known,
    Unknown,
}

/// A YAML document, which may be JSON, and its duplicate keys.
pub(crate) fn yaml(body: &[u8]) -> Result<Document, Failure> {
    let malformed = |why: &str| {
        Failure::bad_request(format!("error decoding patch: error converting YAML to JSON: yaml: {why}"))
    };
    let text = std::str::from_utf8(body).map_err(|error| malformed(&error.to_string()))?;
    match serde_saphyr::from_str(text) {
        Ok(object) => Ok(Document { object, duplicates: Vec::new() }),
        Err(error) => {
            let message = error.to_string();
            let last_wins =
                serde_saphyr::options! { duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins };
            let object = serde_saphyr::from_str_with_options(text, last_wins)
                .map_err(|error| malformed(first_line(&error.to_string())))?;
            Ok(Document { object, duplicates: already_set(&message).into_iter().collect() })
        }
    }
}

/// The error about a duplicate key, in the wording of Kubernetes' YAML decoder.
fn already_set(error: &str) -> Option<String> {
    let line: u64 = error.split_once("line ")?.1.split_whitespace().next()?.parse().ok()?;
    let key = error.split_once("duplicate mapping key: ")?.1.split(',').next()?;
    Some(format!("line {line}: key {key:?} already set in map"))
}

fn json(body: &[u8], kind: &str) -> Result<Value, Failure> {
    serde_json::from_slice(body).map_err(|error| {
        Failure::bad_request(format!(
            "the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; json parse error: {error}"
        ))
    })
}

/// The type without its parameters.
pub(crate) fn media_type(content_type: Option<&str>) -> &str {
    content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim()
}

/// The failure for an unknown media type.
pub(crate) fn unknown_format(known: &str) -> Failure {
    let what = "the body of the request was in an unknown format - accepted media types include";
    Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", format!("{what}: {known}"))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Document;
    use crate::{
        kinds::Origin,
        protobuf::{Expected, MEDIA_TYPE},
    };
    use serde_json::json;

    const CONFIG_MAP: &[u8] = b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x05\x0a\x03\x0a\x01a";

    #[test]
    fn only_built_in_kinds_are_read_as_protocol_buffers() {
        let builtin = Expected::builtin("", "v1", "ConfigMap");
        let custom = Expected { group: "test.io", version: "v1", kind: "Boat", origin: Origin::Custom };
        assert_eq!(
            Document::parse(Some(MEDIA_TYPE), CONFIG_MAP, builtin).expect("a ConfigMap").object,
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
        );
        let refused = Document::parse(Some(MEDIA_TYPE), CONFIG_MAP, custom).expect_err("no custom object");
        assert_eq!((refused.code.as_u16(), refused.reason.as_ref()), (415, "UnsupportedMediaType"));
        let malformed = Document::parse(Some(MEDIA_TYPE), b"k8s", builtin).expect_err("no envelope");
        assert_eq!((malformed.code.as_u16(), malformed.reason.as_ref()), (400, "BadRequest"));
    }
}
