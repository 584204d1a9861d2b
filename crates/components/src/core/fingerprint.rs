//! Which key the database was encrypted with.
//!
//! Core takes any key of the right length: with another than before it starts, looks healthy, and decrypts passwords to
//! garbage. So the key Core was first given is remembered by its fingerprint, and any other is refused.
//!
//! The fingerprint of a random key gives nothing away: nobody can try all keys of 16 bytes. It is kept in a Secret all
//! the same, because a key that somebody made up could be guessed, and the guess be confirmed.

use super::{Core, keys};
use crate::{
    instance::Instance,
    retention,
    secret_key::{Fault, SecretKey, Secrets},
};
use api::v1beta1;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::core::ObjectMeta;
use plan::{All, Component, Desired, Digest, ObjectKey, PlanError, Tie};

/// Key of the Secret that holds the first sixteen digits of what `sha256sum` says of the encryption key.
const KEY: &str = "sha256";

/// The fingerprint of the key in use, which is the one remembered if one is.
pub(super) struct Fingerprint {
    secret: String,
    digest: Digest,
    tie: Tie,
}

impl Fingerprint {
    /// Of the key a Core names, found to be the one its database was encrypted with.
    pub fn of(owner: &v1beta1::Core, secrets: &Secrets<'_>) -> Result<Self, PlanError> {
        let ObjectMeta { name, namespace, .. } = &owner.metadata;
        let (name, namespace) =
            (name.as_deref().unwrap_or_default(), namespace.as_deref().unwrap_or_default());
        let secret = format!("{name}-{}-encryption-fingerprint", Core::NAME);
        let key = SecretKey::new(&owner.spec.database.encryption_key_ref, keys::ENCRYPTION_KEY);
        let (value, remembered) =
            (secrets.sound(&key, keys::encrypts), secrets.found(&SecretKey::new(&secret, KEY))).all()?;
        let digest = Digest::of_bytes(value.bytes());
        match remembered {
            Some(first) if first.bytes().trim_ascii() != digest.to_string().as_bytes() => {
                let remembered = ObjectKey::of::<Secret>(namespace, &secret);
                Err(secrets.refused(&key, another_key(&remembered)))
            }
            _ => Ok(Self { secret, digest, tie: retention::tie(owner.spec.deletion_policy) }),
        }
    }

    /// The Secret that remembers it, made once. It outlives the Core as the database does: whoever makes the Core anew,
    /// and with it perhaps a new key, is told.
    pub fn remembered(&self, core: &Instance<'_>) -> Desired {
        let secret = Secret {
            metadata: core.metadata(&self.secret),
            type_: Some("Opaque".into()),
            data: Some([(KEY.to_owned(), ByteString(self.digest.to_string().into_bytes()))].into()),
            ..Secret::default()
        };
        Desired::once(secret).tied(self.tie)
    }
}

fn another_key(remembered: &ObjectKey) -> Fault {
    Fault::new(
        "is not the key the database was encrypted with",
        format!("restore it, or, if the database is new, delete {remembered}"),
    )
}
