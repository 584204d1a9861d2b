//! Which webhooks are served, and how they are registered.

use std::{fmt, net::IpAddr, str::FromStr, time::Duration};

/// Which webhooks are served, and how they are registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The namespace of the operator.
    pub namespace: String,
    /// The name of the Service, of the Secret with the certificate, and of the MutatingWebhookConfiguration.
    pub name: String,
    /// How the API server reaches the operator.
    pub reach: Reach,
    /// Where the certificate comes from.
    pub certificate: Certificate,
    /// The webhook that rewrites images, if it is served.
    pub rewriting: Option<Rewriting>,
    /// The webhook that converts objects, if it is served.
    pub conversion: Option<Conversion>,
}

/// The webhook that rewrites images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rewriting {
    /// What the API server does with a pod when the webhook does not answer.
    pub failure_policy: FailurePolicy,
}

/// The webhook that converts objects, and the migration of stored ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// How long a definition must have been unchanged before its objects are migrated. An API server that has not seen the
    /// last change may still store objects in the version before.
    pub settled: Duration,
}

impl Default for Conversion {
    fn default() -> Self {
        Self { settled: Duration::from_secs(30) }
    }
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
            certificate: Certificate::Issued,
            rewriting: Some(Rewriting::default()),
            conversion: Some(Conversion::default()),
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
