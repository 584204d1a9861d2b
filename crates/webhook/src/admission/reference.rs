//! References of images, as container runtimes read them.
//!
//! A reference is parsed once and is complete afterwards: `nginx` is `docker.io/library/nginx:latest`.

use std::{fmt, str::FromStr};

/// The longest text that is read. A name has at most 255 characters, a tag 128, and a digest of sha512 135.
const LONGEST: usize = 1024;
/// The longest name: registry, slash and path.
const LONGEST_NAME: usize = 255;
const LONGEST_TAG: usize = 128;
/// The registry of references that name none.
const DOCKER_HUB: &str = "docker.io";
/// An old name of the same registry.
const OLD_DOCKER_HUB: &str = "index.docker.io";

/// A complete reference of an image: it has a registry, and a tag or a digest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    registry: Registry,
    path: String,
    tag: Option<String>,
    digest: Option<String>,
}

/// The host of a registry, with its port if it has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Registry(String);

/// Why a text is no reference of an image. The text is not part of the message, because it may be of any size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It is longer than any reference.
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
    /// Registry and path together are too long.
    #[error("its name is longer than {LONGEST_NAME} characters")]
    LongName,
    /// The registry is no host.
    #[error("its registry is not a host with an optional port")]
    Registry,
    /// The path is invalid.
    #[error("its path may have only lower-case letters, digits and single separators between slashes")]
    Path,
    /// The tag is invalid.
    #[error("its tag may have only letters, digits, `_`, `.` and `-`, at most {LONGEST_TAG}")]
    Tag,
    /// The digest is invalid.
    #[error("its digest is not an algorithm, `:` and a hexadecimal number of its length")]
    Digest,
    /// It is the id of an image, which has no registry.
    #[error("it is the id of an image")]
    ImageId,
}

impl Reference {
    /// The registry.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The same image under a path of another registry: `docker.io/library/nginx:1` moved to `proxy` of
    /// `harbor.example.com` is `harbor.example.com/proxy/library/nginx:1`.
    ///
    /// # Errors
    /// If the name becomes too long.
    pub fn moved(&self, registry: &Registry, under: &Path) -> Result<Self, ReferenceError> {
        let moved = Self {
            registry: registry.clone(),
            path: format!("{}/{}", under.0, self.path),
            tag: self.tag.clone(),
            digest: self.digest.clone(),
        };
        moved.checked()
    }

    fn checked(self) -> Result<Self, ReferenceError> {
        if self.registry.0.len() + 1 + self.path.len() > LONGEST_NAME {
            return Err(ReferenceError::LongName);
        }
        Ok(self)
    }
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        if text.is_empty() {
            return Err(ReferenceError::Empty);
        }
        if text.len() > LONGEST {
            return Err(ReferenceError::TooLong);
        }
        if text.len() == 64 && text.bytes().all(is_lower_hex) {
            return Err(ReferenceError::ImageId);
        }
        let (registry, rest) = split_registry(text);
        let (rest, digest) = match rest.split_once('@') {
            Some((rest, digest)) => (rest, Some(parse_digest(digest)?)),
            None => (rest, None),
        };
        let (path, tag) = match rest.split_once(':') {
            Some((path, tag)) => (path, Some(parse_tag(tag)?)),
            None => (rest, None),
        };
        let registry: Registry = registry.parse()?;
        let Path(path) = path.parse()?;
        let is_official = registry.0 == DOCKER_HUB && !path.contains('/');
        let path = if is_official { format!("library/{path}") } else { path };
        let tag = if tag.is_none() && digest.is_none() { Some("latest".to_owned()) } else { tag };
        Self { registry, path, tag, digest }.checked()
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.registry, self.path)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        if let Some(digest) = &self.digest {
            write!(f, "@{digest}")?;
        }
        Ok(())
    }
}

impl Registry {
    /// The host and port as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both are the same registry. Hosts have no case, and 443 is the port of a registry without one.
    pub fn is(&self, other: &Self) -> bool {
        let bare =
            |registry: &Self| registry.0.strip_suffix(":443").unwrap_or(&registry.0).to_ascii_lowercase();
        bare(self) == bare(other)
    }
}

impl FromStr for Registry {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        if text.len() > LONGEST_NAME {
            return Err(ReferenceError::LongName);
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !text.ends_with(']') => (host, Some(port)),
            _ => (text, None),
        };
        let is_label = |label: &str| {
            let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
            !label.is_empty()
                && label.bytes().all(is_inner)
                && !label.starts_with('-')
                && !label.ends_with('-')
        };
        let is_host = match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => host.split('.').all(is_label),
        };
        let is_port =
            |port: &str| port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        if !is_host || !port.is_none_or(is_port) {
            return Err(ReferenceError::Registry);
        }
        Ok(Self(if text == OLD_DOCKER_HUB { DOCKER_HUB.to_owned() } else { text.to_owned() }))
    }
}

impl fmt::Display for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A path in a registry, such as a project: lower-case names between slashes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path(String);

impl FromStr for Path {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        if text.len() > LONGEST_NAME {
            return Err(ReferenceError::LongName);
        }
        if text.split('/').all(is_path_component) {
            Ok(Self(text.to_owned()))
        } else {
            Err(ReferenceError::Path)
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The registry of a text, and the rest. The first part is a registry only if it cannot be part of a path.
fn split_registry(text: &str) -> (&str, &str) {
    let is_registry = |first: &str| {
        first.contains(['.', ':'])
            || first == "localhost"
            || first.bytes().any(|byte| byte.is_ascii_uppercase())
    };
    match text.split_once('/') {
        Some((first, rest)) if is_registry(first) => (first, rest),
        _ => (DOCKER_HUB, text),
    }
}

/// Whether a text is letters and digits, separated by `.`, `_`, `__` or any number of `-`.
fn is_path_component(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    is_letter(*first)
        && is_letter(*last)
        && bytes.split(|byte| is_letter(*byte)).all(|separator| {
            matches!(separator, b"" | b"." | b"_" | b"__") || separator.iter().all(|byte| *byte == b'-')
        })
}

fn parse_tag(text: &str) -> Result<String, ReferenceError> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_inner = |byte: u8| is_word(byte) || byte == b'.' || byte == b'-';
    let begins = text.bytes().next().is_some_and(is_word);
    if begins && text.len() <= LONGEST_TAG && text.bytes().all(is_inner) {
        Ok(text.to_owned())
    } else {
        Err(ReferenceError::Tag)
    }
}

fn parse_digest(text: &str) -> Result<String, ReferenceError> {
    let (algorithm, number) = text.split_once(':').ok_or(ReferenceError::Digest)?;
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return Err(ReferenceError::Digest),
    };
    if number.len() == length && number.bytes().all(is_lower_hex) {
        Ok(text.to_owned())
    } else {
        Err(ReferenceError::Digest)
    }
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests;
