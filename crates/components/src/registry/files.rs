//! Volumes, each with its only mount.

use k8s_openapi::api::core::v1::{Volume, VolumeMount};

/// Volumes and their mounts, in the order they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Files(Vec<(Volume, VolumeMount)>);

impl Files {
    /// Adds a volume and its mount.
    #[must_use]
    pub fn with(mut self, volume: Volume, mount: VolumeMount) -> Self {
        self.0.push((volume, mount));
        self
    }

    /// Adds those of another.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The volumes.
    pub fn volumes(&self) -> impl Iterator<Item = Volume> {
        self.0.iter().map(|(volume, _)| volume.clone())
    }

    /// Their mounts.
    pub fn mounts(&self) -> impl Iterator<Item = VolumeMount> {
        self.0.iter().map(|(_, mount)| mount.clone())
    }
}
