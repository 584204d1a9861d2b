//! One rule of a role: what it allows, and what it covers.

use super::tokens::quoted;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// `PolicyRule` of `rbac.authorization.k8s.io`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Rule {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verbs: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub api_groups: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_names: Vec<String>,
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "Vec::is_empty")]
    pub urls: Vec<String>,
}

impl Rule {
    /// A rule that allows `verbs` on `resources` of `groups`.
    pub fn resources(verbs: &[&str], groups: &[&str], resources: &[&str]) -> Self {
        Self {
            verbs: owned(verbs),
            api_groups: owned(groups),
            resources: owned(resources),
            ..Self::default()
        }
    }

    /// A rule that allows `verbs` on paths that belong to no resource.
    pub fn urls(verbs: &[&str], urls: &[&str]) -> Self {
        Self { verbs: owned(verbs), urls: owned(urls), ..Self::default() }
    }

    pub fn allows_resource(
        &self,
        verb: &str,
        group: &str,
        resource: &str,
        subresource: &str,
        name: &str,
    ) -> bool {
        star_or(&self.verbs, verb)
            && star_or(&self.api_groups, group)
            && self.resources.iter().any(|allowed| resource_matches(allowed, resource, subresource))
            && (self.resource_names.is_empty() || has(&self.resource_names, name))
    }

    pub fn allows_path(&self, verb: &str, path: &str) -> bool {
        star_or(&self.verbs, verb) && self.urls.iter().any(|allowed| url_covers(allowed, path))
    }

    /// Whether this rule allows everything that `part`, which has at most one of each, allows.
    fn covers(&self, part: &Rule) -> bool {
        let names = self.resource_names.is_empty()
            || !part.resource_names.is_empty() && has_all(&self.resource_names, &part.resource_names);
        (has(&self.verbs, "*") || has_all(&self.verbs, &part.verbs))
            && (has(&self.api_groups, "*") || has_all(&self.api_groups, &part.api_groups))
            && part.resources.iter().all(|resource| covers_resource(&self.resources, resource))
            && part.urls.iter().all(|url| self.urls.iter().any(|allowed| url_covers(allowed, url)))
            && names
    }

    /// The rule as rules of one verb, one resource and one name each.
    fn parts(&self) -> Vec<Rule> {
        let mut parts = Vec::new();
        for group in &self.api_groups {
            for resource in &self.resources {
                for verb in &self.verbs {
                    let part = Rule::resources(&[verb], &[group], &[resource]);
                    if self.resource_names.is_empty() {
                        parts.push(part);
                    } else {
                        parts.extend(
                            self.resource_names
                                .iter()
                                .map(|name| Rule { resource_names: vec![name.clone()], ..part.clone() }),
                        );
                    }
                }
            }
        }
        parts.extend(
            self.urls.iter().flat_map(|url| self.verbs.iter().map(move |verb| Rule::urls(&[verb], &[url]))),
        );
        parts
    }

    /// As messages about escalation show a rule.
    fn shown(&self) -> String {
        let fields = [
            ("APIGroups", &self.api_groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.urls),
            ("ResourceNames", &self.resource_names),
            ("Verbs", &self.verbs),
        ];
        let shown: Vec<String> = fields
            .iter()
            .filter(|(_, values)| !values.is_empty())
            .map(|(name, values)| format!("{name}:{}", quoted(values)))
            .collect();
        format!("{{{}}}", shown.join(", "))
    }
}

/// The rules of `wanted` that `held` does not cover, one line each, in the format of kube-apiserver.
pub(super) fn missing(held: &[Rule], wanted: &[Rule]) -> Vec<String> {
    let mut urls: Vec<Rule> = Vec::new();
    let mut by_resource: BTreeMap<[Vec<String>; 3], Rule> = BTreeMap::new();
    let parts = wanted.iter().flat_map(Rule::parts);
    for part in parts.filter(|part| !held.iter().any(|rule| rule.covers(part))) {
        if !part.urls.is_empty() {
            urls.push(part);
            continue;
        }
        let key = [&part.api_groups, &part.resources, &part.resource_names].map(Clone::clone);
        match by_resource.get_mut(&key) {
            Some(rule) => rule.verbs.extend(part.verbs),
            None => drop(by_resource.insert(key, part)),
        }
    }
    let lines: BTreeSet<String> = urls.iter().chain(by_resource.values()).map(Rule::shown).collect();
    lines.into_iter().collect()
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn has(set: &[String], one: &str) -> bool {
    set.iter().any(|member| member == one)
}

fn has_all(set: &[String], all: &[String]) -> bool {
    all.iter().all(|one| has(set, one))
}

fn star_or(set: &[String], one: &str) -> bool {
    set.iter().any(|member| member == "*" || member == one)
}

fn resource_matches(allowed: &str, resource: &str, subresource: &str) -> bool {
    if allowed == "*" {
        return true;
    }
    if subresource.is_empty() {
        return allowed == resource;
    }
    match allowed.split_once('/') {
        Some((of, sub)) => (of == "*" || of == resource) && sub == subresource,
        None => false,
    }
}

fn covers_resource(allowed: &[String], resource: &str) -> bool {
    star_or(allowed, resource)
        || resource.split_once('/').is_some_and(|(_, sub)| has(allowed, &format!("*/{sub}")))
}

fn url_covers(allowed: &str, path: &str) -> bool {
    allowed == path || allowed.ends_with('*') && path.starts_with(allowed.trim_end_matches('*'))
}
