//! The fingerprint of the key that a database is encrypted with.
//!
//! The fingerprint of a random key reveals nothing: there are too many keys of 16 bytes to try. The fingerprint
//! is in a Secret nevertheless, because an attacker could guess a key that a person chose and confirm the
//! guess. It has a salt, so that an attacker must try each guess for each database, and equal keys have
//! different fingerprints.

use super::{Record, keys::ENCRYPTION_KEY};
use crate::{
    secrets::{SecretKey, Secrets},
    values::Fault,
};
use api::v1beta1;
use k8s_openapi::api::core::v1::Secret;
use kube::core::ObjectMeta;
use plan::{All as _, Digest, PlanError, World, salted};
use std::fmt;

/// The fingerprint of the encryption key: its salt, a colon, and sixteen digits.
pub(super) const KEY: &str = "encryption-key-fingerprint";
/// The fingerprint without a salt, which early versions of the operator wrote: the first sixteen digits of the
/// SHA-256 of the encryption key. The operator replaces it once the key matches.
const UNSALTED: &str = "encryption-key-sha256";

/// The fingerprint of an encryption key, or of another value.
#[derive(Clone)]
pub(super) enum Fingerprint {
    /// As the operator writes it.
    Salted { salt: String, digest: String },
    /// As early versions of the operator wrote it.
    Unsalted(String),
}

/// Whether the database of a Core is encrypted with the key in a Secret. If either is not known, it is not.
pub(crate) fn has_key(core: &str, secret: &str, world: &World<'_>) -> Result<bool, PlanError> {
    let (record, other) =
        (world.read::<Secret>(&Record::secret(core)), world.read::<Secret>(secret)).all()?;
    let known = record.as_ref().and_then(Fingerprint::of);
    let key = other.and_then(|secret| secret.data?.remove(ENCRYPTION_KEY));
    Ok(known.zip(key).is_some_and(|(known, key)| known.is_of(&key.0)))
}

impl Fingerprint {
    /// The fingerprint of a value that is used for the first time. Its salt is the uid of the Core, which is
    /// random and unique.
    pub fn new(owner: &v1beta1::Core, key: &[u8]) -> Self {
        let ObjectMeta { uid, namespace, name, .. } = &owner.metadata;
        let without_uid = || [namespace, name].map(|part| part.as_deref().unwrap_or_default()).join("/");
        let salt = uid.clone().unwrap_or_else(without_uid);
        Self::Salted { digest: salted(&salt, key).to_string(), salt }
    }

    /// The fingerprint in the Secret, if the Secret exists.
    pub fn read(name: &str, secrets: &Secrets<'_>, world: &World<'_>) -> Result<Option<Self>, PlanError> {
        let Some(secret) = world.read::<Secret>(name)? else { return Ok(None) };
        let missing = || {
            let fault = Fault::new("does not exist", "add it to the Secret");
            secrets.invalid(&SecretKey::new(name, KEY), fault)
        };
        Self::of(&secret).map(Some).ok_or_else(missing)
    }

    /// The fingerprint in a record.
    fn of(record: &Secret) -> Option<Self> {
        let text = |entry: &str| {
            let bytes = &record.data.as_ref()?.get(entry)?.0;
            Some(String::from_utf8_lossy(bytes).trim().to_owned())
        };
        let salted = text(KEY).map(|salted| Self::parse(&salted));
        salted.or_else(|| text(UNSALTED).map(Self::Unsalted))
    }

    /// A fingerprint with a salt, as it is in a record.
    pub fn parse(text: &str) -> Self {
        // A text without a colon matches no key.
        let (salt, digest) = text.split_once(':').unwrap_or_default();
        Self::Salted { salt: salt.to_owned(), digest: digest.to_owned() }
    }

    /// Whether it is the one of this value.
    pub fn is_of(&self, key: &[u8]) -> bool {
        match self {
            Self::Salted { salt, digest } => salted(salt, key).to_string() == *digest,
            Self::Unsalted(digest) => Digest::of_bytes(key).to_string() == *digest,
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Salted { salt, digest } => write!(f, "{salt}:{digest}"),
            Self::Unsalted(digest) => f.write_str(digest),
        }
    }
}
