//! The databases of components. They hold data, so their default names never change.

use api::v1beta1::{postgres::HarborDatabaseSpec, redis::RedisDatabasesSpec};

/// A use of Redis that has a database of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedisDatabase {
    /// Sessions, and everything of Core without a database of its own.
    Core,
    /// The registry's cache of blobs.
    Registry,
    /// The queue of jobs.
    JobService,
    /// Indexes of charts.
    ChartMuseum,
    /// Scans and their results.
    Trivy,
}

impl RedisDatabase {
    /// Its index.
    pub fn index(self, set: Option<&RedisDatabasesSpec>) -> i32 {
        let (index, default) = match self {
            Self::Core => (set.and_then(|set| set.core), 0),
            Self::Registry => (set.and_then(|set| set.registry), 1),
            Self::JobService => (set.and_then(|set| set.jobservice), 2),
            Self::ChartMuseum => (set.and_then(|set| set.chartmuseum), 3),
            Self::Trivy => (set.and_then(|set| set.trivy), 5),
        };
        index.unwrap_or(default)
    }
}

/// A database of PostgreSQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Database {
    /// The database of Core.
    Core,
    /// The database of the Notary server.
    NotaryServer,
    /// The database of the Notary signer.
    NotarySigner,
}

impl Database {
    /// Its name.
    pub fn name(self, spec: &HarborDatabaseSpec) -> String {
        let prefix = spec.prefix.as_deref().unwrap_or_default();
        match (self, &spec.name) {
            (Self::Core, Some(name)) => name.clone(),
            (Self::Core, None) => format!("{prefix}core"),
            (Self::NotaryServer, _) => format!("{prefix}notaryserver"),
            (Self::NotarySigner, _) => format!("{prefix}notarysigner"),
        }
    }
}
