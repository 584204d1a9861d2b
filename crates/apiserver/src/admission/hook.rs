//! One webhook of a configuration, and whether it reviews a write.

use super::attributes::{Attributes, Equivalent};
use super::selector;
use crate::failure::Failure;
use k8s_openapi::ByteString;
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The address of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Behind a Service of the cluster.
    Service {
        /// The Service's namespace.
        namespace: String,
        /// The Service's name.
        name: String,
        /// The path of the URL; may be empty.
        path: String,
        /// The Service's port.
        port: u16,
    },
    /// Outside the cluster.
    Url(String),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service { namespace, name, path, port } => {
                write!(f, "https://{name}.{namespace}.svc:{port}/{}", path.trim_start_matches('/'))
            }
            Self::Url(url) => f.write_str(url),
        }
    }
}

/// A webhook, mutating or validating.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hook {
    /// The name of the configuration and of the webhook, and its index: unique as long as the configuration
    /// exists.
    #[serde(skip)]
    pub id: (String, usize),
    pub name: String,
    client_config: ClientConfig,
    #[serde(default)]
    rules: Vec<RuleWithOperations>,
    #[serde(default)]
    pub failure_policy: FailurePolicy,
    #[serde(default)]
    match_policy: MatchPolicy,
    #[serde(default)]
    namespace_selector: Value,
    #[serde(default)]
    object_selector: Value,
    pub side_effects: Option<SideEffects>,
    #[serde(default = "ten_seconds")]
    timeout_seconds: u32,
    #[serde(default)]
    pub admission_review_versions: Vec<String>,
    #[serde(default)]
    pub reinvocation_policy: ReinvocationPolicy,
}

/// Where a webhook is.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClientConfig {
    ca_bundle: Option<ByteString>,
    url: Option<String>,
    service: Option<ServiceReference>,
}

#[derive(Debug, Clone, Deserialize)]
struct ServiceReference {
    namespace: String,
    name: String,
    #[serde(default)]
    path: String,
    #[serde(default = "https")]
    port: u16,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RuleWithOperations {
    #[serde(default)]
    operations: Vec<String>,
    #[serde(default)]
    api_groups: Vec<String>,
    #[serde(default)]
    api_versions: Vec<String>,
    #[serde(default)]
    resources: Vec<String>,
    #[serde(default)]
    scope: Scope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
enum Scope {
    Cluster,
    Namespaced,
    #[default]
    #[serde(rename = "*")]
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub(super) enum FailurePolicy {
    Ignore,
    #[default]
    Fail,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
enum MatchPolicy {
    Exact,
    #[default]
    Equivalent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub(super) enum ReinvocationPolicy {
    #[default]
    Never,
    IfNeeded,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum SideEffects {
    Unknown,
    None,
    Some,
    NoneOnDryRun,
}

fn ten_seconds() -> u32 {
    10
}

fn https() -> u16 {
    443
}

/// All webhooks of the configurations, in the order in which they are called.
pub(super) fn hooks(configurations: &[Arc<Value>]) -> Result<Vec<Hook>, Failure> {
    let mut configurations: Vec<(&str, &Value)> = configurations
        .iter()
        .map(|one| (one["metadata"]["name"].as_str().unwrap_or_default(), one.as_ref()))
        .collect();
    configurations.sort_by_key(|&(name, _)| name);
    let mut hooks = Vec::new();
    for (configuration, object) in configurations {
        for (place, webhook) in object["webhooks"].as_array().into_iter().flatten().enumerate() {
            let mut hook = Hook::deserialize(webhook).map_err(|error| {
                Failure::internal(format!("webhook {place} of configuration {configuration:?}: {error}"))
            })?;
            hook.id = (format!("{configuration}/{}", hook.name), place);
            hooks.push(hook);
        }
    }
    Ok(hooks)
}

impl ClientConfig {
    /// The address of the webhook.
    pub fn target(&self) -> Result<Target, String> {
        match (&self.url, &self.service) {
            (_, Some(service)) => Ok(Target::Service {
                namespace: service.namespace.clone(),
                name: service.name.clone(),
                path: service.path.clone(),
                port: service.port,
            }),
            (Some(url), None) => Ok(Target::Url(url.clone())),
            (None, None) => Err("webhook configuration must have either service or URL".into()),
        }
    }

    /// The authorities that the configuration trusts, in PEM.
    pub fn ca_bundle(&self) -> &[u8] {
        self.ca_bundle.as_ref().map_or(&[], |bundle| &bundle.0)
    }
}

impl Hook {
    pub fn target(&self) -> Result<Target, String> {
        self.client_config.target()
    }

    /// The authorities that the configuration trusts, in PEM.
    pub fn ca_bundle(&self) -> &[u8] {
        self.client_config.ca_bundle()
    }

    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_seconds.into())
    }

    /// In which version the webhook reviews the write; None if it does not review it.
    pub fn invocation(
        &self,
        write: &Attributes<'_>,
        object: Option<&Value>,
    ) -> Result<Option<Equivalent>, Failure> {
        let in_namespace = self.selects_namespace(write, object);
        if matches!(in_namespace, Ok(false)) || !self.selects_object(write, object) {
            return Ok(None);
        }
        let own = write.own();
        let others = if self.match_policy == MatchPolicy::Equivalent { write.equivalents } else { &[] };
        let exact = self.rules.iter().any(|rule| rule.matches(write, &own)).then_some(own);
        let invocation = exact.or_else(|| {
            let matching = |rule: &RuleWithOperations| others.iter().find(|other| rule.matches(write, other));
            self.rules.iter().find_map(matching).cloned()
        });
        // A missing namespace matters only for webhooks that would be called.
        match invocation {
            Some(invocation) => in_namespace.map(|_| Some(invocation)),
            None => Ok(None),
        }
    }

    fn selects_namespace(&self, write: &Attributes<'_>, object: Option<&Value>) -> Result<bool, Failure> {
        let namespace = write.effective_namespace();
        if namespace.is_empty() && !write.is_namespace() || selector::is_empty(&self.namespace_selector) {
            return Ok(true);
        }
        let own = write.is_namespace() && write.subresource.is_empty();
        let labels = match object {
            Some(object) if own => Some(&object["metadata"]["labels"]),
            _ => write.namespace_labels,
        };
        match labels {
            Some(labels) => Ok(selector::selector_matches(&self.namespace_selector, labels)),
            None => Err(Failure::not_found("", "namespaces", namespace)),
        }
    }

    fn selects_object(&self, write: &Attributes<'_>, object: Option<&Value>) -> bool {
        let selector = &self.object_selector;
        selector::is_empty(selector)
            || [object, write.old]
                .into_iter()
                .flatten()
                .any(|object| selector::selector_matches(selector, &object["metadata"]["labels"]))
    }
}

impl RuleWithOperations {
    fn matches(&self, write: &Attributes<'_>, name: &Equivalent) -> bool {
        let scope = match self.scope {
            Scope::All => true,
            Scope::Namespaced => !write.is_namespace() && !write.effective_namespace().is_empty(),
            Scope::Cluster => write.is_namespace() || write.effective_namespace().is_empty(),
        };
        let has = |set: &[String], one: &str| set.iter().any(|member| member == "*" || member == one);
        scope
            && has(&self.operations, write.operation.word())
            && has(&self.api_groups, &name.group)
            && has(&self.api_versions, &name.version)
            && self.resources.iter().any(|resource| {
                let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
                (resource == "*" || resource == name.plural)
                    && (subresource == "*" || subresource == write.subresource)
            })
    }
}
