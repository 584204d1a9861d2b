//! `monitoring.coreos.com/v1`: what Prometheus scrapes.

use k8s_openapi::{
    api::core::v1::{ConfigMapKeySelector, SecretKeySelector},
    apimachinery::pkg::apis::meta::v1::LabelSelector,
};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Services whose endpoints Prometheus scrapes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, CustomResource, JsonSchema)]
#[kube(
    group = "monitoring.coreos.com",
    version = "v1",
    kind = "ServiceMonitor",
    plural = "servicemonitors",
    namespaced,
    derive = "PartialEq"
)]
#[serde(rename_all = "camelCase")]
pub struct ServiceMonitorSpec {
    /// Which Services of the namespace.
    pub selector: LabelSelector,

    /// What is scraped of them.
    pub endpoints: Vec<MonitorEndpoint>,

    /// Label of the Services that names the job; the Service's name unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_label: Option<String>,
}

/// What is scraped of a Service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonitorEndpoint {
    /// Name of the Service's port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,

    /// Path: /metrics unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,

    /// How often, as a Prometheus duration such as `30s`; as often as Prometheus usually does unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<String>,

    /// Whether labels of what is scraped win over those Prometheus adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub honor_labels: Option<bool>,

    /// Whether with TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<MonitorScheme>,

    /// Whom Prometheus trusts, and how it proves who it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls_config: Option<MonitorTls>,

    /// Changes to the labels of what is scraped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relabelings: Vec<Relabeling>,

    /// Changes to the labels of each metric.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub metric_relabelings: Vec<Relabeling>,
}

/// Whether with TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MonitorScheme {
    /// Without.
    Http,
    /// With.
    Https,
}

/// How Prometheus speaks TLS.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MonitorTls {
    /// The authority it trusts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca: Option<SecretOrConfigMap>,

    /// Its certificate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert: Option<SecretOrConfigMap>,

    /// Its key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_secret: Option<SecretKeySelector>,

    /// The name it expects in the certificate of what it scrapes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,

    /// Whether it trusts everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub insecure_skip_verify: Option<bool>,
}

/// A value in a Secret or in a ConfigMap.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretOrConfigMap {
    /// The key of a Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretKeySelector>,

    /// The key of a ConfigMap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_map: Option<ConfigMapKeySelector>,
}

/// A change to labels, as Prometheus describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Relabeling {
    /// What is done: `replace` unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,

    /// Labels whose values are joined and matched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub source_labels: Vec<String>,

    /// What stands between the joined values: `;` unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,

    /// What they must match: anything unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,

    /// Divisor of the hash of the joined values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modulus: Option<i64>,

    /// Label that is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_label: Option<String>,

    /// What is written: what the first group matched unless set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replacement: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_monitor_is_spelt_as_the_prometheus_operator_spells_it() {
        let written = json!({
            "selector": {"matchLabels": {"app": "core"}},
            "jobLabel": "app",
            "endpoints": [{
                "port": "https-metrics", "path": "/metrics", "interval": "30s", "scheme": "https",
                "tlsConfig": {
                    "ca": {"secret": {"name": "tls", "key": "ca.crt"}},
                    "cert": {"configMap": {"name": "tls", "key": "tls.crt"}},
                    "keySecret": {"name": "tls", "key": "tls.key"},
                    "serverName": "core", "insecureSkipVerify": false,
                },
                "relabelings": [{
                    "action": "hashmod", "sourceLabels": ["pod"], "separator": "/", "regex": "(.*)",
                    "modulus": 2, "targetLabel": "shard", "replacement": "$1",
                }],
                "metricRelabelings": [{"action": "drop", "sourceLabels": ["__name__"], "regex": "go_.*"}],
            }],
        });

        let spec: ServiceMonitorSpec = serde_json::from_value(written.clone()).unwrap();

        assert_eq!(serde_json::to_value(spec).unwrap(), written);
    }
}
