//! HarborRegistryEndpoint: another registry that a Harbor replicates with or caches.

use super::{
    creation_policy::CreationPolicy,
    harbor_target::HarborTarget,
    managed_object::ManagedObjectStatus,
    object_deletion_policy::ObjectDeletionPolicy,
    secret_reference::{SecretKeyReference, SecretReference},
    status::Observation,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Another registry that a Harbor replicates with or caches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborRegistryEndpoint",
    doc = "Another registry that a Harbor replicates with or caches.",
    namespaced,
    plural = "harborregistryendpoints",
    shortname = "hre",
    category = "goharbor",
    status = "HarborRegistryEndpointStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor in which the object takes effect"
    ),
    printcolumn(
        name = "Registry",
        type_ = "string",
        json_path = ".spec.registryName",
        description = "Name of the registry endpoint"
    )
)]
#[serde(rename_all = "camelCase")]
pub struct HarborRegistryEndpointSpec {
    /// The Harbor in which the object takes effect.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// Name of the registry endpoint in Harbor. Cannot change.
    #[schemars(regex(pattern = r"^\S(.*\S)?$"), length(min = 1, max = 64))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("registryName: cannot change after creation; create another HarborRegistryEndpoint"))]
    pub registry_name: String,

    /// Type of the registry: harbor, docker-hub, docker-registry, huawei-SWR, google-gcr, aws-ecr, azure-acr, ali-acr,
    /// jfrog-artifactory, tencent-tcr, github-ghcr, volcengine-cr, quay, gitlab or another that the Harbor's version knows.
    /// Cannot change.
    #[serde(rename = "type")]
    #[schemars(regex(pattern = "^[a-z]+(-[A-Za-z0-9]+)*$"), length(max = 64))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("type: cannot change after creation; create another HarborRegistryEndpoint"))]
    pub type_: String,

    /// URL of the registry, such as `https://hub.docker.com`.
    #[schemars(regex(pattern = r"^https?://[^\s?#@]+$"), length(max = 256))]
    pub url: String,

    /// Whether Harbor does not check the registry's certificate. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,

    /// What the registry is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,

    /// Secret with the certificate authority of the registry, in PEM. The key defaults to `ca.crt`. Harbor 2.15 and later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_certificate_ref: Option<SecretKeyReference>,

    /// How Harbor logs in to the registry. It does not log in unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential: Option<RegistryCredential>,

    /// Whether the operator creates the registry endpoint, adopts one that exists, or both. Defaults to Create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_policy: Option<CreationPolicy>,

    /// Whether the operator deletes the registry endpoint in Harbor when this object is deleted. Defaults to Orphan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<ObjectDeletionPolicy>,
}

impl HarborRegistryEndpointSpec {
    /// The creation policy, or the default of this kind.
    pub fn effective_creation_policy(&self) -> CreationPolicy {
        self.creation_policy.unwrap_or_default()
    }

    /// The deletion policy, or the default of this kind.
    pub fn effective_deletion_policy(&self) -> ObjectDeletionPolicy {
        self.deletion_policy.unwrap_or(ObjectDeletionPolicy::Orphan)
    }
}

/// How Harbor logs in to a registry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryCredential {
    /// Type of the credentials. Defaults to basic.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "type")]
    pub type_: Option<RegistryCredentialType>,

    /// Secret whose keys `accessKey` and `accessSecret` hold the credentials.
    pub secret_ref: SecretReference,
}

/// Type of the credentials for a registry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RegistryCredentialType {
    /// A user name and a password.
    #[default]
    Basic,
    /// A token of OAuth.
    Oauth,
    /// A shared secret, between two Harbors.
    Secret,
}

impl RegistryCredentialType {
    /// The type as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Basic => "basic",
            Self::Oauth => "oauth",
            Self::Secret => "secret",
        }
    }
}

/// What the operator last observed of a HarborRegistryEndpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborRegistryEndpointStatus {
    /// Id of the registry endpoint in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "registryID")]
    pub registry_id: Option<i64>,

    /// What the operator knows about the object in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
