//! Portal: Harbor's web pages.

use super::{
    component::{ComponentSpec, ServiceAnnotations},
    defaults::int,
    network::Network,
    status::ComponentStatus,
    tls::ComponentsTlsSpec,
};
use kube::{CustomResource, KubeSchema};
use serde::{Deserialize, Serialize};

/// Harbor's web pages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, CustomResource, KubeSchema)]
#[kube(
    group = "goharbor.io",
    version = "v1beta1",
    kind = "Portal",
    doc = "Harbor's web pages. Written by the operator for each Harbor; edit the Harbor instead.",
    namespaced,
    plural = "portals",
    category = "goharbor",
    status = "ComponentStatus",
    derive = "PartialEq",
    validation = Rule::new("oldSelf.hasValue() || self.metadata.name.size() <= 56")
        .message("metadata.name: at most 56 characters, so that the Service <name>-portal fits into 63; shorten it")
        .optional_old_self(true)
)]
#[serde(rename_all = "camelCase")]
pub struct PortalSpec {
    /// Pod settings.
    #[serde(flatten)]
    pub component: ComponentSpec,

    /// Annotations of the Service.
    #[serde(flatten)]
    pub service: ServiceAnnotations,

    /// Most connections a worker of the web server has open at once. Defaults to 1024.
    #[serde(default = "int::<1024>")]
    #[schemars(range(min = 0))]
    pub max_connections: i32,

    /// TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,

    /// Whether only ciphers with forward secrecy and 256 bits are offered for TLS 1.2. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strong_ciphers: Option<bool>,

    /// IP families.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
}

default_is_the_empty_object!(PortalSpec);
