//! The types of registries that a version knows.

use crate::{Version, version::Span, words::words};

words! {
    /// The type of a registry.
    pub enum RegistryType {
        /// Harbor.
        Harbor = "harbor",
        /// Docker Hub.
        DockerHub = "docker-hub",
        /// Any registry.
        DockerRegistry = "docker-registry",
        /// Huawei SWR.
        HuaweiSwr = "huawei-SWR",
        /// Google GCR.
        GoogleGcr = "google-gcr",
        /// AWS ECR.
        AwsEcr = "aws-ecr",
        /// Azure ACR.
        AzureAcr = "azure-acr",
        /// Alibaba ACR.
        AliAcr = "ali-acr",
        /// JFrog Artifactory.
        JfrogArtifactory = "jfrog-artifactory",
        /// Tencent TCR.
        TencentTcr = "tencent-tcr",
        /// GitHub.
        GithubGhcr = "github-ghcr",
        /// Volcengine.
        VolcengineCr = "volcengine-cr",
        /// Quay.
        Quay = "quay",
        /// GitLab.
        Gitlab = "gitlab",
        /// Docker Trusted Registry.
        Dtr = "dtr",
        /// Helm Hub.
        HelmHub = "helm-hub",
        /// Artifact Hub.
        ArtifactHub = "artifact-hub",
    }
}

impl RegistryType {
    /// Whether a version knows it. Harbor answers 500 to an unknown one.
    ///
    /// The environment of Core may allow fewer, see [`super::Registries::types`].
    pub fn is_in(&self, version: Version) -> bool {
        let span = match self {
            Self::VolcengineCr => Span::since(11, 0),
            Self::HelmHub | Self::ArtifactHub => Span::before(8),
            Self::Other(_) => return false,
            Self::Harbor
            | Self::DockerHub
            | Self::DockerRegistry
            | Self::HuaweiSwr
            | Self::GoogleGcr
            | Self::AwsEcr
            | Self::AzureAcr
            | Self::AliAcr
            | Self::JfrogArtifactory
            | Self::TencentTcr
            | Self::GithubGhcr
            | Self::Quay
            | Self::Gitlab
            | Self::Dtr => Span::ALWAYS,
        };
        span.contains(version)
    }
}
