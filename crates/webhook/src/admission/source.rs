//! The objects that rules come from, each compiled once when it is read.

use super::{
    problem::{Object, Problem},
    reference::Registry,
    rule::Rules,
};
use api::{
    names::REWRITING_RULES_ANNOTATION,
    v1beta1::{HarborServerConfiguration, HarborServerConfigurationSpec},
};
use k8s_openapi::{
    api::core::v1::{ConfigMap, Namespace},
    apimachinery::pkg::apis::meta::v1::Time,
};
use kube::{
    ResourceExt as _,
    core::{Selector, SelectorExt as _},
};
use std::collections::BTreeMap;

/// What a Namespace says about rewriting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamespaceSource {
    pub(super) labels: BTreeMap<String, String>,
    /// The ConfigMap that its annotation names.
    pub(super) config_map: Option<String>,
}

impl NamespaceSource {
    /// Reads a Namespace.
    pub fn new(namespace: &Namespace) -> Self {
        let config_map = namespace.annotations().get(REWRITING_RULES_ANNOTATION);
        Self {
            labels: namespace.labels().clone(),
            config_map: config_map.filter(|name| !name.is_empty()).map(|name| shown(name)),
        }
    }
}

/// A name that can be part of a message: users write any text, and a text with other characters names no object.
fn shown(name: &str) -> String {
    let is_part = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if name.len() <= 253 && name.chars().all(|c| is_part(&c)) {
        name.to_owned()
    } else {
        "(not a name)".to_owned()
    }
}

/// What a ConfigMap says about rewriting.
#[derive(Clone, Debug)]
pub enum ConfigMapSource {
    /// No image is rewritten.
    Off,
    /// Images are rewritten.
    On {
        /// The HarborServerConfiguration that it names.
        server: Option<String>,
        /// Rules that come before those of the HarborServerConfiguration.
        rules: Rules,
    },
    /// It is wrong.
    Wrong(Problem),
}

impl ConfigMapSource {
    /// Reads a ConfigMap. None if it has no key for rewriting.
    pub fn new(config_map: &ConfigMap) -> Option<Self> {
        let data = config_map.data.as_ref()?;
        let value = |key: &str| data.get(key).map(|value| value.trim());
        let (server, rewriting, rules) = (value("hsc"), value("rewriting"), value("rules"));
        if server.is_none() && rewriting.is_none() && rules.is_none() {
            return None;
        }
        let wrong = |message: String| {
            let namespace = config_map.namespace().unwrap_or_default();
            Some(Self::Wrong(Problem {
                about: Object::ConfigMap { namespace, name: config_map.name_any() },
                message,
            }))
        };
        match rewriting {
            Some("off") => return Some(Self::Off),
            Some("on") | None => {}
            Some(_) => {
                return wrong("key `rewriting` is neither `on` nor `off`; write one of them".to_owned());
            }
        }
        let server = server.filter(|name| !name.is_empty()).map(shown);
        let rules = match Rules::parse(rules.unwrap_or_default().lines()) {
            Ok(rules) => rules,
            Err(error) => return wrong(format!("key `rules`, {error}")),
        };
        if server.is_none() && !rules.is_empty() {
            let problem =
                "key `rules` needs a Harbor; write the name of a HarborServerConfiguration into key `hsc`";
            return wrong(problem.to_owned());
        }
        Some(Self::On { server, rules })
    }
}

/// What a HarborServerConfiguration says about rewriting.
#[derive(Clone, Debug)]
pub struct ServerSource {
    name: String,
    selector: Selector,
    is_default: bool,
    created: Option<Time>,
    content: Result<ServerContent, Problem>,
}

#[derive(Clone, Debug)]
pub(super) struct ServerContent {
    pub registry: Registry,
    pub rules: Rules,
}

impl ServerSource {
    /// Reads a HarborServerConfiguration.
    pub fn new(server: &HarborServerConfiguration) -> Self {
        let name = server.name_any();
        let selector = server.spec.namespace_selector.clone().unwrap_or_default();
        let (selector, content) = match Selector::try_from(selector) {
            Ok(selector) => (selector, content(&server.spec)),
            Err(_) => (
                Selector::default(),
                Err("spec.namespaceSelector is no label selector; correct it".to_owned()),
            ),
        };
        Self {
            selector,
            is_default: server.spec.default == Some(true),
            created: server.creation_timestamp(),
            content: content.map_err(|message| Problem { about: Object::Server(name.clone()), message }),
            name,
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether namespaces with these labels may use the Harbor.
    pub(super) fn is_open_to(&self, namespace: &NamespaceSource) -> bool {
        self.selector.matches(&namespace.labels)
    }

    pub(super) fn content(&self) -> Result<&ServerContent, &Problem> {
        self.content.as_ref()
    }

    /// How defaults are ordered, if it is one: the oldest is the default.
    pub(super) fn seniority(&self) -> Option<(&Option<Time>, &str)> {
        self.is_default.then_some((&self.created, &*self.name))
    }
}

fn content(spec: &HarborServerConfigurationSpec) -> Result<ServerContent, String> {
    let registry = registry(&spec.server_url)
        .ok_or("spec.serverURL has no host; write it as https://harbor.example.com".to_owned())?;
    let rules = Rules::parse(spec.rules.iter().map(String::as_str))
        .map_err(|error| format!("spec.rules, {error}"))?;
    Ok(ServerContent { registry, rules })
}

/// The registry of a Harbor: host and port of its URL. Registries have no path, because clients ask for `/v2/`.
fn registry(url: &str) -> Option<Registry> {
    let address = url.trim();
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let authority = address.split(['/', '?', '#']).next()?;
    authority.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::registry;

    #[test]
    fn the_registry_is_the_host_of_the_url_with_its_port() {
        let text = |url: &str| registry(url).map(|registry| registry.to_string());
        assert_eq!(text("https://harbor.example.com").as_deref(), Some("harbor.example.com"));
        assert_eq!(
            text("http://harbor.example.com:8080/sub/path").as_deref(),
            Some("harbor.example.com:8080")
        );
        assert_eq!(text("10.0.0.1").as_deref(), Some("10.0.0.1"));
        assert_eq!(text("https://[::1]:8443/").as_deref(), Some("[::1]:8443"));
        assert_eq!(text("https://"), None);
        assert_eq!(text("https://user@host/"), None);
    }
}
