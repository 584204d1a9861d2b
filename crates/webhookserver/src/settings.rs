//! How the webhook is registered, and the permissions for it.

use k8s_openapi::api::rbac::v1::PolicyRule;
use std::{fmt, net::IpAddr, str::FromStr};

/// The path of the webhook, which is that of the old operator.
pub(crate) const PATH: &str = "/mutate-image-path";

/// How the webhook is registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The namespace of the operator.
    pub namespace: String,
    /// The name of the MutatingWebhookConfiguration, of the Secret with the certificate, and of the Service.
    pub name: String,
    /// How the API server reaches the operator.
    pub reach: Reach,
    /// What the API server does with a pod when the webhook does not answer.
    pub failure_policy: FailurePolicy,
    /// Where the certificate comes from.
    pub certificate: Certificate,
}

/// How the API server reaches the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// By the Service with the name of the settings, at port 443.
    Service,
    /// At this host and port, for an operator outside of the cluster.
    At {
        /// A host name or an IP address.
        host: String,
        /// The port.
        port: u16,
    },
}

/// What the API server does with a pod when the webhook does not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// It admits the pod unchanged.
    #[default]
    Ignore,
    /// It refuses the pod.
    Fail,
}

/// Where the certificate comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// The operator issues it.
    Issued,
    /// This Certificate of cert-manager, in the namespace of the operator. Its Secret has the name of the settings.
    CertManager(String),
}

impl Settings {
    /// The names that the certificate must be valid for.
    pub(crate) fn names(&self) -> (Vec<String>, Vec<IpAddr>) {
        match &self.reach {
            Reach::Service => (vec![format!("{}.{}.svc", self.name, self.namespace)], Vec::new()),
            Reach::At { host, .. } => match host.parse() {
                Ok(address) => (Vec::new(), vec![address]),
                Err(_) => (vec![host.clone()], Vec::new()),
            },
        }
    }
}

#[cfg(test)]
impl Settings {
    /// The settings of the tests: reached by a Service, with a certificate of the operator.
    pub(crate) fn example() -> Self {
        Self {
            namespace: "ops".into(),
            name: "hooks".into(),
            reach: Reach::Service,
            failure_policy: FailurePolicy::Ignore,
            certificate: Certificate::Issued,
        }
    }
}

impl fmt::Display for FailurePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ignore => "Ignore",
            Self::Fail => "Fail",
        })
    }
}

impl FromStr for FailurePolicy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "Ignore" => Ok(Self::Ignore),
            "Fail" => Ok(Self::Fail),
            _ => Err("write it as Ignore or Fail".to_owned()),
        }
    }
}

/// The rules of a ClusterRole for the webhook with this name, beyond those to reconcile all kinds.
///
/// RBAC cannot limit creation to a name.
pub fn rules(name: &str) -> Vec<PolicyRule> {
    let rule = |group: &str, resource: &str, verbs: &[&str]| PolicyRule {
        api_groups: Some(vec![group.to_owned()]),
        resources: Some(vec![resource.to_owned()]),
        verbs: verbs.iter().map(|&verb| verb.to_owned()).collect(),
        ..PolicyRule::default()
    };
    let (group, plural) = ("admissionregistration.k8s.io", "mutatingwebhookconfigurations");
    vec![
        rule("", "namespaces", &["get", "list", "watch"]),
        rule(group, plural, &["create"]),
        PolicyRule {
            resource_names: Some(vec![name.to_owned()]),
            ..rule(group, plural, &["list", "patch", "watch"])
        },
        rule("goharbor.io", "harborserverconfigurations", &["get"]),
    ]
}
