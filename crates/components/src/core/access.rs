//! What Core reaches its database with.
//!
//! JobService asks Core for it when it starts, and never again. So the record counts how often all pods of Core have changed to
//! another one, and the pods of JobService restart with each of these changes, after those of Core.

use super::fingerprint::Fingerprint;
use crate::{connections::Database, secrets::Secrets};
use api::v1beta1;
use k8s_openapi::api::core::v1::Secret;
use plan::{All as _, PlanError, World};

/// The fingerprint of what all pods of Core reach the database with.
const ACCESS: &str = "database-access-fingerprint";
/// How often that has changed. JobService refers to it.
pub(crate) const ACCESS_CHANGES: &str = "database-access-changes";

/// What Core reaches its database with, now and when its pods were last ready.
#[derive(Clone)]
pub(super) struct DatabaseAccess {
    /// None for an object that is in no cluster: a reader of what `render` prints could guess passwords.
    now: Option<Fingerprint>,
    before: Option<Fingerprint>,
    changes: u64,
    has_changed: bool,
}

impl DatabaseAccess {
    /// The access of a Core whose record is in a Secret.
    pub fn of(
        owner: &v1beta1::Core,
        secrets: &Secrets<'_>,
        record: &str,
        world: &World<'_>,
    ) -> Result<Self, PlanError> {
        let database = Database::of(&owner.spec.database.connection, "spec.database", secrets);
        let value = database.and_then(|database| database.identity(secrets));
        let (value, record) = (value, world.read::<Secret>(record)).all()?;
        let entry = |entry: &str| {
            let found = record.as_ref()?.data.as_ref()?.get(entry)?;
            Some(String::from_utf8_lossy(&found.0).trim().to_owned())
        };
        let before = entry(ACCESS).map(|text| Fingerprint::parse(&text));
        let has_changed = before.as_ref().is_some_and(|before| !before.is_of(&value));
        let changes = entry(ACCESS_CHANGES).and_then(|text| text.parse().ok()).unwrap_or_default();
        let now = owner.metadata.uid.is_some().then(|| Fingerprint::new(owner, &value));
        Ok(Self { now, before, changes, has_changed })
    }

    /// Whether pods of Core are getting another one.
    pub const fn has_changed(&self) -> bool {
        self.has_changed
    }

    /// The entries of the record when all pods of Core have the present one.
    pub fn now(&self) -> Vec<(&'static str, String)> {
        let before = self.before.as_ref().filter(|_| !self.has_changed);
        let changes = if self.has_changed { self.changes.saturating_add(1) } else { self.changes };
        entries(before.or(self.now.as_ref()), changes)
    }

    /// The entries of the record until then.
    pub fn before(&self) -> Vec<(&'static str, String)> {
        entries(self.before.as_ref(), self.changes)
    }
}

fn entries(access: Option<&Fingerprint>, changes: u64) -> Vec<(&'static str, String)> {
    let access = access.map(|access| (ACCESS, access.to_string()));
    let changes = (changes > 0).then(|| (ACCESS_CHANGES, changes.to_string()));
    access.into_iter().chain(changes).collect()
}
