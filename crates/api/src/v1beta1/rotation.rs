//! Rotation: credentials inside a Harbor that the operator has generated, and generates anew.

use super::duration::GoDuration;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When the operator generates credentials anew. One whose Secret the spec names is left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotationSpec {
    /// The key that the pods of the registry share for uploads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_http: Option<RotationInterval>,

    /// The user with which Core and JobService log in to the registry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_credentials: Option<RotationInterval>,

    /// The secret with which JobService authenticates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jobservice_secret: Option<RotationInterval>,

    /// The secret with which Core authenticates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_secret: Option<RotationInterval>,

    /// The key that signs tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<RotationInterval>,

    /// The key that protects forms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub csrf: Option<RotationInterval>,

    /// The authority of TLS between components, if the operator issues it. All components restart three times, and get
    /// certificates with new keys, too.
    #[serde(default, rename = "internalTLSAuthority", skip_serializing_if = "Option::is_none")]
    pub internal_tls_authority: Option<RotationInterval>,

    /// The certificates of TLS between components, if the operator issues them: they get new keys. All components restart.
    #[serde(default, rename = "internalTLS", skip_serializing_if = "Option::is_none")]
    pub internal_tls: Option<RotationInterval>,
    /// How long the rotation of `jobserviceSecret` and `coreSecret` waits until no job runs in JobService, such as 1h. The
    /// operator then stops JobService, and jobs that still run are interrupted. With 0s, it does not wait. 10m by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_timeout: Option<GoDuration>,
}

/// How old a credential may become.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, KubeSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotationInterval {
    /// Time from the creation of a credential to its rotation, such as 2160h. At least 1h.
    #[x_kube(validation = Rule::new("duration(self) >= duration('1h')")
        .message("rotation interval: must be at least 1h; lengthen it"))]
    pub interval: GoDuration,
}

/// How far the rotation of a credential has come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RotationStatus {
    /// The credential, as the annotation `goharbor.io/rotate` names it. `encryptionKey` is the key that
    /// `goharbor.io/rotate-encryption-key` asks for.
    pub name: String,

    /// How far it has come.
    pub phase: RotationPhase,

    /// The word behind the name in the annotation `goharbor.io/rotate` that the operator last acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 64))]
    pub request: Option<String>,

    /// When the operator generated the credential that is in use, or that components are getting now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Time>,

    /// What the operator does now, what it waits for, or why it does not rotate the credential.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// How far a rotation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum RotationPhase {
    /// It is due, and has not begun.
    Waiting,
    /// Components are getting the new credential.
    Running,
    /// All components use the new credential, and the one before is deleted.
    Done,
    /// The operator does not rotate this credential.
    Refused,
}
