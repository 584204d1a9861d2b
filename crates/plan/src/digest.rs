//! Digests of content.

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::{fmt, io};

/// The first eight bytes of the SHA-256 of a value's JSON: equal content means equal digest.
///
/// The digest is stable only if maps are ordered, as [`std::collections::BTreeMap`] and [`serde_json::Value`] are.
///
/// A reader can use the digest to test guesses of the content. If the content is secret, show only digests that
/// [`crate::DigestKey`] computes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 8]);

impl Digest {
    /// The digest of a value's JSON. Fails only if the value has no JSON form.
    pub fn of(value: &(impl Serialize + ?Sized)) -> serde_json::Result<Self> {
        let mut hash = Sha256::new();
        serde_json::to_writer(Sink(|bytes: &[u8]| hash.update(bytes)), value)?;
        Ok(Self::truncated(&hash.finalize()))
    }

    /// The digest of bytes.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::truncated(&Sha256::digest(bytes))
    }

    /// Parses the text form of a digest; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let digest = u64::from_str_radix(text, 16).ok().map(|number| Self(number.to_be_bytes()))?;
        (digest.to_string() == text).then_some(digest)
    }

    /// The first eight bytes of a hash.
    pub(crate) fn truncated(hash: &[u8]) -> Self {
        let mut short = [0; 8];
        short.iter_mut().zip(hash).for_each(|(to, from)| *to = *from);
        Self(short)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A writer that passes all bytes to a function.
pub(crate) struct Sink<F>(pub(crate) F);

impl<F: FnMut(&[u8])> io::Write for Sink<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}
