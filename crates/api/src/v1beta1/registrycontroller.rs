//! RegistryController: lets Core and JobService manage the registry.

use super::{
    component::ComponentSpec, name::ObjectName, network::Network, status::ComponentStatus,
    tls::ComponentsTlsSpec,
};
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The registry's controller: deletes blobs and collects garbage on behalf of Core and JobService. It runs beside the
/// Registry of the same name, in its pods. So `replicas`, `serviceAccountName`, `nodeSelector`, `tolerations`,
/// `templateLabels` and `templateAnnotations` have no effect here, and other settings of pods are refused: those of the
/// Registry count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "RegistryController",
    doc = "The registry's controller. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "registrycontrollers",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct RegistryControllerSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Name of the Registry it controls.
    pub registry_ref: ObjectName,

    /// Authentication.
    pub authentication: RegistryControllerAuthenticationSpec,

    /// Logging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<RegistryControllerLogSpec>,

    /// TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

/// Authentication at the registry controller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryControllerAuthenticationSpec {
    /// Secret whose key `secret` Core authenticates with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_secret_ref: Option<ObjectName>,

    /// Secret whose key `secret` JobService authenticates with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_service_secret_ref: Option<ObjectName>,
}

/// Logging of the registry controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryControllerLogSpec {
    /// Least severe messages that are logged. Defaults to info.
    #[serde(default)]
    pub level: RegistryControllerLogLevel,
}

default_is_the_empty_object!(RegistryControllerLogSpec);

/// Severity of the registry controller's log messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RegistryControllerLogLevel {
    /// Everything.
    Debug,
    /// What happens.
    #[default]
    Info,
    /// What may become a problem.
    Warning,
    /// What went wrong.
    Error,
    /// What ends the process.
    Fatal,
}

impl RegistryControllerLogLevel {
    /// The level as the registry controller spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal",
        }
    }
}
