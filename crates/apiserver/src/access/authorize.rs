//! RBAC: what the roles that are bound to a user allow.

use super::rule::Rule;
use super::user::as_service_account;
use super::{Access, User, defaults};
use crate::failure::Failure;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

pub(super) const GROUP: &str = "rbac.authorization.k8s.io";

/// The kinds of RBAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoleKind {
    Role,
    ClusterRole,
    RoleBinding,
    ClusterRoleBinding,
}

impl RoleKind {
    /// The resource's name, in the group `rbac.authorization.k8s.io`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Role => "roles",
            Self::ClusterRole => "clusterroles",
            Self::RoleBinding => "rolebindings",
            Self::ClusterRoleBinding => "clusterrolebindings",
        }
    }

    /// The kind of that resource of `rbac.authorization.k8s.io`.
    pub fn from_plural(plural: &str) -> Option<Self> {
        [Self::Role, Self::ClusterRole, Self::RoleBinding, Self::ClusterRoleBinding]
            .into_iter()
            .find(|kind| kind.plural() == plural)
    }
}

/// Where roles and bindings are kept.
pub(crate) trait Roles {
    /// One object; `namespace` is empty for cluster-scoped kinds.
    fn object(&self, kind: RoleKind, namespace: &str, name: &str) -> Option<Arc<Value>>;

    /// All objects of a namespace, or of a cluster-scoped kind, by name.
    fn objects(&self, kind: RoleKind, namespace: &str) -> Vec<Arc<Value>>;
}

/// What a user wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Question<'a> {
    /// `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection` and others.
    pub verb: &'a str,
    pub target: Target<'a>,
}

/// What the user wants to do it to. Absent parts are empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target<'a> {
    Resource {
        group: &'a str,
        resource: &'a str,
        subresource: &'a str,
        namespace: &'a str,
        name: &'a str,
    },
    /// A path that belongs to no resource.
    Path(&'a str),
}

/// Whether a user may do it, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    Allowed(String),
    NotAllowed(String),
}

/// Decides whether users may do what they request.
#[derive(Clone, Copy)]
pub(crate) struct Authorizer<'a> {
    pub access: Access,
    pub roles: &'a dyn Roles,
}

/// The rules that apply to a user, each with what granted it, and the roles that are bound and missing.
#[derive(Default)]
pub(super) struct Applying {
    pub rules: Vec<(Rule, String)>,
    pub errors: Vec<String>,
}

impl Authorizer<'_> {
    /// Ok if the user may; otherwise the failure to answer with.
    pub fn authorize(&self, user: &User, question: &Question<'_>) -> Result<(), Failure> {
        match self.decide(user, question) {
            Decision::Allowed(_) => Ok(()),
            Decision::NotAllowed(reason) => Err(forbidden(user, question, &reason)),
        }
    }

    /// Whether the user may, and why.
    pub fn decide(&self, user: &User, question: &Question<'_>) -> Decision {
        if self.access == Access::Open || user.is_master() {
            return Decision::Allowed(String::new());
        }
        let namespace = match question.target {
            Target::Resource { namespace, .. } => namespace,
            Target::Path(_) => "",
        };
        let applying = self.applying(user, namespace);
        let verb = question.verb;
        let allowing = applying.rules.iter().find(|(rule, _)| match question.target {
            Target::Resource { group, resource, subresource, name, .. } => {
                rule.allows_resource(verb, group, resource, subresource, name)
            }
            Target::Path(path) => rule.allows_path(verb, path),
        });
        match (allowing, applying.errors.as_slice()) {
            (Some((_, source)), _) => Decision::Allowed(format!("RBAC: allowed by {source}")),
            (None, []) => Decision::NotAllowed(String::new()),
            (None, [error]) => Decision::NotAllowed(format!("RBAC: {error}")),
            (None, errors) => Decision::NotAllowed(format!("RBAC: [{}]", errors.join(", "))),
        }
    }

    /// The rules that apply to a user in a namespace, those of the whole cluster included.
    pub(super) fn applying(&self, user: &User, namespace: &str) -> Applying {
        let mut applying = Applying::default();
        let mut bindings = self.all(RoleKind::ClusterRoleBinding, "", defaults::cluster_role_bindings());
        if !namespace.is_empty() {
            bindings.extend(self.roles.objects(RoleKind::RoleBinding, namespace));
        }
        for binding in bindings {
            let own = binding["metadata"]["namespace"].as_str().unwrap_or_default();
            let subjects = binding["subjects"].as_array().into_iter().flatten();
            let Some(subject) = subjects.into_iter().find(|subject| names(subject, user, own)) else {
                continue;
            };
            match self.referenced(&binding["roleRef"], own) {
                Ok(rules) => {
                    let source = described(&binding, subject, own);
                    applying.rules.extend(rules.into_iter().map(|rule| (rule, source.clone())));
                }
                Err(error) => applying.errors.push(error),
            }
        }
        applying
    }

    /// The rules of the role that a binding in `namespace` refers to.
    pub(super) fn referenced(&self, reference: &Value, namespace: &str) -> Result<Vec<Rule>, String> {
        let name = reference["name"].as_str().unwrap_or_default();
        match reference["kind"].as_str().unwrap_or_default() {
            "Role" => self
                .roles
                .object(RoleKind::Role, namespace, name)
                .map(|role| rules_of(&role))
                .ok_or_else(|| format!("role.{GROUP} {name:?} not found")),
            "ClusterRole" => {
                self.cluster_role(name).ok_or_else(|| format!("clusterrole.{GROUP} {name:?} not found"))
            }
            other => Err(format!("unsupported role reference kind: {other:?}")),
        }
    }

    fn cluster_role(&self, name: &str) -> Option<Vec<Rule>> {
        let stored = self.roles.object(RoleKind::ClusterRole, "", name);
        let role = stored.as_deref().or_else(|| find(defaults::cluster_roles(), name))?;
        let selectors =
            role["aggregationRule"]["clusterRoleSelectors"].as_array().filter(|all| !all.is_empty());
        let Some(selectors) = selectors else { return Some(rules_of(role)) };
        let mut rules: Vec<Rule> = Vec::new();
        for other in self.all(RoleKind::ClusterRole, "", defaults::cluster_roles()) {
            let itself = other["metadata"]["name"].as_str() == Some(name);
            if itself || !selectors.iter().any(|selector| selects(selector, &other["metadata"]["labels"])) {
                continue;
            }
            for rule in rules_of(&other) {
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
            }
        }
        Some(rules)
    }

    /// What is stored, and the defaults that are not.
    fn all(&self, kind: RoleKind, namespace: &str, defaults: &[Value]) -> Vec<Arc<Value>> {
        let mut all = self.roles.objects(kind, namespace);
        for default in defaults {
            let name = &default["metadata"]["name"];
            if !all.iter().any(|stored| &stored["metadata"]["name"] == name) {
                all.push(Arc::new(default.clone()));
            }
        }
        all.sort_by(|a, b| a["metadata"]["name"].as_str().cmp(&b["metadata"]["name"].as_str()));
        all
    }
}

fn find<'a>(objects: &'a [Value], name: &str) -> Option<&'a Value> {
    objects.iter().find(|object| object["metadata"]["name"].as_str() == Some(name))
}

/// The rules of a role, without those that cannot be parsed.
pub(super) fn rules_of(role: &Value) -> Vec<Rule> {
    let rules = role["rules"].as_array().into_iter().flatten();
    rules.filter_map(|rule| serde::Deserialize::deserialize(rule).ok()).collect()
}

/// Whether a label selector matches.
fn selects(selector: &Value, labels: &Value) -> bool {
    crate::admission::selector_matches(selector, labels)
}

/// Whether a subject of a binding in `namespace` is the user.
fn names(subject: &Value, user: &User, namespace: &str) -> bool {
    let name = subject["name"].as_str().unwrap_or_default();
    match subject["kind"].as_str().unwrap_or_default() {
        "User" => user.name == name,
        "Group" => user.groups.iter().any(|group| group == name),
        "ServiceAccount" => as_service_account(&user.name) == Some((namespace_of(subject, namespace), name)),
        _ => false,
    }
}

fn namespace_of<'a>(subject: &'a Value, namespace: &'a str) -> &'a str {
    subject["namespace"].as_str().filter(|own| !own.is_empty()).unwrap_or(namespace)
}

/// A binding as reasons print it.
fn described(binding: &Value, subject: &Value, namespace: &str) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (kind, mut name) = (text(&binding["kind"]), text(&binding["metadata"]["name"]));
    let kind = match kind.as_str() {
        "" if namespace.is_empty() => "ClusterRoleBinding",
        "" => "RoleBinding",
        kind => kind,
    };
    if !namespace.is_empty() {
        name = format!("{name}/{namespace}");
    }
    let whom = text(&subject["kind"]);
    let mut who = text(&subject["name"]);
    if whom == "ServiceAccount" {
        who = format!("{who}/{}", namespace_of(subject, namespace));
    }
    let (role_kind, role) = (text(&binding["roleRef"]["kind"]), text(&binding["roleRef"]["name"]));
    format!("{kind} {name:?} of {role_kind} {role:?} to {whom} {who:?}")
}

/// The failure that a user without permission gets.
fn forbidden(user: &User, question: &Question<'_>, reason: &str) -> Failure {
    let (verb, who) = (question.verb, &user.name);
    let (group, resource, name, message) = match question.target {
        Target::Path(path) => ("", "", "", format!("User {who:?} cannot {verb} path {path:?}")),
        Target::Resource { group, resource, subresource, namespace, name } => {
            let full = match subresource {
                "" => Cow::Borrowed(resource),
                subresource => Cow::Owned(format!("{resource}/{subresource}")),
            };
            let scope = match namespace {
                "" => "at the cluster scope".to_owned(),
                namespace => format!("in the namespace {namespace:?}"),
            };
            let message =
                format!("User {who:?} cannot {verb} resource {full:?} in API group {group:?} {scope}");
            (group, resource, name, message)
        }
    };
    let message = message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let message = if reason.is_empty() { message } else { format!("{message}: {reason}") };
    Failure::forbidden(group, resource, name, &message)
}
