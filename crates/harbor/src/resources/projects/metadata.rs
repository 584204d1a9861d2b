//! The settings of a project: texts that stand for flags, numbers and a severity.

use crate::{Deletion, Version, error::Error, resources::in_project::InProject, version::Span, words::words};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

words! {
    /// The name of a setting of a project.
    pub enum MetadataKey {
        /// Whether anyone may pull.
        Public = "public",
        /// Whether only signed images may be pulled: signed with Notary until 2.8, with Notation from 2.9 on.
        EnableContentTrust = "enable_content_trust",
        /// Whether only images that are signed with cosign may be pulled.
        EnableContentTrustCosign = "enable_content_trust_cosign",
        /// Whether vulnerable images cannot be pulled.
        PreventVul = "prevent_vul",
        /// How severe a vulnerability must be for that.
        Severity = "severity",
        /// Whether images are scanned when they are pushed.
        AutoScan = "auto_scan",
        /// Whether a software bill of materials is made for images that are pushed.
        AutoSbomGeneration = "auto_sbom_generation",
        /// Whether the allow list of the system is used.
        ReuseSysCveAllowlist = "reuse_sys_cve_allowlist",
        /// The retention policy. Harbor sets it.
        RetentionId = "retention_id",
        /// The maximum speed of a proxy cache, in KB per second; -1 is none.
        ProxySpeedKb = "proxy_speed_kb",
        /// The maximum number of connections of a proxy cache; -1 is none.
        MaxUpstreamConn = "max_upstream_conn",
        /// Whether a proxy cache serves what it has if the other registry does not have it any more.
        ProxyCacheLocalOnNotFound = "proxy_cache_local_on_not_found",
    }
}

/// What the text of a setting stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataKind {
    /// `true` or `false`.
    Flag,
    /// `none`, `low`, `medium`, `high` or `critical`.
    Severity,
    /// A whole number.
    Number,
    /// Anything.
    Text,
}

impl MetadataKey {
    /// What its text stands for.
    pub fn kind(&self) -> MetadataKind {
        match self {
            Self::Severity => MetadataKind::Severity,
            Self::RetentionId | Self::ProxySpeedKb | Self::MaxUpstreamConn => MetadataKind::Number,
            Self::Other(_) => MetadataKind::Text,
            Self::Public
            | Self::EnableContentTrust
            | Self::EnableContentTrustCosign
            | Self::PreventVul
            | Self::AutoScan
            | Self::AutoSbomGeneration
            | Self::ReuseSysCveAllowlist
            | Self::ProxyCacheLocalOnNotFound => MetadataKind::Flag,
        }
    }

    /// Whether a version has it. Harbor drops unknown ones without a word.
    pub fn is_in(&self, version: Version) -> bool {
        let span = match self {
            Self::AutoSbomGeneration => Span::since(11, 0),
            Self::ProxySpeedKb => Span::since(12, 0),
            Self::MaxUpstreamConn => Span::since(14, 1),
            Self::ProxyCacheLocalOnNotFound => Span::since(15, 1),
            Self::Other(_) => return false,
            Self::Public
            | Self::EnableContentTrust
            | Self::EnableContentTrustCosign
            | Self::PreventVul
            | Self::Severity
            | Self::AutoScan
            | Self::ReuseSysCveAllowlist
            | Self::RetentionId => Span::ALWAYS,
        };
        span.contains(version)
    }

    /// Whether it is meant for proxy caches. Harbor drops most of these from updates of other projects.
    pub fn is_for_proxies(&self) -> bool {
        matches!(self, Self::ProxySpeedKb | Self::MaxUpstreamConn | Self::ProxyCacheLocalOnNotFound)
    }
}

/// The settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Metadata(BTreeMap<MetadataKey, String>);

impl Metadata {
    /// Sets a text.
    #[must_use]
    pub fn with(mut self, key: MetadataKey, value: impl Into<String>) -> Self {
        self.0.insert(key, value.into());
        self
    }

    /// Sets a flag.
    #[must_use]
    pub fn with_flag(self, key: MetadataKey, on: bool) -> Self {
        self.with(key, on.to_string())
    }

    /// The text of a setting.
    pub fn get(&self, key: &MetadataKey) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// A flag; one that is not set is off.
    pub fn flag(&self, key: &MetadataKey) -> bool {
        self.get(key).is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All settings.
    pub fn iter(&self) -> impl Iterator<Item = (&MetadataKey, &str)> {
        self.0.iter().map(|(key, value)| (key, value.as_str()))
    }

    /// The settings of `self` that `actual` has with another meaning. Settings that `self` does not have do not count.
    #[must_use]
    pub fn changes(&self, actual: &Self) -> Self {
        let differs = |key: &MetadataKey| match key.kind() {
            MetadataKind::Flag => self.flag(key) != actual.flag(key),
            MetadataKind::Severity => severity(self.get(key)) != severity(actual.get(key)),
            MetadataKind::Number | MetadataKind::Text => self.get(key) != actual.get(key),
        };
        Self(self.0.iter().filter(|(key, _)| differs(key)).map(|(k, v)| (k.clone(), v.clone())).collect())
    }
}

/// Harbor returns lower case, and the word of CVSS for the lowest severity.
fn severity(value: Option<&str>) -> String {
    let word = value.unwrap_or_default().to_ascii_lowercase();
    if word == "negligible" { "none".to_owned() } else { word }
}

/// Calls about single settings of a project: the only way to remove one.
#[derive(Clone, Copy, Debug)]
pub struct ProjectMetadata<'h> {
    project: InProject<'h>,
}

impl<'h> InProject<'h> {
    /// The settings of the project, one by one.
    pub fn metadata(self) -> ProjectMetadata<'h> {
        ProjectMetadata { project: self }
    }
}

impl ProjectMetadata<'_> {
    /// The settings as they were sent, without the words that [`super::Projects::get`] puts in their place.
    pub async fn list(&self) -> Result<Metadata, Error> {
        self.project.harbor().get(self.project.path("metadatas").then("")).json().await
    }

    /// Removes a setting.
    pub async fn remove(&self, key: &MetadataKey) -> Result<Deletion, Error> {
        let path = self.project.path("metadatas").name(key.as_str());
        self.project.harbor().delete(path).gone().await
    }
}

#[cfg(test)]
mod tests {
    use super::{Metadata, MetadataKey};
    use crate::Version;

    #[test]
    fn a_flag_that_is_absent_or_written_as_a_number_is_no_difference() {
        let wanted = Metadata::default()
            .with_flag(MetadataKey::AutoScan, true)
            .with_flag(MetadataKey::PreventVul, false)
            .with_flag(MetadataKey::Public, true);
        let actual =
            Metadata::default().with(MetadataKey::AutoScan, "1").with(MetadataKey::Public, "perhaps");
        assert_eq!(wanted.changes(&actual), Metadata::default().with_flag(MetadataKey::Public, true));
    }

    #[test]
    fn severities_are_compared_as_harbor_returns_them() {
        let of = |word: &str| Metadata::default().with(MetadataKey::Severity, word);
        assert!(of("High").changes(&of("high")).is_empty());
        assert!(of("negligible").changes(&of("none")).is_empty());
        assert_eq!(of("low").changes(&Metadata::default()), of("low"));
    }

    #[test]
    fn settings_of_others_are_left_alone() {
        let actual = Metadata::default().with(MetadataKey::RetentionId, "7");
        assert!(Metadata::default().changes(&actual).is_empty());
    }

    #[test]
    fn each_version_knows_its_settings() {
        let known = |minor, patch, key: MetadataKey| key.is_in(Version::new(2, minor, patch));
        assert!(!known(10, 0, MetadataKey::AutoSbomGeneration));
        assert!(known(14, 1, MetadataKey::MaxUpstreamConn));
        assert!(!known(15, 0, MetadataKey::ProxyCacheLocalOnNotFound));
        assert!(!known(15, 2, MetadataKey::from("nonsense")));
    }
}
