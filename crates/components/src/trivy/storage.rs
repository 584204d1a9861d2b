//! Trivy's volumes: its database of vulnerabilities, and reports until Harbor has read them.

use crate::pods::{sub_path, writable_mount};
use api::v1beta1::trivy::TrivyStorageSpec;
use k8s_openapi::api::core::v1::{Volume, VolumeMount};
use plan::{All, PlanError};

/// Directory of the database.
pub(super) const CACHE: &str = "/home/scanner/.cache/trivy";

/// Directory of the reports.
pub(super) const REPORTS: &str = "/home/scanner/.cache/reports";

/// The volumes, and the directories in them.
pub(super) struct Storage<'a> {
    spec: &'a TrivyStorageSpec,
    cache: Option<String>,
    reports: Option<String>,
}

impl<'a> Storage<'a> {
    /// The volumes that a spec describes.
    pub fn of(spec: &'a TrivyStorageSpec) -> Result<Self, PlanError> {
        let (cache, reports) = (
            sub_path(spec.cache.prefix.as_deref(), "spec.storage.cache.prefix"),
            sub_path(spec.reports.prefix.as_deref(), "spec.storage.reports.prefix"),
        )
            .all()?;
        Ok(Self { spec, cache, reports })
    }

    /// The volumes.
    pub fn volumes(&self) -> [Volume; 2] {
        let TrivyStorageSpec { cache, reports } = self.spec;
        [reports.volume_source.volume("reports"), cache.volume_source.volume("cache")]
    }

    /// The mounts of the volumes.
    pub fn mounts(&self) -> [VolumeMount; 2] {
        [
            VolumeMount { sub_path: self.reports.clone(), ..writable_mount("reports", REPORTS) },
            VolumeMount { sub_path: self.cache.clone(), ..writable_mount("cache", CACHE) },
        ]
    }
}
