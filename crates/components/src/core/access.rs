//! What Core reaches servers with, which others learn from Core: JobService asks it for the database when it starts, and never
//! again, and the schedule of a garbage collection keeps the Redis of the registry as the Core had it that took the request.
//!
//! So the record counts for each of the two how often all pods of Core have changed to another one. The pods of JobService restart
//! with each change of the database, and the schedule is set again with each change of the Redis.

use super::fingerprint::Fingerprint;
use crate::{connections::Database, secrets::Secrets};
use api::v1beta1;
use k8s_openapi::api::core::v1::Secret;
use plan::{All as _, PlanError, World};

/// How often what Core reaches the database with has changed. JobService refers to it.
pub(crate) const ACCESS_CHANGES: &str = "database-access-changes";
/// How often what Core reaches the Redis of the registry with has changed.
pub(crate) const REDIS_CHANGES: &str = "redis-access-changes";

/// The entries of the record about one server.
#[derive(Clone, Copy)]
struct Entries {
    /// The fingerprint of what all pods of Core reach it with.
    fingerprint: &'static str,
    /// How often that has changed.
    changes: &'static str,
}

const DATABASE: Entries = Entries { fingerprint: "database-access-fingerprint", changes: ACCESS_CHANGES };
const REDIS: Entries = Entries { fingerprint: "redis-access-fingerprint", changes: REDIS_CHANGES };

/// What Core reaches its servers with, now and when its pods were last ready.
#[derive(Clone)]
pub(super) struct Accesses(Vec<Access>);

#[derive(Clone)]
struct Access {
    entries: Entries,
    /// None for an object that is in no cluster: a reader of what `render` prints could guess passwords.
    now: Option<Fingerprint>,
    before: Option<Fingerprint>,
    changes: u64,
    has_changed: bool,
}

impl Accesses {
    /// Those of a Core whose record is in a Secret. `redis` is the URL of the registry's.
    pub fn of(
        owner: &v1beta1::Core,
        redis: Option<&str>,
        secrets: &Secrets<'_>,
        record: &str,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let database = Database::of(&owner.spec.database.connection, "spec.database", secrets);
        let database = database.and_then(|database| database.identity(secrets));
        let (database, record) = (database, world.read::<Secret>(record)).all()?;
        let of = |entries, value: &[u8]| Access::of(owner, entries, value, record.as_ref());
        let redis = redis.map(|url| of(REDIS, url.as_bytes()));
        Ok(Self(std::iter::once(of(DATABASE, &database)).chain(redis).collect()))
    }

    /// Whether pods of Core are getting another one.
    pub fn have_changed(&self) -> bool {
        self.0.iter().any(|access| access.has_changed)
    }

    /// The entries of the record when all pods of Core have the present ones.
    pub fn now(&self) -> Vec<(&'static str, String)> {
        self.0.iter().flat_map(Access::now).collect()
    }

    /// The entries of the record until then.
    pub fn before(&self) -> Vec<(&'static str, String)> {
        self.0.iter().flat_map(Access::before).collect()
    }
}

impl Access {
    fn of(owner: &v1beta1::Core, entries: Entries, value: &[u8], record: Option<&Secret>) -> Self {
        let entry = |entry: &str| {
            let found = record?.data.as_ref()?.get(entry)?;
            Some(String::from_utf8_lossy(&found.0).trim().to_owned())
        };
        let before = entry(entries.fingerprint).map(|text| Fingerprint::parse(&text));
        let has_changed = before.as_ref().is_some_and(|before| !before.is_of(value));
        let changes = entry(entries.changes).and_then(|text| text.parse().ok()).unwrap_or_default();
        let now = owner.metadata.uid.is_some().then(|| Fingerprint::new(owner, value));
        Self { entries, now, before, changes, has_changed }
    }

    fn now(&self) -> Vec<(&'static str, String)> {
        let before = self.before.as_ref().filter(|_| !self.has_changed);
        let changes = if self.has_changed { self.changes.saturating_add(1) } else { self.changes };
        self.with(before.or(self.now.as_ref()), changes)
    }

    fn before(&self) -> Vec<(&'static str, String)> {
        self.with(self.before.as_ref(), self.changes)
    }

    fn with(&self, access: Option<&Fingerprint>, changes: u64) -> Vec<(&'static str, String)> {
        let access = access.map(|access| (self.entries.fingerprint, access.to_string()));
        let changes = (changes > 0).then(|| (self.entries.changes, changes.to_string()));
        access.into_iter().chain(changes).collect()
    }
}
