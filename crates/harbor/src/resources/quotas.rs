//! Quotas: how much a project may store.

use crate::{Harbor, ProjectId, QuotaId, client::Path, error::Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

impl Harbor {
    /// Quotas.
    pub fn quotas(&self) -> Quotas<'_> {
        Quotas { harbor: self }
    }
}

/// Calls about quotas.
#[derive(Clone, Copy, Debug)]
pub struct Quotas<'h> {
    harbor: &'h Harbor,
}

const QUOTAS: &str = "/quotas";

impl Quotas<'_> {
    /// The quotas of all projects.
    pub async fn list(&self) -> Result<Vec<Quota>, Error> {
        self.harbor.get(Path::new(QUOTAS)).query("reference", "project").pages().await
    }

    /// The quota of a project. A project that was created while `quota_per_project_enable` was off has none, and does not
    /// get one later.
    pub async fn of_project(&self, project: ProjectId) -> Result<Option<Quota>, Error> {
        let call = self.harbor.get(Path::new(QUOTAS)).query("reference", "project");
        let found: Vec<Quota> = call.query("reference_id", project).pages().await?;
        Ok(found.into_iter().find(|quota| quota.reference.id == project))
    }

    /// Changes a quota. It may be below what is used; pushes then fail.
    pub async fn set(&self, quota: QuotaId, storage: Storage) -> Result<(), Error> {
        let update = QuotaUpdate { hard: Resources { storage } };
        self.harbor.put(Path::new(QUOTAS).id(quota)).body(&update).done().await
    }
}

/// The quota of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Quota {
    /// Its number.
    pub id: QuotaId,
    /// The project.
    #[serde(rename = "ref")]
    pub reference: Reference,
    /// The limit.
    pub hard: Resources,
    /// What is used.
    pub used: Resources,
}

/// The project that a quota belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Reference {
    /// Its number.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
}

/// An amount of each resource. There is only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Resources {
    /// Storage.
    pub storage: Storage,
}

#[derive(Debug, Serialize)]
struct QuotaUpdate {
    hard: Resources,
}

/// An amount of storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// No limit.
    Unlimited,
    /// So many bytes.
    Bytes(u64),
}

/// A number is not an amount of storage that Harbor accepts as a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a limit; it must be -1 for none, or 1 to 1125899906842624 bytes")]
pub struct NotALimit(i64);

impl Storage {
    /// The highest limit, 1024 TiB.
    pub const MOST: i64 = 1 << 50;

    /// A limit that Harbor accepts. Older versions would store others.
    pub fn limit(number: i64) -> Result<Self, NotALimit> {
        match u64::try_from(number) {
            Ok(bytes) if (1..=Self::MOST).contains(&number) => Ok(Self::Bytes(bytes)),
            _ if number == -1 => Ok(Self::Unlimited),
            _ => Err(NotALimit(number)),
        }
    }

    fn number(self) -> i64 {
        match self {
            Self::Unlimited => -1,
            Self::Bytes(bytes) => i64::try_from(bytes).unwrap_or(i64::MAX),
        }
    }
}

impl Default for Storage {
    fn default() -> Self {
        Self::Bytes(0)
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.write_str("unlimited"),
            Self::Bytes(bytes) => write!(f, "{bytes} bytes"),
        }
    }
}

impl Serialize for Storage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.number())
    }
}

impl<'de> Deserialize<'de> for Storage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Whatever is negative has no limit.
        Ok(i64::deserialize(deserializer)?.try_into().map_or(Self::Unlimited, Self::Bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::{NotALimit, Storage};

    #[test]
    fn limits_are_those_that_new_versions_accept() {
        assert_eq!(Storage::limit(-1), Ok(Storage::Unlimited));
        assert_eq!(Storage::limit(1), Ok(Storage::Bytes(1)));
        assert_eq!(Storage::limit(1 << 50), Ok(Storage::Bytes(1 << 50)));
        for wrong in [0, -2, (1 << 50) + 1, i64::MIN, i64::MAX] {
            assert_eq!(Storage::limit(wrong), Err(NotALimit(wrong)));
        }
    }

    #[test]
    fn storage_is_read_as_it_is_written() {
        for storage in [Storage::Unlimited, Storage::Bytes(0), Storage::Bytes(1 << 40)] {
            let written = serde_json::to_value(storage).unwrap();
            assert_eq!(serde_json::from_value::<Storage>(written).unwrap(), storage);
        }
    }
}
