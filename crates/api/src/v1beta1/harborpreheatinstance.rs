//! HarborPreheatInstance: a P2P network that a Harbor preheats with images.

pub mod policy;

pub use self::policy::{PreheatFilters, PreheatPolicy, PreheatScope};

use super::{
    creation_policy::CreationPolicy, harbor_target::HarborTarget, managed_object::ManagedObjectStatus,
    object_deletion_policy::ObjectDeletionPolicy, secret_reference::SecretReference, status::Observation,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A P2P network that a Harbor preheats with images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborPreheatInstance",
    doc = "A P2P network that a Harbor preheats with images, and the policies that say with which.",
    namespaced,
    plural = "harborpreheatinstances",
    shortname = "hpi",
    category = "goharbor",
    status = "HarborPreheatInstanceStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor in which the object takes effect"
    ),
    printcolumn(
        name = "Instance",
        type_ = "string",
        json_path = ".spec.instanceName",
        description = "Name of the instance"
    )
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.authInfoRef) == (has(self.authMode) && self.authMode != 'none')")
    .message("authInfoRef: is required with authMode basic, oauth or custom and only then; add or remove it"))]
#[x_kube(validation = Rule::new(
        "!has(self.enabled) || self.enabled || !has(self.policies) || self.policies.size() == 0")
    .message("enabled: Harbor does not disable an instance with policies; remove policies or enable it"))]
pub struct HarborPreheatInstanceSpec {
    /// The Harbor in which the object takes effect.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// Name of the instance in Harbor. Cannot change.
    #[schemars(regex(pattern = "^[A-Za-z0-9]+(?:[._-][A-Za-z0-9]+)*$"), length(min = 1, max = 255))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("instanceName: cannot change after creation; create another HarborPreheatInstance"))]
    pub instance_name: String,

    /// Software of the network. Cannot change.
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("vendor: cannot change after creation; create another HarborPreheatInstance"))]
    pub vendor: PreheatVendor,

    /// URL of the network's manager. No two instances of a Harbor have the same.
    #[schemars(regex(pattern = r"^https?://[^\s?#@]+$"), length(max = 255))]
    pub endpoint: String,

    /// What the instance is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,

    /// How Harbor authenticates to the network. Defaults to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_mode: Option<PreheatAuthMode>,

    /// Secret whose keys and values are the credentials, as Harbor names them: the user name and the password for basic,
    /// `token` for oauth. Required unless `authMode` is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth_info_ref: Option<SecretReference>,

    /// Whether Harbor uses the instance. Defaults to true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,

    /// Whether this is the instance that Harbor's pages suggest. The operator makes it the default if true and changes
    /// nothing otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,

    /// Whether Harbor does not check the network's certificate. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure: Option<bool>,

    /// Policies that say with which images Harbor preheats the network. The operator deletes policies that it created and
    /// that are no longer listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["project", "name"]))]
    pub policies: Option<Vec<PreheatPolicy>>,

    /// Whether the operator creates the instance, adopts one that exists, or both. Defaults to Create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_policy: Option<CreationPolicy>,

    /// Whether the operator deletes the instance in Harbor when this object is deleted. Defaults to Delete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<ObjectDeletionPolicy>,
}

impl HarborPreheatInstanceSpec {
    /// The creation policy, or the default of this kind.
    pub fn effective_creation_policy(&self) -> CreationPolicy {
        self.creation_policy.unwrap_or_default()
    }

    /// The deletion policy, or the default of this kind.
    pub fn effective_deletion_policy(&self) -> ObjectDeletionPolicy {
        self.deletion_policy.unwrap_or(ObjectDeletionPolicy::Delete)
    }
}

/// Software of a P2P network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreheatVendor {
    /// Dragonfly.
    Dragonfly,
    /// Kraken.
    Kraken,
}

impl PreheatVendor {
    /// The software as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dragonfly => "dragonfly",
            Self::Kraken => "kraken",
        }
    }
}

/// How Harbor authenticates to a P2P network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreheatAuthMode {
    /// It does not.
    #[default]
    None,
    /// With a user name and a password.
    Basic,
    /// With a token.
    Oauth,
    /// With headers.
    Custom,
}

impl PreheatAuthMode {
    /// The way as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Basic => "BASIC",
            Self::Oauth => "OAUTH",
            Self::Custom => "CUSTOM",
        }
    }
}

/// What the operator last observed of a HarborPreheatInstance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborPreheatInstanceStatus {
    /// Id of the instance in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "instanceID")]
    pub instance_id: Option<i64>,

    /// Policies that the operator created, each as project/name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created_policies: Vec<String>,

    /// What the operator knows about the object in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
