//! What projects can have as metadata.

use super::Severity;
use crate::version::Version;

/// A key of metadata.
pub(super) struct MetadataKey {
    pub name: &'static str,
    pub kind: Kind,
    since: Version,
}

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Flag,
    Severity,
    Number,
    /// Written by retention policies only.
    Reference,
}

const fn key(name: &'static str, kind: Kind, since: (u8, u8)) -> MetadataKey {
    MetadataKey { name, kind, since: Version::new(since.0, since.1) }
}

pub(super) const KEYS: &[MetadataKey] = &[
    key("public", Kind::Flag, (0, 0)),
    key("enable_content_trust", Kind::Flag, (0, 0)),
    key("enable_content_trust_cosign", Kind::Flag, (0, 0)),
    key("prevent_vul", Kind::Flag, (0, 0)),
    key("severity", Kind::Severity, (0, 0)),
    key("auto_scan", Kind::Flag, (0, 0)),
    key("auto_sbom_generation", Kind::Flag, (11, 0)),
    key("reuse_sys_cve_allowlist", Kind::Flag, (0, 0)),
    key("retention_id", Kind::Reference, (0, 0)),
    key("proxy_speed_kb", Kind::Number, (12, 0)),
    key("max_upstream_conn", Kind::Number, (15, 0)),
    key("proxy_cache_local_on_not_found", Kind::Flag, (15, 1)),
];

/// The keys of a version.
pub(super) fn keys(version: Version) -> impl Iterator<Item = &'static MetadataKey> {
    KEYS.iter().filter(move |key| version >= key.since)
}

impl MetadataKey {
    /// A value as the endpoint of single keys stores it, unless it refuses it.
    pub fn normalised(&self, value: &str, version: Version) -> Option<String> {
        match self.kind {
            Kind::Flag => match value {
                "1" | "t" | "T" | "true" | "TRUE" | "True" => Some("true".to_owned()),
                "0" | "f" | "F" | "false" | "FALSE" | "False" => Some("false".to_owned()),
                _ => None,
            },
            Kind::Severity => match Severity::parse(value, version) {
                Severity::Unknown => None,
                _ => Some(value.to_ascii_lowercase()),
            },
            Kind::Number => value.parse::<i32>().ok().map(|number| number.to_string()),
            Kind::Reference => None,
        }
    }

    /// Whether a project of this kind keeps the key. The speed of a proxy means nothing elsewhere, and a proxy cannot
    /// ask for signatures of its own.
    pub fn kept_by(&self, proxy: bool) -> bool {
        match self.name {
            "proxy_speed_kb" | "max_upstream_conn" => proxy,
            "enable_content_trust" => !proxy,
            _ => true,
        }
    }
}
