//! The operations of a kind and their paths, in a form that is independent of the version of OpenAPI.

use super::schemas::{self, definition};
use crate::{
    discovery::served::{Kind, Subresource, Version},
    kinds::Verb,
};
use serde_json::{Value, json};

/// A request that the server answers.
pub(super) struct Operation {
    pub path: String,
    /// `get`, `post`, …: the key in a path item.
    pub method: &'static str,
    /// `x-kubernetes-action`
    pub action: &'static str,
    pub id: String,
    pub tag: String,
    pub description: String,
    pub group_version_kind: Value,
    pub query: Vec<Parameter>,
    pub body: Body,
    /// The name of the definition of its response.
    pub answer: String,
}

/// A query parameter and its JSON type.
pub(super) type Parameter = (&'static str, &'static str);

/// The body of a request.
pub(super) enum Body {
    None,
    Definition(String),
    /// A patch, in one of these media types.
    Patch(&'static [&'static str]),
}

const CUSTOM_PATCHES: &[&str] =
    &["application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"];
const BUILTIN_PATCHES: &[&str] = &[
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
];

const WRITE: [Parameter; 3] =
    [("dryRun", "string"), ("fieldManager", "string"), ("fieldValidation", "string")];
const FORCE: Parameter = ("force", "boolean");
const DELETE: [Parameter; 4] = [
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
];
const LIST: [Parameter; 10] = [
    ("allowWatchBookmarks", "boolean"),
    ("continue", "string"),
    ("fieldSelector", "string"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("timeoutSeconds", "integer"),
    ("watch", "boolean"),
];

/// All operations of the kinds of one version.
pub(super) fn operations(version: &Version) -> Vec<Operation> {
    let mut all = Vec::new();
    for kind in &version.kinds {
        let resource = &kind.resource;
        let root = version.root();
        let collection = if resource.namespaced {
            format!("{root}/namespaces/{{namespace}}/{}", resource.plural)
        } else {
            format!("{root}/{}", resource.plural)
        };
        let at = At { version, kind, part: None };
        if resource.namespaced && resource.allows(Verb::List) {
            all.push(at.operation(&format!("{root}/{}", resource.plural), Verb::List, "ForAllNamespaces"));
        }
        for verb in [Verb::List, Verb::Create, Verb::DeleteCollection] {
            if resource.allows(verb) {
                all.push(at.operation(&collection, verb, ""));
            }
        }
        for verb in [Verb::Get, Verb::Update, Verb::Patch, Verb::Delete] {
            if resource.allows(verb) {
                all.push(at.operation(&format!("{collection}/{{name}}"), verb, ""));
            }
        }
        for part in &kind.subresources {
            let at = At { version, kind, part: Some(part) };
            let path = format!("{collection}/{{name}}/{}", part.name);
            all.extend(part.verbs.iter().map(|verb| at.operation(&path, *verb, "")));
        }
    }
    all
}

/// A kind or a subresource.
struct At<'v> {
    version: &'v Version,
    kind: &'v Kind,
    part: Option<&'v Subresource>,
}

impl At<'_> {
    fn operation(&self, path: &str, verb: Verb, suffix: &str) -> Operation {
        let resource = &self.kind.resource;
        let own = schemas::name(resource);
        let shown = self.part.and_then(|part| part.answer).map_or_else(
            || own.clone(),
            |answer| {
                let in_core = answer.version.is_empty();
                definition(answer.group, if in_core { "v1" } else { answer.version }, answer.kind)
            },
        );
        let patches = match resource.custom {
            Some(_) => CUSTOM_PATCHES,
            None => BUILTIN_PATCHES,
        };
        let status = definition("meta", "v1", "Status");
        let options = definition("meta", "v1", "DeleteOptions");
        let (method, action, word, query, body, answer) = match verb {
            Verb::List => ("get", "list", "list", LIST.to_vec(), Body::None, schemas::list_name(resource)),
            Verb::Create => {
                ("post", "post", "create", WRITE.to_vec(), Body::Definition(shown.clone()), shown)
            }
            Verb::Update => ("put", "put", "replace", WRITE.to_vec(), Body::Definition(shown.clone()), shown),
            Verb::Patch => {
                let query = WRITE.iter().copied().chain([FORCE]).collect();
                ("patch", "patch", "patch", query, Body::Patch(patches), shown)
            }
            Verb::Delete => {
                ("delete", "delete", "delete", DELETE.to_vec(), Body::Definition(options), status)
            }
            Verb::DeleteCollection => {
                let query = LIST
                    .iter()
                    .chain(&DELETE)
                    .filter(|(name, _)| !matches!(*name, "watch" | "allowWatchBookmarks"))
                    .copied()
                    .collect();
                ("delete", "deletecollection", "delete", query, Body::Definition(options), status)
            }
            Verb::Get | Verb::Watch => ("get", "get", "read", Vec::new(), Body::None, shown),
        };
        let scope = if resource.namespaced && suffix.is_empty() { "Namespaced" } else { "" };
        let many = if verb == Verb::DeleteCollection { "Collection" } else { "" };
        let part = self.part.map_or(String::new(), |part| capitalised(part.name));
        Operation {
            path: path.to_owned(),
            method,
            action,
            id: format!("{word}{}{many}{scope}{}{part}{suffix}", self.family(), resource.kind),
            tag: self.tag(),
            description: self.described(verb, word),
            group_version_kind: self.group_version_kind(),
            query,
            body,
            answer,
        }
    }

    fn described(&self, verb: Verb, word: &str) -> String {
        let kind = &self.kind.resource.kind;
        let of = self.part.map_or(String::new(), |part| format!(" {} of", part.name));
        let article = if kind.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
        match verb {
            Verb::List if self.kind.resource.custom.is_some() => format!("list objects of kind {kind}"),
            Verb::List => format!("list or watch objects of kind {kind}"),
            Verb::Patch => format!("partially update{of} the specified {kind}"),
            Verb::DeleteCollection => format!("delete collection of {kind}"),
            Verb::Create | Verb::Delete => format!("{word}{of} {article} {kind}"),
            Verb::Get | Verb::Update | Verb::Watch => format!("{word}{of} the specified {kind}"),
        }
    }

    fn group_version_kind(&self) -> Value {
        let resource = &self.kind.resource;
        match self.part.and_then(|part| part.answer).filter(|_| resource.custom.is_none()) {
            Some(answer) if !answer.version.is_empty() => {
                json!({"group": answer.group, "version": answer.version, "kind": answer.kind})
            }
            Some(answer) => json!({"group": "", "version": "v1", "kind": answer.kind}),
            None => json!({"group": resource.group, "version": resource.version, "kind": resource.kind}),
        }
    }

    /// `AppsV1`, `CoreV1`, `RbacAuthorizationV1`
    fn family(&self) -> String {
        let group = if self.version.group.is_empty() { "core" } else { &self.version.group };
        let words = group.strip_suffix(".k8s.io").unwrap_or(group).split('.').map(capitalised);
        format!("{}{}", words.collect::<String>(), capitalised(&self.version.name))
    }

    /// `apps_v1`, `rbacAuthorization_v1`
    fn tag(&self) -> String {
        let group = if self.version.group.is_empty() { "core" } else { &self.version.group };
        let mut words = group.strip_suffix(".k8s.io").unwrap_or(group).split('.');
        let first = words.next().unwrap_or_default();
        format!("{first}{}_{}", words.map(capitalised).collect::<String>(), self.version.name)
    }
}

fn capitalised(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map_or(String::new(), |first| first.to_uppercase().chain(characters).collect())
}
