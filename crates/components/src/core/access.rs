//! What Core reaches servers with, which others learn from Core: JobService asks it for the database when it starts, and never
//! again, and the schedule of a garbage collection keeps the Redis of the registry as the Core had it that took the request.
//!
//! So the record counts for each of the two how often all pods of Core have changed to another one. The pods of JobService restart
//! with each change of the database, and the schedule is set again with each change of the Redis.

use super::{Record, fingerprint::Fingerprint};
use crate::{connections::Database, secrets::Secrets};
use api::v1beta1::{self, postgres::PostgresCredentials};
use k8s_openapi::api::core::v1::Secret;
use plan::{All as _, PlanError, Supply, World};

/// How often what Core reaches the database with has changed. JobService refers to it.
pub(super) const ACCESS_CHANGES: &str = "database-access-changes";
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

impl Entries {
    /// What all pods of Core had when that was recorded.
    fn before(&self, record: Option<&Secret>) -> Option<Fingerprint> {
        entry(record, self.fingerprint).map(|text| Fingerprint::parse(&text))
    }
}

fn entry(record: Option<&Secret>, entry: &str) -> Option<String> {
    let found = record?.data.as_ref()?.get(entry)?;
    Some(String::from_utf8_lossy(&found.0).trim().to_owned())
}

/// Everything by which what a Core reaches its database with differs from another.
fn database(core: &v1beta1::Core, secrets: &Secrets<'_>) -> Result<Vec<u8>, PlanError> {
    Database::of(&core.spec.database.connection, "spec.database", secrets)?.identity(secrets)
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
        let (database, record) = (database(owner, secrets), world.read::<Secret>(record)).all()?;
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
        let before = entries.before(record);
        let has_changed = before.as_ref().is_some_and(|before| !before.is_of(value));
        let changes = entry(record, entries.changes).and_then(|text| text.parse().ok()).unwrap_or_default();
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

/// What a JobService gets from Core about the database when it starts.
pub(crate) struct DatabaseOfCore {
    /// The key of a Secret that counts how often it has changed, if it has.
    pub changes: Option<(String, &'static str)>,
    /// Where the password is.
    pub credentials: PostgresCredentials,
    /// Whether all pods of Core have the present one.
    pub supply: Supply,
}

impl DatabaseOfCore {
    /// What JobService gets from the Core with this name. A Core whose spec is wrong goes on with what it has.
    pub fn read(core: &str, secrets: &Secrets<'_>, world: &World<'_>) -> Result<Self, PlanError> {
        let name = Record::secret(core);
        let (owner, record) = (world.read::<v1beta1::Core>(core), world.read::<Secret>(&name)).all()?;
        let has_changed = entry(record.as_ref(), ACCESS_CHANGES).is_some();
        let changes = has_changed.then_some((name, ACCESS_CHANGES));
        let Some(owner) = owner else {
            let credentials = PostgresCredentials::default();
            return Ok(Self { changes, credentials, supply: Supply::Present });
        };
        let supply = match (DATABASE.before(record.as_ref()), database(&owner, secrets)) {
            (_, Err(unread @ PlanError::Unread(_))) => return Err(unread),
            (Some(before), Ok(now)) if before.is_of(&now) => Supply::Present,
            // Nothing was recorded that could change.
            (None, _) => Supply::Present,
            (Some(_), _) => Supply::Earlier,
        };
        Ok(Self { changes, credentials: owner.spec.database.connection.credentials, supply })
    }
}
