//! HarborScanner: a scanner adapter that a Harbor uses.

use super::{
    creation_policy::CreationPolicy, harbor_target::HarborTarget, managed_object::ManagedObjectStatus,
    object_deletion_policy::ObjectDeletionPolicy, secret_reference::SecretKeyReference, status::Observation,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scanner adapter that a Harbor uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "HarborScanner",
    doc = "A scanner adapter that a Harbor uses.",
    namespaced,
    plural = "harborscanners",
    shortname = "hs",
    category = "goharbor",
    status = "HarborScannerStatus",
    derive = "PartialEq",
    printcolumn(
        name = "Harbor",
        type_ = "string",
        json_path = ".status.resolvedHarbor.name",
        description = "Harbor in which the object takes effect"
    ),
    printcolumn(
        name = "Scanner",
        type_ = "string",
        json_path = ".spec.scannerName",
        description = "Name of the scanner registration"
    )
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("has(self.credentialRef) == (has(self.auth) && self.auth != 'none')")
    .message("credentialRef: is required with auth basic, bearer or apiKey and only then; add or remove it"))]
#[x_kube(validation = Rule::new(
        "!has(self.default) || !self.default || !has(self.disabled) || !self.disabled")
    .message("disabled: Harbor does not disable its default scanner; remove default or disabled"))]
pub struct HarborScannerSpec {
    /// The Harbor in which the object takes effect.
    #[serde(flatten)]
    pub target: HarborTarget,

    /// Name of the scanner registration in Harbor. Cannot change.
    #[schemars(regex(pattern = r"^\S(.*\S)?$"), length(min = 1, max = 128))]
    #[x_kube(validation = Rule::new("self == oldSelf")
        .message("scannerName: cannot change after creation; create another HarborScanner"))]
    #[x_kube(validation = Rule::new("self != 'Trivy'")
        .message("scannerName: Harbor itself registers the scanner Trivy; choose another name"))]
    pub scanner_name: String,

    /// URL of the adapter. No two registrations of a Harbor have the same.
    #[schemars(regex(pattern = r"^https?://[^\s?#@]+$"), length(max = 512))]
    pub url: String,

    /// What the scanner is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub description: Option<String>,

    /// How Harbor authenticates to the adapter. Defaults to none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<ScannerAuth>,

    /// Secret with the credential: `user:password` for basic, the token for bearer, the key for apiKey. The key of the
    /// Secret defaults to `credential`. Required unless `auth` is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_ref: Option<SecretKeyReference>,

    /// Whether Harbor does not check the adapter's certificate. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_cert_verify: Option<bool>,

    /// Whether the adapter pulls images from the internal address of the registry. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_internal_address: Option<bool>,

    /// Whether Harbor does not use the scanner. Defaults to false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,

    /// Whether this is the scanner of projects that choose none. The operator makes it the default if true and changes
    /// nothing otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,

    /// Whether the operator creates the scanner registration, adopts one that exists, or both. Defaults to Create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creation_policy: Option<CreationPolicy>,

    /// Whether the operator deletes the scanner registration in Harbor when this object is deleted. Defaults to Delete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<ObjectDeletionPolicy>,
}

impl HarborScannerSpec {
    /// The creation policy, or the default of this kind.
    pub fn effective_creation_policy(&self) -> CreationPolicy {
        self.creation_policy.unwrap_or_default()
    }

    /// The deletion policy, or the default of this kind.
    pub fn effective_deletion_policy(&self) -> ObjectDeletionPolicy {
        self.deletion_policy.unwrap_or(ObjectDeletionPolicy::Delete)
    }
}

/// How Harbor authenticates to a scanner adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ScannerAuth {
    /// It does not.
    #[default]
    None,
    /// With a user name and a password.
    Basic,
    /// With a token.
    Bearer,
    /// With a key in the header `X-ScannerAdapter-API-Key`.
    ApiKey,
}

impl ScannerAuth {
    /// The way as Harbor's API spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Basic => "Basic",
            Self::Bearer => "Bearer",
            Self::ApiKey => "X-ScannerAdapter-API-Key",
        }
    }
}

/// What the operator last observed of a HarborScanner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborScannerStatus {
    /// Id of the scanner registration in Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 128))]
    pub uuid: Option<String>,

    /// What the operator knows about the object in Harbor.
    #[serde(flatten)]
    pub managed: ManagedObjectStatus,

    /// What every kind reports.
    #[serde(flatten)]
    pub observation: Observation,
}
