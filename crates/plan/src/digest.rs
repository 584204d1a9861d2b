//! Content addresses.

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use std::{fmt, io};

/// The first eight bytes of the SHA-256 of a value's JSON: equal content means equal digest.
///
/// Maps must be ordered (`BTreeMap`, [`serde_json::Value`]) for the digest to be stable, which all of ours are.
///
/// Confirms every guess of what was digested: where that is secret, [`crate::DigestKey`] makes the digest that may be
/// shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 8]);

impl Digest {
    /// The digest of a value's JSON. Fails only where the value has no JSON form.
    pub fn of(value: &(impl Serialize + ?Sized)) -> serde_json::Result<Self> {
        let mut hash = Sha256::new();
        serde_json::to_writer(Sink(|bytes: &[u8]| hash.update(bytes)), value)?;
        Ok(Self::beginning(&hash.finalize()))
    }

    /// The digest of bytes as they are.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::beginning(&Sha256::digest(bytes))
    }

    /// The digest that is written like this; `None` where none is.
    pub fn parse(text: &str) -> Option<Self> {
        let digest = u64::from_str_radix(text, 16).ok().map(|number| Self(number.to_be_bytes()))?;
        (digest.to_string() == text).then_some(digest)
    }

    /// The beginning of a longer one.
    pub(crate) fn beginning(hash: &[u8]) -> Self {
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

/// Hands on what is written.
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
