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
        // Core has `harbor` in its own spec.
        let RedisDatabasesSpec { core, harbor: _, registry, jobservice, chartmuseum, trivy } =
            set.cloned().unwrap_or_default();
        let (index, default) = match self {
            Self::Core => (core, 0),
            Self::Registry => (registry, 1),
            Self::JobService => (jobservice, 2),
            Self::ChartMuseum => (chartmuseum, 3),
            Self::Trivy => (trivy, 5),
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
