//! The record of Core's database: the key that it is encrypted with, and the versions of Harbor that have used
//! it.
//!
//! Core accepts any key of the right length: with another key than before it starts, looks healthy, and
//! decrypts passwords to garbage. Core also migrates the database when it starts, and an older Core does not
//! start on it any more. The operator therefore records the key and the version once a Core with both has
//! become available, in a Secret that outlives the Core as the database does.

use super::{
    Core,
    access::{Accesses, REDIS_CHANGES},
    attempt::Begun,
    fingerprint::{self, Fingerprint},
    keys,
};
use crate::{
    data::retention,
    pods::Instance,
    secrets::{SecretKey, SecretValue, Secrets},
    values::Fault,
    versions::HarborVersion,
};
use api::{names::ROTATE_ENCRYPTION_KEY_ANNOTATION, v1beta1};
use jiff::Timestamp;
use k8s_openapi::{ByteString, api::core::v1::Secret};
use kube::core::ObjectMeta;
use plan::{All, Component, DeletionBehavior, Desired, ObjectKey, PlanError, World};
use std::fmt;

/// The newest version with which Core has become available, so it has migrated the database.
const MIGRATED: &str = "migrated-by";
/// The version whose migration of the database has begun, while no Core of it has become available.
const MIGRATING: &str = "migrating-to";
/// The version of all replicas when Core was last ready.
const COMPLETED: &str = "completed";
/// The Secret with the key that the database gets, until a Core with that key has become available.
pub(super) const NEXT_KEY: &str = "encryption-key-next";
/// The version to which the database can be migrated at once, and since when.
const PREPARED: &str = "prepared";

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
    /// The Secret with the key that the database gets, while no Core with that key has become available.
    pub next_key: Option<String>,
    /// How often what Core reaches the Redis of the registry with has changed, if it has.
    pub redis_changes: Option<String>,
    /// The migration that has not begun, and needs nothing more.
    pub prepared: Option<Prepared>,
}

/// A migration whose pod has its image, and waits for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prepared {
    /// The version that migrates the database.
    pub version: HarborVersion,
    /// Since when the pod waits.
    pub since: Timestamp,
}

impl Prepared {
    fn parse(text: &str) -> Option<Self> {
        let (version, since) = text.split_once(' ')?;
        Some(Self { version: HarborVersion::parse(version).ok()?, since: since.parse().ok()? })
    }
}

impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.version, self.since)
    }
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
        let text = |key: &str| Some(str::from_utf8(&secret.data.as_ref()?.get(key)?.0).ok()?.trim_ascii());
        let version = |key: &str| HarborVersion::parse(text(key)?).ok();
        let [migrating, migrated, completed] = [MIGRATING, MIGRATED, COMPLETED].map(version);
        let next_key = text(NEXT_KEY).map(str::to_owned);
        let redis_changes = text(REDIS_CHANGES).map(str::to_owned);
        let prepared = text(PREPARED).and_then(Prepared::parse);
        let attempt = Begun::read(secret);
        Self { migrating, migrated, completed, attempt, next_key, redis_changes, prepared }
    }

    /// The version that last began to use the database. What it wrote cannot be undone.
    pub fn newest(&self) -> Option<&HarborVersion> {
        self.migrating.as_ref().or(self.migrated.as_ref())
    }
}

/// The key and the version in use, and the previous record.
#[derive(Clone)]
pub(super) struct Memory {
    secret: String,
    /// The Secret with the key that the database is encrypted with.
    key_secret: String,
    key: Fingerprint,
    rekeying: Rekeying,
    /// The fingerprint of the key that the database gets.
    next: Option<Fingerprint>,
    before: Record,
    accesses: Accesses,
    deletion: DeletionBehavior,
}

/// How far the database has got another key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rekeying {
    /// It keeps its key.
    No,
    /// A user requests another one.
    Requested {
        /// The Secret with that key.
        to: String,
    },
    /// The database may have the other key.
    Begun {
        /// The Secret with that key.
        to: String,
    },
    /// The database has the other key, and no Core with that key has become available.
    Done,
}

impl Memory {
    /// The memory of a Core. The database must be encrypted with the key in its spec, or with the one to which a user rotates it.
    /// `redis` is the URL of the registry's.
    pub fn of(
        owner: &v1beta1::Core,
        redis: Option<&str>,
        secrets: &Secrets<'_>,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let ObjectMeta { name, namespace, .. } = &owner.metadata;
        let (name, namespace) =
            (name.as_deref().unwrap_or_default(), namespace.as_deref().unwrap_or_default());
        let secret = Record::secret(name);
        let key = SecretKey::new(&owner.spec.database.encryption_key_ref, keys::ENCRYPTION_KEY);
        let (value, known, before, accesses) = (
            secrets.checked(&key, keys::encrypts),
            Fingerprint::read(&secret, secrets, world),
            Record::read(name, world),
            Accesses::of(owner, redis, secrets, &secret, world),
        )
            .all()?;
        let before = before.unwrap_or_default();
        let other = Other::of(owner, &before, known.is_some(), secrets)?;
        let is_of = |value: &SecretValue| known.as_ref().is_none_or(|known| known.is_of(value.bytes()));
        let (key_secret, value, rekeying, next) = match other {
            Some(Other { secret, value, begun }) if known.is_some() && is_of(&value) => {
                let rekeying = if begun { Rekeying::Done } else { Rekeying::No };
                (secret, value, rekeying, None)
            }
            _ if !is_of(&value) => {
                let known = ObjectKey::of::<Secret>(namespace, &secret);
                return Err(secrets.invalid(&key, another_key(&known)));
            }
            Some(Other { secret: to, value: other, begun }) => {
                let rekeying = if begun { Rekeying::Begun { to } } else { Rekeying::Requested { to } };
                (key.secret.to_owned(), value, rekeying, Some(Fingerprint::new(owner, other.bytes())))
            }
            // A user may name the key in the spec as soon as the database has it.
            None if before.next_key.is_some() => (key.secret.to_owned(), value, Rekeying::Done, None),
            None => (key.secret.to_owned(), value, Rekeying::No, None),
        };
        let fingerprint = match known {
            Some(known @ Fingerprint::Salted { .. }) => known,
            Some(Fingerprint::Unsalted(_)) | None => Fingerprint::new(owner, value.bytes()),
        };
        let deletion = retention(owner.spec.deletion_policy);
        Ok(Self { secret, key_secret, key: fingerprint, rekeying, next, before, accesses, deletion })
    }

    /// The Secret with the key that the database is encrypted with.
    pub fn key_secret(&self) -> &str {
        &self.key_secret
    }

    /// How far the database has got another key.
    pub fn rekeying(&self) -> &Rekeying {
        &self.rekeying
    }

    /// Whether the database has got another key, and no Core with that key has become available.
    pub fn is_rekeyed(&self) -> bool {
        self.rekeying == Rekeying::Done
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
    pub fn while_migrating(
        &self,
        core: &Instance<'_>,
        begun: Option<Begun>,
        prepared: Option<&Prepared>,
    ) -> Desired {
        let Record { migrating, migrated, completed, attempt, .. } = &self.before;
        let begun = begun.as_ref().or(attempt.as_ref());
        let versions = [
            (MIGRATING, begun.map(|begun| &begun.attempt.version).or(migrating.as_ref())),
            (MIGRATED, migrated.as_ref()),
            (COMPLETED, completed.as_ref()),
        ];
        let mut secret = self.to_secret(core, versions, self.accesses.before());
        let prepared = prepared.map(|prepared| (PREPARED.to_owned(), prepared.to_string()));
        let entries = begun.map(Begun::entry).into_iter().chain(prepared);
        secret
            .data
            .get_or_insert_default()
            .extend(entries.map(|(key, text)| (key, ByteString(text.into_bytes()))));
        Desired::from(secret).on_deletion(self.deletion)
    }

    /// The Secret with the record while the database may have either key: the one before, or the one in this Secret.
    pub fn while_rekeying(&self, core: &Instance<'_>, to: &str) -> Desired {
        let Record { migrating, migrated, completed, .. } = &self.before;
        let versions = [(MIGRATING, migrating), (MIGRATED, migrated), (COMPLETED, completed)];
        let versions = versions.map(|(key, version)| (key, version.as_ref()));
        let mut secret = self.to_secret(core, versions, self.accesses.before());
        let data = secret.data.get_or_insert_default();
        data.insert(NEXT_KEY.to_owned(), ByteString(to.as_bytes().to_vec()));
        Desired::from(secret).on_deletion(self.deletion)
    }

    /// The same once the database has the key in this Secret.
    pub fn rekeyed(&self, core: &Instance<'_>, to: &str) -> Desired {
        let mut record = Self { key: self.next.clone().unwrap_or_else(|| self.key.clone()), ..self.clone() };
        record.next = None;
        record.while_rekeying(core, to)
    }

    /// The Secret with the record. Until the last replica of an earlier version is gone, that version stays
    /// recorded as completed, and what it reached the database with.
    pub fn secret(&self, core: &Instance<'_>) -> Desired {
        let version = &core.version;
        let with = |completed, access| {
            self.to_secret(core, [(MIGRATED, Some(version)), (COMPLETED, completed)], access)
        };
        let desired = Desired::from(with(Some(version), self.accesses.now())).on_deletion(self.deletion);
        let why = match &self.before.completed {
            Some(before) if before == version && !self.accesses.have_changed() => return desired,
            Some(before) if before == version => "not all replicas have the new password yet".into(),
            _ => format!("not all replicas have version {version} yet"),
        };
        desired.held_as(with(self.before.completed.as_ref(), self.accesses.before()), why)
    }

    fn to_secret<'v>(
        &self,
        core: &Instance<'_>,
        versions: impl IntoIterator<Item = (&'static str, Option<&'v HarborVersion>)>,
        access: Vec<(&'static str, String)>,
    ) -> Secret {
        let versions = versions.into_iter().map(|(key, version)| (key, version.map(ToString::to_string)));
        let data = std::iter::once((fingerprint::KEY, Some(self.key.to_string())))
            .chain(versions)
            .chain(access.into_iter().map(|(key, value)| (key, Some(value))))
            .filter_map(|(key, value)| Some((key.to_owned(), ByteString(value?.into_bytes()))));
        Secret {
            metadata: core.metadata(&self.secret),
            type_: Some("Opaque".into()),
            data: Some(data.collect()),
            ..Secret::default()
        }
    }
}

/// A key beside the one in the spec.
struct Other {
    secret: String,
    value: SecretValue,
    /// Whether the database may have it.
    begun: bool,
}

impl Other {
    /// The key to which the record says that the database is going, or otherwise the one that a user requests. A database without
    /// a record is new, and gets the key in the spec.
    fn of(
        owner: &v1beta1::Core,
        before: &Record,
        is_recorded: bool,
        secrets: &Secrets<'_>,
    ) -> Result<Option<Self>, PlanError> {
        let requested = owner.metadata.annotations.as_ref();
        let requested = requested.and_then(|it| it.get(ROTATE_ENCRYPTION_KEY_ANNOTATION)).map(|it| it.trim());
        let other = before.next_key.as_deref().or(requested).filter(|other| {
            let named: &str = &owner.spec.database.encryption_key_ref;
            is_recorded && !other.is_empty() && *other != named
        });
        let Some(secret) = other else { return Ok(None) };
        let value = secrets.checked(&SecretKey::new(secret, keys::ENCRYPTION_KEY), keys::encrypts)?;
        Ok(Some(Self { secret: secret.to_owned(), value, begun: before.next_key.is_some() }))
    }
}

fn another_key(known: &ObjectKey) -> Fault {
    Fault::new(
        "is not the key the database was encrypted with",
        format!("restore it, or, if the database is new, delete {known}"),
    )
}
