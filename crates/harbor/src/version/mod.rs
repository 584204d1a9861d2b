//! What each version of Harbor has. Callers ask for features; they do not compare versions.
//!
//! Uses: nothing of this crate.

mod feature;
pub mod permissions;
mod span;

pub use feature::Feature;
pub use span::Span;

use std::{fmt, str::FromStr};

/// The version of a Harbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number.
    pub major: u16,
    /// The second number.
    pub minor: u16,
    /// The third number.
    pub patch: u16,
}

impl Version {
    /// The oldest version that this client knows.
    pub const OLDEST: Self = Self::new(2, 5, 0);
    /// The first version that this client does not know.
    pub const BEYOND: Self = Self::new(2, 16, 0);

    /// The version with these numbers.
    pub const fn new(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch }
    }

    /// Whether this version has a feature.
    pub fn has(self, feature: Feature) -> bool {
        span::any_contains(feature.spans(), self)
    }

    /// How well this client knows the version.
    pub fn support(self) -> Support {
        if self < Self::OLDEST {
            Support::TooOld
        } else if self < Self::BEYOND {
            Support::Known
        } else {
            Support::Newer
        }
    }

    /// The maximum number of workers of a garbage collection, or `None` if the version has no such parameter.
    pub fn gc_workers(self) -> Option<u8> {
        match self {
            older if older < Self::new(2, 9, 0) => None,
            older if older < Self::new(2, 13, 0) => Some(5),
            _ => Some(10),
        }
    }
}

/// How well this client knows a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It has other endpoints; do not use it.
    TooOld,
    /// It is one of those that the tables of this crate describe.
    Known,
    /// It is treated as the newest known version.
    Newer,
}

/// A text is not a version of Harbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a version of Harbor; expected text such as v2.15.2")]
pub struct NotAVersion;

impl FromStr for Version {
    type Err = NotAVersion;

    /// Reads `v2.15.2-4e21a2b0`, as Harbor writes it, and `2.15.2`.
    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let numbers = text.split(['-', '+']).next().unwrap_or(text);
        let mut numbers = numbers.split('.').map(|number| number.parse::<u16>().map_err(|_| NotAVersion));
        let mut next = || numbers.next().ok_or(NotAVersion)?;
        let version = Self::new(next()?, next()?, next()?);
        if numbers.next().is_some() { Err(NotAVersion) } else { Ok(version) }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::{NotAVersion, Support, Version};

    #[test]
    fn versions_are_read_as_harbor_writes_them() {
        let read = |text: &str| text.parse::<Version>();
        assert_eq!(read("v2.15.2-local"), Ok(Version::new(2, 15, 2)));
        assert_eq!(read("v2.5.6-b7f7e3ae"), Ok(Version::new(2, 5, 6)));
        assert_eq!(read("2.9.0"), Ok(Version::new(2, 9, 0)));
        for nonsense in ["", "v", "dev", "2.5", "2.5.6.7", "2.x.1", "2.99999999.1", "-2.5.1"] {
            assert_eq!(read(nonsense), Err(NotAVersion), "{nonsense}");
        }
    }

    #[test]
    fn a_newer_version_is_told_from_a_known_one() {
        let supports =
            [Version::new(2, 4, 3), Version::new(2, 5, 0), Version::new(2, 15, 9), Version::new(2, 16, 0)];
        let expected = [Support::TooOld, Support::Known, Support::Known, Support::Newer];
        assert_eq!(supports.map(Version::support), expected);
    }

    #[test]
    fn garbage_collection_takes_as_many_workers_as_the_version_allows() {
        let limits = [8, 9, 12, 13, 15].map(|minor| Version::new(2, minor, 0).gc_workers());
        assert_eq!(limits, [None, Some(5), Some(5), Some(10), Some(10)]);
    }
}
