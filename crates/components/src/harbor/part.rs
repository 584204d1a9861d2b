//! The parts of a Harbor.

use crate::{
    pods::Scheme,
    versions::{HarborVersion, Mirror, named_image, with_pull_settings},
};
use api::v1beta1::{component::ComponentSpec, image::ImageSourceSpec};

/// One component of a Harbor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// The API server.
    Core,
    /// Background jobs.
    JobService,
    /// Image storage.
    Registry,
    /// Garbage collection, in the registry's pods.
    RegistryController,
    /// Web pages.
    Portal,
    /// Chart storage.
    ChartMuseum,
    /// Metrics.
    Exporter,
    /// Signatures.
    NotaryServer,
    /// Keys of signatures.
    NotarySigner,
    /// Scans.
    Trivy,
    /// The reverse proxy in front.
    Nginx,
}

impl Part {
    /// All parts.
    pub const ALL: [Self; 11] = [
        Self::Core,
        Self::JobService,
        Self::Registry,
        Self::RegistryController,
        Self::Portal,
        Self::ChartMuseum,
        Self::Exporter,
        Self::NotaryServer,
        Self::NotarySigner,
        Self::Trivy,
        Self::Nginx,
    ];

    /// The suffix of its children's names, and the prefix of its pods' labels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::JobService => "jobservice",
            Self::Registry => "registry",
            Self::RegistryController => "registryctl",
            Self::Portal => "portal",
            Self::ChartMuseum => "chartmuseum",
            Self::Exporter => "exporter",
            Self::NotaryServer => "notaryserver",
            Self::NotarySigner => "notarysigner",
            Self::Trivy => "trivy",
            Self::Nginx => "nginx",
        }
    }

    /// Name of its image, without registry and tag.
    const fn image(self) -> &'static str {
        match self {
            Self::Core => "harbor-core",
            Self::JobService => "harbor-jobservice",
            Self::Registry => "registry-photon",
            Self::RegistryController => "harbor-registryctl",
            Self::Portal => "harbor-portal",
            Self::ChartMuseum => "chartmuseum-photon",
            Self::Exporter => "harbor-exporter",
            Self::NotaryServer => "notary-server-photon",
            Self::NotarySigner => "notary-signer-photon",
            Self::Trivy => "trivy-adapter-photon",
            Self::Nginx => "nginx-photon",
        }
    }

    /// The settings of its pods, with the image source of the Harbor.
    ///
    /// The image is always set, so that a new version changes the spec and its generation: dependents then wait
    /// until the part runs the new version. A changed annotation does not change the generation.
    pub fn pods(
        self,
        requested: Option<&ComponentSpec>,
        source: Option<&ImageSourceSpec>,
        mirror: &Mirror,
        version: &HarborVersion,
    ) -> ComponentSpec {
        let mut spec = requested.cloned().unwrap_or_default();
        spec.image = with_pull_settings(spec.image, source);
        if named_image(&spec.image).is_none() {
            spec.image.image = Some(mirror.harbor(self.image(), version));
        }
        spec
    }

    /// The name of the port that its pods listen on.
    pub const fn port(self, internal: Scheme) -> &'static str {
        match self {
            Self::Registry | Self::NotaryServer | Self::NotarySigner => "api",
            Self::Exporter => "metrics",
            Self::Nginx => "http",
            Self::Core
            | Self::JobService
            | Self::RegistryController
            | Self::Portal
            | Self::ChartMuseum
            | Self::Trivy => internal.as_str(),
        }
    }
}
