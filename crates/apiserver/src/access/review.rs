//! Reviews: objects that are questions. The server answers them and does not store them.

use super::authorize::{Authorizer, Decision, Question, Target};
use super::rule::Rule;
use super::tokens::{ServiceAccounts, Tokens};
use super::{Access, User};
use crate::failure::{Cause, Failure};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

const GROUP: &str = "authorization.k8s.io";
const ONE_OF: &str = "exactly one of nonResourceAttributes or resourceAttributes must be specified";

/// A kind of review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Review {
    SelfSubjectAccess,
    SubjectAccess,
    LocalSubjectAccess,
    SelfSubjectRules,
    Token,
    SelfSubject,
}

impl Review {
    /// The review that objects of this kind are.
    pub fn of_kind(kind: &str) -> Option<Self> {
        Some(match kind {
            "SelfSubjectAccessReview" => Self::SelfSubjectAccess,
            "SubjectAccessReview" => Self::SubjectAccess,
            "LocalSubjectAccessReview" => Self::LocalSubjectAccess,
            "SelfSubjectRulesReview" => Self::SelfSubjectRules,
            "TokenReview" => Self::Token,
            "SelfSubjectReview" => Self::SelfSubject,
            _ => return None,
        })
    }
}

/// The object with its status. `namespace` is that of the request, empty for none.
pub(crate) fn review(
    kind: Review,
    namespace: &str,
    body: &Value,
    user: &User,
    authorizer: &Authorizer<'_>,
    (tokens, accounts): (&Tokens, &dyn ServiceAccounts),
    now: Timestamp,
) -> Result<Value, Failure> {
    let spec = &body["spec"];
    let (spec, status) = match kind {
        Review::SelfSubjectAccess => {
            let mut causes = one_of(spec);
            metadata(body, &[], "must be empty", &mut causes);
            invalid(&causes)?;
            (spec.clone(), access(user, spec, authorizer))
        }
        Review::SubjectAccess => {
            let mut causes = one_of(spec);
            someone(spec, &mut causes);
            metadata(body, &[], "must be empty", &mut causes);
            invalid(&causes)?;
            (spec.clone(), access(&subject(spec), spec, authorizer))
        }
        Review::LocalSubjectAccess => {
            local(body, namespace)?;
            (spec.clone(), access(&subject(spec), spec, authorizer))
        }
        Review::SelfSubjectRules => {
            let namespace = spec["namespace"].as_str().unwrap_or_default();
            if namespace.is_empty() {
                return Err(Failure::bad_request("no namespace on request"));
            }
            (json!({}), rules(user, namespace, authorizer))
        }
        Review::Token => (spec.clone(), token(spec, tokens, accounts, now)?),
        Review::SelfSubject => (Value::Null, json!({ "userInfo": user.info() })),
    };
    let mut answer = Map::new();
    for field in ["kind", "apiVersion"] {
        answer.insert(field.into(), body[field].clone());
    }
    let metadata = match kind {
        Review::SelfSubject => {
            json!({ "creationTimestamp": now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string() })
        }
        Review::SelfSubjectRules => json!({}),
        _ => body.get("metadata").cloned().unwrap_or_else(|| json!({})),
    };
    answer.insert("metadata".into(), metadata);
    if !spec.is_null() {
        answer.insert("spec".into(), spec);
    }
    answer.insert("status".into(), status);
    Ok(Value::Object(answer))
}

fn access(user: &User, spec: &Value, authorizer: &Authorizer<'_>) -> Value {
    let (attributes, is_resource) = match &spec["resourceAttributes"] {
        Value::Null => (&spec["nonResourceAttributes"], false),
        attributes => (attributes, true),
    };
    let text = |field: &str| attributes[field].as_str().unwrap_or_default();
    let target = if is_resource {
        Target::Resource {
            group: text("group"),
            resource: text("resource"),
            subresource: text("subresource"),
            namespace: text("namespace"),
            name: text("name"),
        }
    } else {
        Target::Path(text("path"))
    };
    let (allowed, reason) = match authorizer.decide(user, &Question { verb: text("verb"), target }) {
        Decision::Allowed(reason) => (true, reason),
        Decision::NotAllowed(reason) => (false, reason),
    };
    let mut status = json!({ "allowed": allowed });
    if !reason.is_empty() {
        status["reason"] = reason.into();
    }
    status
}

fn subject(spec: &Value) -> User {
    let text = |field: &str| spec[field].as_str().unwrap_or_default().to_owned();
    let groups = spec["groups"].as_array().into_iter().flatten().filter_map(Value::as_str);
    User {
        name: text("user"),
        uid: text("uid"),
        groups: groups.map(str::to_owned).collect(),
        extra: serde::Deserialize::deserialize(&spec["extra"]).unwrap_or_default(),
    }
}

fn one_of(spec: &Value) -> Vec<Cause> {
    let other = &spec["nonResourceAttributes"];
    match (spec["resourceAttributes"].is_null(), other.is_null()) {
        (true, true) => vec![Cause::invalid("spec", other, ONE_OF)],
        (false, false) => {
            // kube-apiserver shows its internal type, whose fields have no JSON names.
            let text = |field: &str| other[field].as_str().unwrap_or_default();
            let shown = json!({ "Path": text("path"), "Verb": text("verb") });
            vec![Cause::invalid("spec", &shown, ONE_OF)]
        }
        _ => Vec::new(),
    }
}

fn someone(spec: &Value, causes: &mut Vec<Cause>) {
    let subject = subject(spec);
    if subject.name.is_empty() && subject.groups.is_empty() {
        causes.push(Cause::invalid(
            "spec.user",
            &"".into(),
            "at least one of user or group must be specified",
        ));
    }
}

/// A review has no name; the server sets `managedFields`.
fn metadata(body: &Value, allowed: &[&str], why: &str, causes: &mut Vec<Cause>) {
    let given = body["metadata"].as_object();
    let extra = given.into_iter().flatten().any(|(field, value)| {
        let empty = match value {
            Value::Null => true,
            Value::String(text) => text.is_empty(),
            Value::Array(items) => items.is_empty(),
            Value::Object(fields) => fields.is_empty(),
            _ => false,
        };
        !empty && field != "managedFields" && !allowed.contains(&field.as_str())
    });
    if extra {
        causes.push(Cause::invalid("metadata", &body["metadata"], why));
    }
}

fn local(body: &Value, namespace: &str) -> Result<(), Failure> {
    let spec = &body["spec"];
    let mut causes = one_of(spec);
    someone(spec, &mut causes);
    metadata(body, &["namespace"], "must be empty except for namespace", &mut causes);
    let own = body["metadata"]["namespace"].as_str().unwrap_or(namespace);
    if let Value::Object(attributes) = &spec["resourceAttributes"] {
        let asked = attributes.get("namespace").and_then(Value::as_str).unwrap_or_default();
        if asked != own {
            let why = "must match metadata.namespace";
            causes.push(Cause::invalid("spec.resourceAttributes.namespace", &asked.into(), why));
        }
    }
    if !spec["nonResourceAttributes"].is_null() {
        let why = "disallowed on this kind of request";
        causes.push(Cause::invalid("spec.nonResourceAttributes", &spec["nonResourceAttributes"], why));
    }
    invalid(&causes)?;
    if own != namespace {
        let why = format!("spec.resourceAttributes.namespace must match namespace: {namespace}");
        return Err(Failure::bad_request(why));
    }
    Ok(())
}

/// kube-apiserver omits the kind here, so its message begins with a dot.
fn invalid(causes: &[Cause]) -> Result<(), Failure> {
    if causes.is_empty() { Ok(()) } else { Err(Failure::invalid(GROUP, "", "", causes)) }
}

fn rules(user: &User, namespace: &str, authorizer: &Authorizer<'_>) -> Value {
    let (rules, errors) = match authorizer.access {
        Access::Open => {
            let all = vec![Rule::resources(&["*"], &["*"], &["*"]), Rule::urls(&["*"], &["*"])];
            (all, Vec::new())
        }
        Access::Rbac => {
            let applying = authorizer.applying(user, namespace);
            (applying.rules.into_iter().map(|(rule, _)| rule).collect::<Vec<_>>(), applying.errors)
        }
    };
    let of_resources: Vec<Rule> = rules
        .iter()
        .filter(|rule| !rule.resources.is_empty())
        .map(|rule| Rule { urls: Vec::new(), ..rule.clone() })
        .collect();
    let of_urls: Vec<Rule> = rules
        .into_iter()
        .filter(|rule| !rule.urls.is_empty())
        .map(|rule| Rule { verbs: rule.verbs, urls: rule.urls, ..Rule::default() })
        .collect();
    let mut status =
        json!({ "resourceRules": of_resources, "nonResourceRules": of_urls, "incomplete": false });
    match errors.as_slice() {
        [] => {}
        [error] => status["evaluationError"] = error.as_str().into(),
        errors => status["evaluationError"] = format!("[{}]", errors.join(", ")).into(),
    }
    status
}

fn token(
    spec: &Value,
    tokens: &Tokens,
    accounts: &dyn ServiceAccounts,
    now: Timestamp,
) -> Result<Value, Failure> {
    let token = spec["token"].as_str().unwrap_or_default();
    if token.is_empty() {
        return Err(Failure::bad_request("token is required for TokenReview in authentication"));
    }
    let audiences: Vec<String> = serde::Deserialize::deserialize(&spec["audiences"]).unwrap_or_default();
    Ok(match tokens.user_for(token, &audiences, accounts, now) {
        Ok((user, audiences)) => {
            json!({ "authenticated": true, "user": user.info(), "audiences": audiences })
        }
        Err(error) => json!({ "user": {}, "error": error }),
    })
}
