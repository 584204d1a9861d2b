//! What a client accepts: the `Accept` header, read as kube-apiserver reads it.

use crate::failure::Failure;
use http::StatusCode;
use std::cmp::Ordering;

/// How a response is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Presentation {
    pub shape: As,
    pub format: Format,
}

/// What an object or a list is turned into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// What it is.
    Object,
    /// `PartialObjectMetadata`; not for a list.
    PartialMetadata { version: &'static str },
    /// `PartialObjectMetadataList`; only for a list.
    PartialMetadataList { version: &'static str },
    /// `Table`
    Table { version: &'static str },
}

/// How a response is written.
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
}

/// The client accepts nothing that the server could send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NotAcceptable;

impl From<NotAcceptable> for Failure {
    fn from(NotAcceptable: NotAcceptable) -> Self {
        Failure::new(
            StatusCode::NOT_ACCEPTABLE,
            "NotAcceptable",
            "only the following media types are accepted: application/json, application/yaml, \
             application/vnd.kubernetes.protobuf",
        )
    }
}

/// How to show an object to a client that sends this `Accept` header; empty for none.
///
/// Protobuf is never chosen: a client that accepts it alone is refused.
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
        .ok_or(NotAcceptable)
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

    fn shown(shape: As, format: Format) -> Result<Presentation, NotAcceptable> {
        Ok(Presentation { shape, format })
    }

    #[test]
    fn a_client_without_wishes_gets_json() {
        assert_eq!(negotiate(""), shown(As::Object, Format::Json));
        assert_eq!(negotiate("*/*"), shown(As::Object, Format::Json));
        assert_eq!(negotiate("application/*"), shown(As::Object, Format::Json));
    }

    #[test]
    fn kubectl_get_asks_for_a_table_and_gets_it() {
        let accept = "application/json;as=Table;v=v1;g=meta.k8s.io,\
                      application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        assert_eq!(negotiate(accept), shown(As::Table { version: "v1" }, Format::Json));
    }

    #[test]
    fn a_conversion_nobody_knows_falls_through_to_the_next_alternative() {
        let accept = "application/json;as=Chart;v=v1;g=meta.k8s.io,application/yaml";
        assert_eq!(negotiate(accept), shown(As::Object, Format::Yaml));
        assert_eq!(negotiate("application/json;as=Table;v=v2;g=meta.k8s.io"), Err(NotAcceptable));
    }

    #[test]
    fn protobuf_is_passed_over_for_json_and_refused_alone() {
        let typed = "application/vnd.kubernetes.protobuf,application/json";
        assert_eq!(negotiate(typed), shown(As::Object, Format::Json));
        assert_eq!(negotiate("application/vnd.kubernetes.protobuf"), Err(NotAcceptable));
        let metadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,\
                        application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
        assert_eq!(negotiate(metadata), shown(As::PartialMetadataList { version: "v1" }, Format::Json));
    }

    #[test]
    fn a_higher_quality_wins_over_an_earlier_place() {
        assert_eq!(
            negotiate("application/json;q=0.5, application/yaml"),
            shown(As::Object, Format::Yaml)
        );
    }
}
