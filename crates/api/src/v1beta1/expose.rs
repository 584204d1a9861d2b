//! How users reach Harbor from outside the cluster.

use super::{name::ObjectName, tls::ComponentsTlsSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is exposed, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborExposeSpec {
    /// How Core and the portal are exposed.
    pub core: HarborExposeCoreSpec,

    /// How the Notary server is exposed. Required when `notary` is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notary: Option<HarborExposeComponentSpec>,
}

/// How Core and the portal are exposed: in any of these ways, or in several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborExposeCoreSpec {
    /// TLS, and an Ingress.
    #[serde(flatten)]
    pub component: HarborExposeComponentSpec,

    /// Exposes them through a Service in front of a reverse proxy: inside the cluster, on every node, or through a
    /// load balancer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ExposeServiceSpec>,

    /// Exposes them through an HTTPRoute of the Gateway API.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<ExposeRouteSpec>,
}

/// A Service in front of a reverse proxy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExposeServiceSpec {
    /// Which clients can reach it: ClusterIP, NodePort or LoadBalancer. Defaults to ClusterIP.
    #[serde(default, rename = "type")]
    pub type_: ExposeServiceType,

    /// Name of the Service. That of the Harbor with `-harbor-nginx` unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<ObjectName>,

    /// Port of HTTP. 80 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub http_port: Option<i32>,

    /// Port of HTTPS. 443 unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub https_port: Option<i32>,

    /// Port of HTTP on every node. Chosen by the cluster unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub http_node_port: Option<i32>,

    /// Port of HTTPS on every node. Chosen by the cluster unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub https_node_port: Option<i32>,

    /// Address inside the cluster. Chosen by the cluster unless set; cannot be changed later.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "clusterIP")]
    pub cluster_ip: Option<String>,

    /// Address of the load balancer, where the provider lets one choose.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "loadBalancerIP")]
    pub load_balancer_ip: Option<String>,

    /// Address ranges the load balancer lets in. All unless set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub load_balancer_source_ranges: Vec<String>,

    /// Annotations added to the Service.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,

    /// Labels added to the Service.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// Clients that can reach a Service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ExposeServiceType {
    /// Clients in the cluster.
    #[default]
    ClusterIP,
    /// Clients that can reach a node.
    NodePort,
    /// Clients that can reach the load balancer.
    LoadBalancer,
}

impl ExposeServiceType {
    /// The type as Kubernetes spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClusterIP => "ClusterIP",
            Self::NodePort => "NodePort",
            Self::LoadBalancer => "LoadBalancer",
        }
    }
}

/// An HTTPRoute.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExposeRouteSpec {
    /// Gateways that serve it.
    #[schemars(length(min = 1))]
    pub parent_refs: Vec<RouteParentSpec>,

    /// Host names users type. That of the external URL unless set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hostnames: Vec<String>,

    /// Annotations added to the HTTPRoute.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,

    /// Labels added to the HTTPRoute.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// A gateway that serves a route.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouteParentSpec {
    /// Name of the gateway.
    pub name: String,

    /// Its namespace. That of the Harbor unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,

    /// Its listener. All unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_name: Option<String>,

    /// Its port. All unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<i32>,

    /// Its kind. Gateway unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,

    /// Its API group. gateway.networking.k8s.io unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// How one component is exposed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HarborExposeComponentSpec {
    /// Serves users over TLS. Without `certificateRef` the operator issues a certificate for the hosts of the external
    /// URL and of the Ingress, valid for 90 days and renewed after 60; users who trust `ca.crt` beside it trust its renewals
    /// too, for the ten years that the authority is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<ComponentsTlsSpec>,

    /// Exposes the component through an Ingress. Without it, exposing is left to you.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress: Option<IngressSpec>,
}

/// An Ingress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IngressSpec {
    /// Host name users type.
    pub host: String,

    /// The ingress controller in use, for the annotations, paths and Services it needs. Defaults to default.
    #[serde(default)]
    pub controller: IngressController,

    /// Annotations added to the Ingress; they win over those the operator sets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,

    /// Labels added to the Ingress.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,

    /// IngressClass that serves the Ingress. The cluster's default class unless set. With controller gce it becomes the
    /// annotation `kubernetes.io/ingress.class`, since that is where Google's controller looks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_class_name: Option<String>,

    /// Whether the controller serves users over TLS with its default certificate, instead of one in `tls`. False unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_certificate: Option<bool>,
}

/// An ingress controller with needs of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum IngressController {
    /// Any controller that needs nothing special, and ingress-nginx.
    #[default]
    Default,
    /// Google Cloud load balancers.
    Gce,
    /// VMware NSX-T container plug-in.
    Ncp,
    /// Contour.
    Contour,
    /// AWS Load Balancer Controller.
    Alb,
    /// F5 BIG-IP.
    #[serde(rename = "f5-bigip")]
    F5BigIp,
}

impl IngressController {
    /// All there are.
    pub const ALL: [Self; 6] = [Self::Default, Self::Gce, Self::Ncp, Self::Contour, Self::Alb, Self::F5BigIp];

    /// The controller as written in the spec.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Gce => "gce",
            Self::Ncp => "ncp",
            Self::Contour => "contour",
            Self::Alb => "alb",
            Self::F5BigIp => "f5-bigip",
        }
    }
}
