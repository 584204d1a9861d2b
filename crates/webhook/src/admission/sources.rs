//! The rules of every namespace.
//!
//! Watches keep the tables current. A review only reads them.

use super::{
    problem::{Object, Problem},
    reference::{Reference, ReferenceError, Registry},
    rule::Rules,
    source::{ConfigMapSource, NamespaceSource, ServerContent, ServerSource},
};
use std::collections::{BTreeSet, HashMap};

/// Objects by namespace and name. The namespace of a cluster-scoped object is empty.
pub type Table<T> = HashMap<(String, String), T>;

/// The objects that the rules of all namespaces come from.
#[derive(Debug, Default)]
#[expect(clippy::zero_sized_map_values, reason = "one kind of watch fills all tables")]
pub struct Sources {
    /// Namespaces whose label asks for rewriting.
    pub namespaces: Table<NamespaceSource>,
    /// ConfigMaps with a key for rewriting.
    pub config_maps: Table<ConfigMapSource>,
    /// HarborServerConfigurations.
    pub servers: Table<ServerSource>,
    /// Harbors. Images in their namespaces are never rewritten: a Harbor whose images come through itself cannot start.
    pub harbors: Table<()>,
    /// HarborClusters, for the same reason.
    pub clusters: Table<()>,
    /// Cores, for the same reason: they need no Harbor.
    pub cores: Table<()>,
    /// Registries, for the same reason.
    pub registries: Table<()>,
    /// Other namespaces in which images are never rewritten.
    pub excluded: BTreeSet<String>,
}

/// How images of a namespace are rewritten.
#[derive(Debug)]
pub enum Rewriting<'a> {
    /// Not at all.
    Off(Reason),
    /// By rules.
    On(Chain<'a>),
}

/// Why images are left as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The operator has not seen the namespace with its label.
    UnknownNamespace,
    /// Images of the namespace are never rewritten.
    ExcludedNamespace,
    /// A ConfigMap says so.
    TurnedOff,
}

/// Rules of several objects, in the order in which they are tried, until the first object that is wrong.
#[derive(Debug, Default)]
pub struct Chain<'a> {
    links: Vec<Link<'a>>,
    problem: Option<Problem>,
}

#[derive(Debug)]
struct Link<'a> {
    registry: &'a Registry,
    rules: &'a Rules,
}

impl Sources {
    /// The namespaces that have a Harbor or the part of one that images come through, and others in which images are never
    /// rewritten.
    pub fn exempt(&self) -> BTreeSet<&str> {
        self.with_harbors().chain(self.excluded.iter().map(String::as_str)).collect()
    }

    fn is_exempt(&self, namespace: &str) -> bool {
        self.excluded.contains(namespace) || self.with_harbors().any(|other| other == namespace)
    }

    fn with_harbors(&self) -> impl Iterator<Item = &str> {
        let tables = [&self.harbors, &self.clusters, &self.cores, &self.registries];
        tables.into_iter().flatten().map(|((namespace, _), ())| namespace.as_str())
    }

    /// How images of a namespace are rewritten.
    pub fn rewriting(&self, namespace: &str) -> Rewriting<'_> {
        if self.is_exempt(namespace) {
            return Rewriting::Off(Reason::ExcludedNamespace);
        }
        let Some(source) = self.namespaces.get(&(String::new(), namespace.to_owned())) else {
            return Rewriting::Off(Reason::UnknownNamespace);
        };
        let mut chain = Chain::default();
        match self.add_all(namespace, source, &mut chain) {
            Ok(Switch::On) => {}
            Ok(Switch::Off) => return Rewriting::Off(Reason::TurnedOff),
            Err(problem) => chain.problem = Some(problem),
        }
        Rewriting::On(chain)
    }

    /// What is wrong with the objects that rules come from, in order.
    pub fn problems(&self) -> BTreeSet<Problem> {
        let chains = self.namespaces.keys().filter_map(|(_, name)| match self.rewriting(name) {
            Rewriting::On(chain) => chain.problem,
            Rewriting::Off(_) => None,
        });
        let servers = self.servers.values().filter_map(|server| server.content().err().cloned());
        chains.chain(servers).collect()
    }

    fn add_all<'a>(
        &'a self,
        namespace: &str,
        source: &'a NamespaceSource,
        chain: &mut Chain<'a>,
    ) -> Result<Switch, Problem> {
        let mut named = None;
        if let Some(name) = &source.config_map {
            let found = self.config_maps.get(&(namespace.to_owned(), name.clone()));
            let found = found.ok_or_else(|| no_config_map(namespace, name))?;
            match found {
                ConfigMapSource::Off => return Ok(Switch::Off),
                ConfigMapSource::Wrong(problem) => return Err(problem.clone()),
                ConfigMapSource::On { server: None, .. } => {}
                ConfigMapSource::On { server: Some(server), rules } => {
                    let content = self.named(server, source, namespace, name)?;
                    chain.links.push(Link { registry: &content.registry, rules });
                    chain.links.push(Link { registry: &content.registry, rules: &content.rules });
                    named = Some(server.as_str());
                }
            }
        }
        if let Some(default) = self.default_server()
            && Some(default.name()) != named
            && default.is_open_to(source)
        {
            let content = default.content().map_err(Problem::clone)?;
            chain.links.push(Link { registry: &content.registry, rules: &content.rules });
        }
        Ok(Switch::On)
    }

    /// The HarborServerConfiguration that a ConfigMap names.
    fn named<'a>(
        &'a self,
        server: &str,
        source: &NamespaceSource,
        namespace: &str,
        config_map: &str,
    ) -> Result<&'a ServerContent, Problem> {
        let problem = |message: String| Problem {
            about: Object::ConfigMap { namespace: namespace.to_owned(), name: config_map.to_owned() },
            message,
        };
        let Some(found) = self.servers.get(&(String::new(), server.to_owned())) else {
            let message = format!(
                "key `hsc` names HarborServerConfiguration {server}, which does not exist; create it"
            );
            return Err(problem(message));
        };
        if !found.is_open_to(source) {
            return Err(problem(format!(
                "key `hsc` names HarborServerConfiguration {server}, whose namespaceSelector does not match the labels of \
                 the namespace; ask its administrator, or name another one"
            )));
        }
        found.content().map_err(Problem::clone)
    }

    /// The oldest HarborServerConfiguration that is a default.
    fn default_server(&self) -> Option<&ServerSource> {
        let defaults = self.servers.values().filter_map(|server| Some((server.seniority()?, server)));
        defaults.min_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, server)| server)
    }
}

enum Switch {
    On,
    Off,
}

fn no_config_map(namespace: &str, name: &str) -> Problem {
    Problem {
        about: Object::Namespace(namespace.to_owned()),
        message: format!(
            "annotation `goharbor.io/rewriting-rules` names ConfigMap {name}, which does not exist or has none of the keys \
             `hsc`, `rewriting` and `rules`; create it in the namespace"
        ),
    }
}

impl Chain<'_> {
    /// The reference through which an image is pulled instead. None if no rule is for it, or if it is on a Harbor of
    /// these rules already.
    ///
    /// # Errors
    /// If the text is no reference, or if the new one is too long.
    pub fn rewrite(&self, image: &str) -> Result<Option<Reference>, ReferenceError> {
        let image: Reference = image.parse()?;
        if self.links.iter().any(|link| link.registry.is(image.registry())) {
            return Ok(None);
        }
        let named = self.links.iter().find_map(|link| {
            let project = link.rules.matching(image.registry())?;
            Some((link.registry, project))
        });
        // As for the old operator: a rule that names the registry beats `*`, also one of another object.
        let others = || self.links.iter().find_map(|link| Some((link.registry, link.rules.others()?)));
        named.or_else(others).map(|(harbor, project)| image.moved(harbor, project)).transpose()
    }

    /// What is wrong with the first object whose rules are not tried.
    pub fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }
}

#[cfg(test)]
mod tests;
