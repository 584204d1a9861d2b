//! NotarySigner: keeps the keys signatures are made with. For Harbor versions that still have content trust.

use super::{
    component::ComponentSpec,
    name::ObjectName,
    network::Network,
    notary::{NotaryLoggingSpec, NotaryStorageSpec},
    status::ComponentStatus,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps the keys signatures are made with, and signs for the Notary server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "NotarySigner",
    doc = "Keeps the keys signatures are made with. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "notarysigners",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq",
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 50")
        .message("metadata.name: at most 50 characters, so that the Service <name>-notarysigner fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct NotarySignerSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// How the signer and its clients prove who they are.
    #[serde(rename = "authentatication")]
    pub authentication: NotarySignerAuthenticationSpec,

    /// The database of keys.
    pub storage: NotarySignerStorageSpec,

    /// Whether the database schema is brought up to date at start. True unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migration_enabled: Option<bool>,

    /// Logging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<NotaryLoggingSpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// How the signer and its clients prove who they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotarySignerAuthenticationSpec {
    /// TLS Secret of the signer; clients must have a certificate from its `ca.crt`.
    pub certificate_ref: ObjectName,
}

/// The database of keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NotarySignerStorageSpec {
    /// The database.
    #[serde(flatten)]
    pub storage: NotaryStorageSpec,

    /// Secret whose key `DEFAULT` holds the password that encrypts the keys.
    pub aliases_ref: ObjectName,
}
