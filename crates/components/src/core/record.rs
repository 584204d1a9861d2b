//! The record of Core's database: the key that it is encrypted with, and the versions of Harbor that have used
//! it.
//!
//! Core accepts any key of the right length: with another key than before it starts, looks healthy, and
//! decrypts passwords to garbage. Core also migrates the database when it starts, and an older Core does not
//! start on it any more. The operator therefore records the key and the version once a Core with both has
//! become available, in a Secret that outlives the Core as the database does.
//!
//! The fingerprint of a random key reveals nothing: there are too many keys of 16 bytes to try. The fingerprint
//! is in a Secret nevertheless, because an attacker could guess a key that a person chose and confirm the
//! guess. It has a salt, so that an attacker must try each guess for each database, and equal keys have
//! different fingerprints.

use super::{Core, attempt::Begun, keys};
use crate::{
    data::retention,
    pods::Instance,
    secrets::{SecretKey, Secrets},
    values::Fault,
    versions::HarborVersion,
};
use api::v1beta1;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::core::ObjectMeta;
use plan::{All, Component, DeletionBehavior, Desired, Digest, ObjectKey, PlanError, World, salted};
use std::fmt;

/// The fingerprint of the encryption key: its salt, a colon, and sixteen digits.
const KEY: &str = "encryption-key-fingerprint";
/// The fingerprint without a salt, which early versions of the operator wrote: the first sixteen digits of the
/// SHA-256 of the encryption key. The operator replaces it once the key matches.
const UNSALTED: &str = "encryption-key-sha256";
/// The newest version with which Core has become available, so it has migrated the database.
const MIGRATED: &str = "migrated-by";
/// The version whose migration of the database has begun, while no Core of it has become available.
const MIGRATING: &str = "migrating-to";
/// The version of all replicas when Core was last ready.
const COMPLETED: &str = "completed";

/// The versions in the record of a database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// The version that has begun to migrate the database, and with which no Core has become available yet.
    pub migrating: Option<HarborVersion>,
    /// The newest version that has used the database.
    pub migrated: Option<HarborVersion>,
    /// The version that Core had when it was last ready.
    pub completed: Option<HarborVersion>,
    /// The newest attempt to migrate the database, while no Core of that version has become available.
    pub attempt: Option<Begun>,
}

impl Record {
    /// The name of the Secret with the record.
    pub fn secret(core: &str) -> String {
        format!("{core}-{}-database", Core::NAME)
    }

    /// The record of the database of the Core with this name.
    pub fn read(core: &str, world: &World<'_>) -> Result<Option<Self>, PlanError> {
        Ok(world.read::<Secret>(&Self::secret(core))?.map(|secret| Self::of(&secret)))
    }

    /// Ignores what it cannot parse: the operator is about to replace it.
    fn of(secret: &Secret) -> Self {
        let version = |key: &str| {
            let text = str::from_utf8(&secret.data.as_ref()?.get(key)?.0).ok()?;
            HarborVersion::parse(text.trim_ascii()).ok()
        };
        let [migrating, migrated, completed] = [MIGRATING, MIGRATED, COMPLETED].map(version);
        Self { migrating, migrated, completed, attempt: Begun::read(secret) }
    }

    /// The version that last began to use the database. What it wrote cannot be undone.
    pub fn newest(&self) -> Option<&HarborVersion> {
        self.migrating.as_ref().or(self.migrated.as_ref())
    }
}

/// The key and the version in use, and the previous record.
pub(super) struct Memory {
    secret: String,
    key: Fingerprint,
    before: Record,
    deletion: DeletionBehavior,
}

impl Memory {
    /// The memory of a Core. Its key must be the one that its database is encrypted with.
    pub fn of(owner: &v1beta1::Core, secrets: &Secrets<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let ObjectMeta { name, namespace, .. } = &owner.metadata;
        let (name, namespace) =
            (name.as_deref().unwrap_or_default(), namespace.as_deref().unwrap_or_default());
        let secret = Record::secret(name);
        let key = SecretKey::new(&owner.spec.database.encryption_key_ref, keys::ENCRYPTION_KEY);
        let (value, known, before) = (
            secrets.checked(&key, keys::encrypts),
            Fingerprint::read(&secret, secrets, world),
            Record::read(name, world),
        )
            .all()?;
        let fingerprint = match known {
            Some(known) if !known.is_of(value.bytes()) => {
                let known = ObjectKey::of::<Secret>(namespace, &secret);
                return Err(secrets.invalid(&key, another_key(&known)));
            }
            Some(known @ Fingerprint::Salted { .. }) => known,
            Some(Fingerprint::Unsalted(_)) | None => Fingerprint::new(owner, value.bytes()),
        };
        Ok(Self {
            secret,
            key: fingerprint,
            before: before.unwrap_or_default(),
            deletion: retention(owner.spec.deletion_policy),
        })
    }

    /// Whether what belongs to the database is deleted with the Core.
    pub fn deletion(&self) -> DeletionBehavior {
        self.deletion
    }

    /// The previous record.
    pub fn before(&self) -> &Record {
        &self.before
    }

    /// The Secret with the record while no Core of this version has become available. `begun` is the attempt to migrate the
    /// database that has begun, or may begin now; without one, the last attempt stays.
    pub fn while_migrating(&self, core: &Instance<'_>, begun: Option<Begun>) -> Desired {
        let Record { migrating, migrated, completed, attempt } = &self.before;
        let begun = begun.as_ref().or(attempt.as_ref());
        let versions = [
            (MIGRATING, begun.map(|begun| &begun.attempt.version).or(migrating.as_ref())),
            (MIGRATED, migrated.as_ref()),
            (COMPLETED, completed.as_ref()),
        ];
        let mut secret = self.to_secret(core, versions);
        let entry = begun.map(Begun::entry);
        secret
            .data
            .get_or_insert_default()
            .extend(entry.map(|(key, text)| (key, ByteString(text.into_bytes()))));
        Desired::from(secret).on_deletion(self.deletion)
    }

    /// The Secret with the record. Until the last replica of an earlier version is gone, that version stays
    /// recorded as completed.
    pub fn secret(&self, core: &Instance<'_>) -> Desired {
        let version = &core.version;
        let with = |completed| self.to_secret(core, [(MIGRATED, Some(version)), (COMPLETED, completed)]);
        let desired = Desired::from(with(Some(version))).on_deletion(self.deletion);
        match &self.before.completed {
            Some(before) if before == version => desired,
            before => {
                let why = format!("not all replicas have version {version} yet");
                desired.held_as(with(before.as_ref()), why)
            }
        }
    }

    fn to_secret<'v>(
        &self,
        core: &Instance<'_>,
        versions: impl IntoIterator<Item = (&'static str, Option<&'v HarborVersion>)>,
    ) -> Secret {
        let versions = versions.into_iter().map(|(key, version)| (key, version.map(ToString::to_string)));
        let data = std::iter::once((KEY, Some(self.key.to_string())))
            .chain(versions)
            .filter_map(|(key, value)| Some((key.to_owned(), ByteString(value?.into_bytes()))));
        Secret {
            metadata: core.metadata(&self.secret),
            type_: Some("Opaque".into()),
            data: Some(data.collect()),
            ..Secret::default()
        }
    }
}

/// The fingerprint of an encryption key.
enum Fingerprint {
    Salted { salt: String, digest: String },
    Unsalted(String),
}

impl Fingerprint {
    /// The fingerprint of a key that is used for the first time. Its salt is the uid of the Core, which is
    /// random and unique.
    fn new(owner: &v1beta1::Core, key: &[u8]) -> Self {
        let ObjectMeta { uid, namespace, name, .. } = &owner.metadata;
        let without_uid = || [namespace, name].map(|part| part.as_deref().unwrap_or_default()).join("/");
        let salt = uid.clone().unwrap_or_else(without_uid);
        Self::Salted { digest: salted(&salt, key).to_string(), salt }
    }

    /// The fingerprint in the Secret, if the Secret exists.
    fn read(name: &str, secrets: &Secrets<'_>, world: &World<'_>) -> Result<Option<Self>, PlanError> {
        let Some(secret) = world.read::<Secret>(name)? else { return Ok(None) };
        let text = |entry: &str| {
            let bytes = &secret.data.as_ref()?.get(entry)?.0;
            Some(String::from_utf8_lossy(bytes).trim().to_owned())
        };
        match (text(KEY), text(UNSALTED)) {
            (Some(salted), _) => {
                // A text without a colon matches no key.
                let (salt, digest) = salted.split_once(':').unwrap_or_default();
                Ok(Some(Self::Salted { salt: salt.to_owned(), digest: digest.to_owned() }))
            }
            (None, Some(digest)) => Ok(Some(Self::Unsalted(digest))),
            (None, None) => {
                let fault = Fault::new("does not exist", "add it to the Secret");
                Err(secrets.invalid(&SecretKey::new(name, KEY), fault))
            }
        }
    }

    fn is_of(&self, key: &[u8]) -> bool {
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

fn another_key(known: &ObjectKey) -> Fault {
    Fault::new(
        "is not the key the database was encrypted with",
        format!("restore it, or, if the database is new, delete {known}"),
    )
}
