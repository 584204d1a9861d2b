//! `gateway.networking.k8s.io/v1`: routes from a gateway to Services.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a gateway does with requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "gateway.networking.k8s.io",
    version = "v1",
    kind = "HTTPRoute",
    plural = "httproutes",
    namespaced,
    status = "HTTPRouteStatus",
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct HTTPRouteSpec {
    /// The gateways it is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parent_refs: Vec<ParentReference>,

    /// Hosts it is for; those of the gateway's listener unless set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hostnames: Vec<String>,

    /// Where requests go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<HTTPRouteRule>,
}

/// Names a gateway, or a listener of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParentReference {
    /// API group: gateway.networking.k8s.io unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,

    /// Kind: Gateway unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,

    /// Namespace: that of the route unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,

    /// Name.
    pub name: String,

    /// The listener: all of them unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section_name: Option<String>,

    /// The listeners' port: any unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
}

/// Where some requests go.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HTTPRouteRule {
    /// Which requests: those that match one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<HTTPRouteMatch>,

    /// What is done to them on the way, as the Gateway API describes it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filters: Vec<serde_json::Value>,

    /// Where they go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub backend_refs: Vec<HTTPBackendRef>,

    /// How long they may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<HTTPRouteTimeouts>,
}

/// Which requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HTTPRouteMatch {
    /// Those with such a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<HTTPPathMatch>,
}

impl HTTPRouteMatch {
    /// Requests below a path.
    pub fn prefix(value: impl Into<String>) -> Self {
        Self { path: Some(HTTPPathMatch { type_: PathMatchType::PathPrefix, value: value.into() }) }
    }

    /// Requests for exactly one path.
    pub fn exact(value: impl Into<String>) -> Self {
        Self { path: Some(HTTPPathMatch { type_: PathMatchType::Exact, value: value.into() }) }
    }
}

/// A path of requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HTTPPathMatch {
    /// How paths are compared.
    #[serde(rename = "type")]
    pub type_: PathMatchType,

    /// With what.
    pub value: String,
}

/// How paths are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum PathMatchType {
    /// The whole path.
    Exact,
    /// Its first elements.
    PathPrefix,
}

/// A Service requests go to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HTTPBackendRef {
    /// Name.
    pub name: String,

    /// Port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<i32>,
}

/// How long requests may take, as Gateway API durations such as `1h30m`; `0s` is for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HTTPRouteTimeouts {
    /// From the first byte of the request to the last of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,

    /// The same, for each attempt of the gateway to reach the Service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend_request: Option<String>,
}

/// What gateways report of a route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HTTPRouteStatus {
    /// What each of them says; a gateway that has not processed the route yet is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parents: Vec<RouteParentStatus>,
}

/// What a gateway says of a route.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RouteParentStatus {
    /// Which gateway, as the route names it.
    pub parent_ref: ParentReference,

    /// The controller of the gateway.
    #[serde(default)]
    pub controller_name: String,

    /// The state; `Accepted` is the one that matters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_route_is_spelt_as_the_gateway_api_spells_it() {
        let written = json!({
            "parentRefs": [{"name": "gateway", "namespace": "infra", "sectionName": "https", "port": 443}],
            "hostnames": ["core.harbor.domain"],
            "rules": [{
                "matches": [{"path": {"type": "PathPrefix", "value": "/v2"}}],
                "filters": [{"type": "RequestHeaderModifier", "requestHeaderModifier": {"remove": ["x"]}}],
                "backendRefs": [{"name": "core", "port": 80}],
                "timeouts": {"request": "0s", "backendRequest": "0s"},
            }],
        });

        let spec: HTTPRouteSpec = serde_json::from_value(written.clone()).unwrap();

        assert_eq!(spec.rules[0].matches, [HTTPRouteMatch::prefix("/v2")]);
        assert_eq!(serde_json::to_value(spec).unwrap(), written);
    }
}
