//! The `Accept` header, parsed as kube-apiserver does.

use crate::{
    failure::Failure,
    go,
    kinds::{Origin, Resource},
};
use bytes::Bytes;
use http::StatusCode;
use serde_json::Value;
use std::cmp::Ordering;

/// The requested form of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Presentation {
    pub shape: As,
    pub format: Format,
}

/// The requested conversion of an object or a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// None.
    Object,
    /// `PartialObjectMetadata`; not for a list.
    PartialMetadata { version: &'static str },
    /// `PartialObjectMetadataList`; only for a list.
    PartialMetadataList { version: &'static str },
    /// `Table`
    Table { version: &'static str },
}

/// The requested encoding of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    Yaml,
}

impl Format {
    /// The media type of the response.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
        }
    }

    /// A value as the body of a response.
    pub fn written(self, value: &Value) -> Bytes {
        let json = || format!("{value}\n");
        match self {
            Self::Json => json(),
            // If YAML should ever fail: JSON is YAML, too.
            Self::Yaml => serde_saphyr::to_string(value).unwrap_or_else(|_| json()),
        }
        .into()
    }
}

/// The client accepts nothing that the server can send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAcceptable {
    /// It accepts no supported media type.
    Media,
    /// It asks for an unknown conversion.
    Conversion,
}

impl NotAcceptable {
    /// The failure for a client that requested objects of this kind.
    pub fn failure(self, resource: &Resource) -> Failure {
        let medias = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
        match (self, resource.origin) {
            // For built-in kinds, the router checks the media type before the handler does.
            (Self::Media, Origin::Builtin) => Failure::generic(
                StatusCode::NOT_ACCEPTABLE,
                "NotAcceptable",
                format!("406: Not Acceptable\n\nAvailable representations: {medias}"),
            ),
            _ => refused(format!("only the following media types are accepted: {medias}")),
        }
    }
}

fn refused(message: String) -> Failure {
    Failure::new(StatusCode::NOT_ACCEPTABLE, "NotAcceptable", message)
}

impl As {
    /// Refuses one object as a list, and a list as one object.
    pub fn fits(self, is_list: bool, resource: &Resource) -> Result<(), Failure> {
        let (word, what) = match (self, is_list) {
            (Self::PartialMetadata { .. }, true) => ("PartialObjectMetadata", "is a list"),
            (Self::PartialMetadataList { .. }, false) => ("PartialObjectMetadataList", "is not a list"),
            _ => return Ok(()),
        };
        let list = if is_list { "List" } else { "" };
        let package = go::package(&resource.group);
        let go_type = match resource.origin {
            Origin::Builtin => format!("*{package}.{}{list}", resource.kind),
            Origin::Custom => format!("*unstructured.Unstructured{list}"),
        };
        Err(refused(format!("you requested {word}, but the requested object {what} ({go_type})")))
    }
}

/// The form of the response to a client that sends this `Accept` header; empty for none.
///
/// Protobuf is never chosen: a client that accepts only protobuf is refused.
pub(crate) fn negotiate(accept: &str) -> Result<Presentation, NotAcceptable> {
    if accept.is_empty() {
        return Ok(Presentation { shape: As::Object, format: Format::Json });
    }
    clauses(accept)
        .iter()
        .find_map(|clause| {
            [Format::Json, Format::Yaml].into_iter().find_map(|format| {
                let shape = clause.admits(format.content_type()).then(|| clause.shape())??;
                Some(Presentation { shape, format })
            })
        })
        .ok_or_else(|| {
            let ours = |clause: &Clause<'_>| {
                clause.admits(Format::Json.content_type()) || clause.admits(Format::Yaml.content_type())
            };
            if clauses(accept).iter().any(ours) { NotAcceptable::Conversion } else { NotAcceptable::Media }
        })
}

/// One alternative of an `Accept` header.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Clause<'h> {
    kind: &'h str,
    subtype: &'h str,
    parameters: Vec<(&'h str, &'h str)>,
    quality: f32,
}

/// The alternatives of an `Accept` header, the preferred one first.
pub(crate) fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause<'_>> = accept.split(',').filter_map(Clause::parse).collect();
    clauses.sort_by(|left, right| {
        let by_quality = right.quality.partial_cmp(&left.quality).unwrap_or(Ordering::Equal);
        by_quality.then_with(|| left.wildcards().cmp(&right.wildcards()))
    });
    clauses
}

impl<'h> Clause<'h> {
    fn parse(text: &'h str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = match parts.next()? {
            "" => return None,
            "*" => ("*", "*"),
            media => media.split_once('/')?,
        };
        let mut quality = 1.0;
        let mut parameters = Vec::new();
        for (name, value) in parts.filter_map(|part| part.split_once('=')) {
            match (name.trim(), value.trim().trim_matches('"')) {
                ("q", value) => quality = value.parse().unwrap_or(1.0),
                parameter => parameters.push(parameter),
            }
        }
        Some(Self { kind: kind.trim(), subtype: subtype.trim(), parameters, quality })
    }

    /// Whether this alternative covers a media type.
    pub fn admits(&self, media: &str) -> bool {
        media.split_once('/').is_some_and(|(kind, subtype)| {
            (self.kind == kind && (self.subtype == subtype || self.subtype == "*"))
                || (self.kind == "*" && self.subtype == "*")
        })
    }

    /// A parameter such as `as`; empty if there is none.
    pub fn parameter(&self, name: &str) -> &'h str {
        self.parameters.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    }

    fn wildcards(&self) -> usize {
        usize::from(self.kind == "*") + usize::from(self.subtype == "*")
    }

    fn converts(&self) -> bool {
        self.parameters.iter().any(|(name, _)| matches!(*name, "as" | "g" | "v"))
    }

    fn shape(&self) -> Option<As> {
        let stream = self.parameter("stream");
        if !stream.is_empty() && stream != "watch" {
            return None;
        }
        if !self.converts() {
            return Some(As::Object);
        }
        let version = match (self.parameter("g"), self.parameter("v")) {
            ("meta.k8s.io", "v1") => "v1",
            ("meta.k8s.io", "v1beta1") => "v1beta1",
            _ => return None,
        };
        match self.parameter("as") {
            "PartialObjectMetadata" => Some(As::PartialMetadata { version }),
            "PartialObjectMetadataList" => Some(As::PartialMetadataList { version }),
            "Table" => Some(As::Table { version }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{As, Format, NotAcceptable, Presentation, negotiate};
    use crate::{kinds::Origin, present::a_kind::a_kind};
    use serde_json::{Value, json};

    fn shown(shape: As, format: Format) -> Presentation {
        Presentation { shape, format }
    }

    #[test]
    fn a_client_without_preferences_gets_json() {
        assert_eq!(negotiate(""), Ok(shown(As::Object, Format::Json)));
        assert_eq!(negotiate("*/*"), Ok(shown(As::Object, Format::Json)));
        assert_eq!(negotiate("application/*"), Ok(shown(As::Object, Format::Json)));
    }

    #[test]
    fn kubectl_get_asks_for_a_table_and_gets_it() {
        let accept = "application/json;as=Table;v=v1;g=meta.k8s.io,\
                      application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        assert_eq!(negotiate(accept), Ok(shown(As::Table { version: "v1" }, Format::Json)));
    }

    #[test]
    fn an_unknown_conversion_falls_through_to_the_next_alternative() {
        let accept = "application/json;as=Chart;v=v1;g=meta.k8s.io,application/yaml";
        assert_eq!(negotiate(accept), Ok(shown(As::Object, Format::Yaml)));
        assert_eq!(negotiate("application/json;as=Table;v=v2;g=meta.k8s.io"), Err(NotAcceptable::Conversion));
    }

    #[test]
    fn protobuf_is_passed_over_for_json_and_refused_alone() {
        let typed = "application/vnd.kubernetes.protobuf,application/json";
        assert_eq!(negotiate(typed), Ok(shown(As::Object, Format::Json)));
        assert_eq!(negotiate("application/vnd.kubernetes.protobuf"), Err(NotAcceptable::Media));
        let metadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,\
                        application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
        assert_eq!(negotiate(metadata), Ok(shown(As::PartialMetadataList { version: "v1" }, Format::Json)));
    }

    #[test]
    fn a_higher_quality_wins_over_an_earlier_place() {
        assert_eq!(
            negotiate("application/json;q=0.5, application/yaml"),
            Ok(shown(As::Object, Format::Yaml))
        );
    }

    #[test]
    fn an_object_is_written_in_the_format_asked_for() {
        let object =
            json!({"kind": "Secret", "metadata": {"name": "a"}, "data": {"on": "true", "list": ["1", 2]}});
        let json = Format::Json.written(&object);
        assert_eq!(json, format!("{object}\n"));
        let yaml = Format::Yaml.written(&object);
        assert_eq!(serde_saphyr::from_slice::<Value>(&yaml).unwrap(), object);
        assert!(yaml.starts_with(b"data:\n"), "{yaml:?}");
    }

    #[test]
    fn a_refusal_lists_the_supported_types() {
        let builtin = a_kind("", "things", Origin::Builtin);
        let custom = a_kind("goharbor.example", "things", Origin::Custom);
        let medias = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
        let only = format!("only the following media types are accepted: {medias}");
        assert_eq!(
            NotAcceptable::Media.failure(&builtin).message,
            format!("406: Not Acceptable\n\nAvailable representations: {medias}")
        );
        assert_eq!(NotAcceptable::Conversion.failure(&builtin).message, only);
        assert_eq!(NotAcceptable::Media.failure(&custom).message, only);
    }

    #[test]
    fn a_list_is_not_shown_as_one_object_nor_one_object_as_a_list() {
        let builtin = a_kind("apps", "things", Origin::Builtin);
        let custom = a_kind("goharbor.example", "things", Origin::Custom);
        let one = As::PartialMetadata { version: "v1" };
        let many = As::PartialMetadataList { version: "v1" };
        assert_eq!(one.fits(false, &builtin), Ok(()));
        assert_eq!(many.fits(true, &builtin), Ok(()));
        assert_eq!(
            one.fits(true, &builtin).unwrap_err().message,
            "you requested PartialObjectMetadata, but the requested object is a list (*apps.ThingList)"
        );
        assert_eq!(
            many.fits(false, &custom).unwrap_err().message,
            "you requested PartialObjectMetadataList, but the requested object is not a list \
             (*unstructured.Unstructured)"
        );
    }
}
