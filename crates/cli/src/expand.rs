//! From an object to its children, and from those that have children themselves to theirs.

use crate::{
    error::{Error, Failure},
    fields,
    known::Known,
    plan_offline::{Unplanned, component, plan_offline},
    terminal,
};
use api::names::INPUTS_ANNOTATION;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use plan::{
    ComponentKind, Defaults, Desired, ObjectKey, PlanError, Policy, References, Undecodable, placeholder,
};
use serde_json::Value;

/// An object whose children are wanted.
#[derive(Clone, Debug)]
pub struct Owner {
    /// What to call it in a message about what it says.
    pub place: String,
    /// Which object it is.
    pub key: ObjectKey,
    /// All of it.
    pub json: Value,
}

/// An object's children, each after all it waits for.
#[derive(Debug)]
pub struct Expansion {
    /// Whose children these are.
    pub owner: ObjectKey,
    /// The children.
    pub children: Vec<Child>,
}

/// A child, as it would be applied.
#[derive(Debug)]
pub struct Child {
    /// Which object it is.
    pub key: ObjectKey,
    /// All of it; nothing for what somebody else makes.
    pub object: Option<Value>,
    /// What a reader should know about it.
    pub notes: Vec<String>,
    /// The children it waits for.
    pub after: Vec<usize>,
    /// Its own children, if they were asked for and it may have some.
    pub expansion: Option<Expansion>,
}

/// Expands objects. What one renders is there for the next to read, as in a cluster.
#[derive(Debug)]
pub struct Expander {
    components: Vec<ComponentKind>,
    known: Known,
    defaults: Defaults,
    recursive: bool,
    /// Why objects could not be expanded.
    pub errors: Vec<Error>,
    /// What pods would not find: keeps nobody from drawing a graph.
    pub unmet: Vec<Error>,
}

impl Expander {
    /// Expands objects of these `components`, and with `recursive` their children too.
    pub fn new(components: Vec<ComponentKind>, known: Known, defaults: Defaults, recursive: bool) -> Self {
        Self { components, known, defaults, recursive, errors: Vec::new(), unmet: Vec::new() }
    }

    /// The children of an object. Nothing if something is wrong: then the errors say what.
    pub fn expand(&mut self, owner: Owner) -> Option<Expansion> {
        let children = self.children(&owner).map_err(|failure| self.errors.extend(failure)).ok()?;
        let mut expansion = Expansion { owner: owner.key, children };
        if self.recursive {
            // Only now: any of the children may be read by any other.
            for child in &mut expansion.children {
                if let Some(json) =
                    child.object.clone().filter(|_| component(&self.components, &child.key).is_some())
                {
                    let place = format!("{}: {}", owner.place, child.key);
                    let key = child.key.clone();
                    child.expansion = self.expand(Owner { place, key, json });
                }
            }
        }
        Some(expansion)
    }

    fn children(&mut self, owner: &Owner) -> Result<Vec<Child>, Failure> {
        let Some(kind) = component(&self.components, &owner.key) else { return Ok(Vec::new()) };
        let plan =
            plan_offline(kind, owner.json.clone(), &self.known, &self.defaults).map_err(
                |error| match error {
                    Unplanned::Failed(error) => Failure::plan(&owner.key, error),
                    Unplanned::Undecodable(Undecodable { field, problem }) => {
                        undecodable(owner, &kind.resource().version, &field, problem).into()
                    }
                },
            )?;
        let made_up: Vec<_> = plan.reads.iter().filter(|key| self.known.is_generated(key)).collect();
        match made_up.as_slice() {
            [] => {}
            [key] => terminal::warn(format_args!(
                "{}: reads {key}, whose values are made up when it is created; here they are placeholders",
                owner.key
            )),
            several => terminal::warn(format_args!(
                "{}: reads {} Secrets whose values are made up when they are created; here they are placeholders",
                owner.key,
                several.len()
            )),
        }
        let mut unmet: Option<PlanError> = None;
        let children = plan.graph.iter().map(|(_, desired, after)| {
            let (child, error) = self.child(desired)?;
            unmet = match (unmet.take(), error) {
                (Some(earlier), Some(error)) => Some(earlier.and(error)),
                (earlier, error) => earlier.or(error),
            };
            Ok(Child { after: after.iter().map(|id| id.index()).collect(), ..child })
        });
        let children = children.collect::<Result<_, Error>>()?;
        self.unmet.extend(unmet.into_iter().flat_map(|error| Failure::plan(&owner.key, error)));
        Ok(children)
    }

    /// One child, and why its pods would not start.
    fn child(&mut self, desired: &Desired) -> Result<(Child, Option<PlanError>), Error> {
        let key = desired.object.key();
        let mut object = desired
            .object
            .to_json()
            .map_err(|error| Error::Encode { object: key.to_string(), problem: error.to_string() })?;
        let mut notes = Vec::new();
        let mut error = self.known.unserved(&key, desired.object.child_kind().provider);
        match &desired.policy {
            Policy::Await { .. } => {
                if self.known.read(&key).is_none() {
                    self.known.render_generated(key.clone(), placeholder::awaited(object))?;
                }
                let child = Child { key, object: None, notes, after: Vec::new(), expansion: None };
                return Ok((child, error));
            }
            Policy::CreateOnce { .. } | Policy::Issue(_) if self.known.given(&key).is_some() => {
                object = self.known.given(&key).unwrap_or(object);
                notes.push("Given as input: the operator uses it as it is.".to_owned());
            }
            Policy::CreateOnce { generate } if !generate.is_empty() => {
                let keys: Vec<_> = generate.keys().map(String::as_str).collect();
                notes.push(made_by_operator("makes up", &keys));
                let secret = placeholder::generated(object.clone(), generate)
                    .map_err(|error| Error::Encode { object: key.to_string(), problem: error.to_string() })?;
                self.known.render_generated(key.clone(), secret)?;
            }
            Policy::Issue(_) => {
                notes.push(made_by_operator("issues", &placeholder::TLS_KEYS));
                self.known.render_generated(key.clone(), placeholder::issued(object.clone()))?;
            }
            Policy::External(external) => {
                notes.push(format!(
                    "Lives in {}, not in the cluster: the operator keeps it there.",
                    external.system
                ));
            }
            Policy::Apply | Policy::CreateOnce { .. } => {
                if let Some(template) = desired.object.pod_template() {
                    error = error.or(self.look_up(&key, template, &mut notes).err());
                }
                if let Some((secret, content)) = placeholder::of_certificate(&key, &object)
                    && self.known.given(&secret).is_none()
                {
                    self.known.render_generated(secret, content)?;
                }
                self.known.render(key.clone(), object.clone())?;
            }
        }
        Ok((Child { key, object: Some(object), notes, after: Vec::new(), expansion: None }, error))
    }

    /// Says what pods would not find. The digest of what they use is left to the operator: with one that was made without
    /// its key, a reader of the output could try passwords.
    fn look_up(
        &self,
        workload: &ObjectKey,
        template: &PodTemplateSpec,
        notes: &mut Vec<String>,
    ) -> Result<(), PlanError> {
        let references = References::of(&workload.namespace, template);
        if references.is_empty() {
            return Ok(());
        }
        let contents = references.keys().map(|key| (key.clone(), self.known.content(key))).collect();
        references.satisfied(&contents)?;
        notes.push(format!("Without {INPUTS_ANNOTATION}: the operator adds it, made with a key of its own."));
        Ok(())
    }
}

fn made_by_operator(how: &str, keys: &[&str]) -> String {
    let keys: Vec<_> = keys.iter().map(|key| format!("data.{key}")).collect();
    format!("The operator {how} {} when it creates this Secret. Do not apply it without.", keys.join(", "))
}

/// Names the field that does not fit. The decoder loses track in flattened structs, the schema does not.
fn undecodable(owner: &Owner, version: &str, field: &str, problem: String) -> Error {
    let Owner { place, key, json } = owner;
    let findings = fields::check(key, version, json);
    let (field, problem) =
        match problem.strip_prefix("missing field `").and_then(|name| name.strip_suffix('`')) {
            Some(name) => {
                let exact = findings.missing.into_iter().find(|path| path.rsplit('.').next() == Some(name));
                let field = exact.unwrap_or_else(|| match field {
                    "." => name.to_owned(),
                    parent => format!("{parent}.{name}"),
                });
                (field, "is missing".to_owned())
            }
            None => findings
                .mistyped
                .into_iter()
                .next()
                .unwrap_or_else(|| (field.to_owned(), format!("is not what it should be ({problem})"))),
        };
    let documented: String =
        field.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect();
    let explain = format!("see `kubectl explain {}.{documented}`", key.kind.to_lowercase());
    Error::input(place, format!("{field} {problem}"), explain)
}

#[cfg(test)]
mod tests;
