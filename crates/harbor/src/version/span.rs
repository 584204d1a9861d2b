//! Ranges of versions.

use super::Version;

/// Consecutive versions that have something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first version that has it.
    pub since: Version,
    /// The first version that does not have it any more.
    pub until: Option<Version>,
}

impl Span {
    /// From the oldest known version on.
    pub(crate) const ALWAYS: Self = Self { since: Version::OLDEST, until: None };

    /// From `2.minor.patch` on.
    pub(crate) const fn since(minor: u16, patch: u16) -> Self {
        Self { since: Version::new(2, minor, patch), until: None }
    }

    /// Before `2.minor.0`.
    pub(crate) const fn before(minor: u16) -> Self {
        Self { since: Version::OLDEST, until: Some(Version::new(2, minor, 0)) }
    }

    /// And not from `2.minor.0` on.
    pub(crate) const fn and_before(self, minor: u16) -> Self {
        Self { since: self.since, until: Some(Version::new(2, minor, 0)) }
    }

    /// Whether the version is one of them.
    pub fn contains(self, version: Version) -> bool {
        self.since <= version && self.until.is_none_or(|until| version < until)
    }
}

/// Whether the version is in one of the spans. A fix that was backported has several.
pub(crate) fn any_contains(spans: &[Span], version: Version) -> bool {
    spans.iter().any(|span| span.contains(version))
}
