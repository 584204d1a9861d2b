//! Volumes, each with the one place it is mounted.

use k8s_openapi::api::core::v1::{Volume, VolumeMount};

/// Volumes and where they are mounted, in the order they were added.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Files(Vec<(Volume, VolumeMount)>);

impl Files {
    /// With this volume, mounted here.
    #[must_use]
    pub fn with(mut self, volume: Volume, mount: VolumeMount) -> Self {
        self.0.push((volume, mount));
        self
    }

    /// With these too.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The volumes.
    pub fn volumes(&self) -> impl Iterator<Item = Volume> {
        self.0.iter().map(|(volume, _)| volume.clone())
    }

    /// Where they are mounted.
    pub fn mounts(&self) -> impl Iterator<Item = VolumeMount> {
        self.0.iter().map(|(_, mount)| mount.clone())
    }
}
