//! NotaryServer: serves signatures of images. For Harbor versions that still have content trust.

use super::{
    component::ComponentSpec,
    defaults::{long, on},
    name::ObjectName,
    network::Network,
    notary::{NotaryLoggingSpec, NotaryStorageSpec},
    status::ComponentStatus,
    tls::ComponentsTlsSpec,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Serves the signatures of images to clients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "NotaryServer",
    doc = "Serves the signatures of images. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "notaryservers",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq",
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 50")
        .message("metadata.name: at most 50 characters, so that the Service <name>-notaryserver fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct NotaryServerSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// The signer.
    pub trust_service: NotaryServerTrustServiceSpec,

    /// The database of signatures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<NotaryStorageSpec>,

    /// How clients prove who they are. Everyone may do everything without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<NotaryServerAuthenticationSpec>,

    /// Whether the database schema is brought up to date at start. True unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migration_enabled: Option<bool>,

    /// Logging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<NotaryLoggingSpec>,

    /// TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// The signer, seen from the Notary server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotaryServerTrustServiceSpec {
    /// A signer elsewhere. Keys stay in the server without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<NotaryServerRemoteSignerSpec>,
}

/// A remote signer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotaryServerRemoteSignerSpec {
    /// Host of the signer.
    pub host: String,

    /// Port of the signer. Defaults to 443.
    #[serde(default = "long::<443>")]
    #[schemars(extend("minimum" = 0, "exclusiveMinimum" = true))]
    pub port: i64,

    /// Kind of key that signs. Defaults to ecdsa.
    #[serde(default)]
    pub key_algorithm: NotaryKeyAlgorithm,

    /// TLS Secret the server proves its identity to the signer with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate_ref: Option<ObjectName>,
}

/// Kind of key that signs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum NotaryKeyAlgorithm {
    /// Elliptic curves.
    #[default]
    Ecdsa,
    /// RSA.
    Rsa,
    /// Edwards curve 25519.
    Ed25519,
}

impl NotaryKeyAlgorithm {
    /// The value as Notary spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ecdsa => "ecdsa",
            Self::Rsa => "rsa",
            Self::Ed25519 => "ed25519",
        }
    }
}

/// How clients of the Notary server prove who they are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotaryServerAuthenticationSpec {
    /// With tokens.
    pub token: NotaryServerTokenSpec,
}

/// Tokens the Notary server accepts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotaryServerTokenSpec {
    /// URL clients get tokens from.
    pub realm: String,

    /// Name tokens must be made out to.
    pub service: String,

    /// Name tokens must be made out by.
    pub issuer: String,

    /// Secret with the certificate tokens are signed with.
    pub certificate_ref: ObjectName,

    /// Whether clients find the realm under the host they called. Defaults to true. Notary does not know it yet: without
    /// effect in Harbor's images.
    #[serde(default = "on", rename = "autoredirect")]
    pub auto_redirect: bool,
}
