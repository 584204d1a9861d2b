//! Renders the children of an object, and those of its children.

use super::{
    fields,
    object_store::ObjectStore,
    plan::{Unplanned, plan_offline},
};
use crate::{
    operator::component,
    output::{Error, Failure, warn},
};
use api::names::INPUTS_ANNOTATION;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use kube::core::DynamicObject;
use plan::{
    Action, Apply, ComponentKind, Defaults, Desired, Gate, Known, ObjectKey, Observed, PlanError, Policy,
    References, Resolver, Undecodable, placeholder,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// An object whose children are rendered.
#[derive(Clone, Debug)]
pub struct Owner {
    /// How messages name it.
    pub place: String,
    /// Which object it is.
    pub key: ObjectKey,
    /// All of it.
    pub json: Value,
}

/// The children of an object, in topological order.
#[derive(Debug)]
pub struct OwnedObjects {
    /// The object.
    pub owner: ObjectKey,
    /// The children.
    pub children: Vec<Child>,
}

/// A child, as the operator would apply it.
#[derive(Debug)]
pub struct Child {
    /// Which object it is.
    pub key: ObjectKey,
    /// All of it; `None` if another program creates it.
    pub object: Option<Value>,
    /// Comments for readers.
    pub notes: Vec<String>,
    /// Positions of the children it waits for.
    pub after: Vec<usize>,
    /// Its own children, if it has a component and they were asked for.
    pub below: Option<OwnedObjects>,
}

/// Renders objects. The plan of the next one can read what was rendered, as in a cluster.
#[derive(Debug)]
pub struct Renderer {
    components: Vec<ComponentKind>,
    store: ObjectStore,
    defaults: Defaults,
    recursive: bool,
    /// Why objects could not be rendered.
    pub errors: Vec<Error>,
    /// Secrets and ConfigMaps that pods need and that are missing. A graph can be drawn without them.
    pub unmet: Vec<Error>,
}

impl Renderer {
    /// Renders objects of these `components`, and with `recursive` the children of their children.
    pub fn new(
        components: Vec<ComponentKind>,
        store: ObjectStore,
        defaults: Defaults,
        recursive: bool,
    ) -> Self {
        Self { components, store, defaults, recursive, errors: Vec::new(), unmet: Vec::new() }
    }

    /// The children of an object; `None` after an error.
    pub fn render(&mut self, owner: Owner) -> Option<OwnedObjects> {
        let children = self.children(&owner).map_err(|failure| self.errors.extend(failure)).ok()?;
        let mut below = OwnedObjects { owner: owner.key, children };
        if self.recursive {
            // After all children of the owner, because the plan of one may read any other.
            for child in &mut below.children {
                if let Some(json) =
                    child.object.clone().filter(|_| component(&self.components, &child.key).is_some())
                {
                    let place = format!("{}: {}", owner.place, child.key);
                    let key = child.key.clone();
                    child.below = self.render(Owner { place, key, json });
                }
            }
        }
        Some(below)
    }

    fn children(&mut self, owner: &Owner) -> Result<Vec<Child>, Failure> {
        let Some(kind) = component(&self.components, &owner.key) else { return Ok(Vec::new()) };
        let plan =
            plan_offline(kind, owner.json.clone(), &self.store, &self.defaults).map_err(
                |error| match error {
                    Unplanned::Failed(error) => Failure::plan(&owner.key, error),
                    Unplanned::Undecodable(Undecodable { field, problem }) => {
                        undecodable(owner, &kind.resource().version, &field, problem).into()
                    }
                },
            )?;
        let generated: Vec<_> = plan.reads.iter().filter(|key| self.store.is_generated(key)).collect();
        match generated.as_slice() {
            [] => {}
            [key] => warn(format_args!(
                "{}: reads {key}, whose values are generated when it is created; here they are placeholders",
                owner.key
            )),
            several => warn(format_args!(
                "{}: reads {} Secrets whose values are generated when they are created; here they are placeholders",
                owner.key,
                several.len()
            )),
        }
        let mut unmet: Option<PlanError> = None;
        let children = plan.graph.iter().map(|(_, desired, after)| {
            let (child, error) = self.child(&owner.key, desired)?;
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

    /// One child, as the action of the resolver says, and the error that keeps its pods from starting.
    fn child(&mut self, owner: &ObjectKey, desired: &Desired) -> Result<(Child, Option<PlanError>), Error> {
        let key = desired.object.key();
        let unencodable = |problem: String| Error::Encode { object: key.to_string(), problem };
        let mut object = desired.object.to_json().map_err(|error| unencodable(error.to_string()))?;
        let mut notes = Vec::new();
        let mut error = self.store.unserved(&key, desired.object.child_kind().provider);
        let given = self.store.given(&key);
        match (action(owner, desired, given.as_ref()), &desired.policy) {
            (Action::Await, _) => {
                if self.store.read(&key).is_none() {
                    self.store.insert_generated(key.clone(), placeholder::awaited(object))?;
                }
                let child = Child { key, object: None, notes, after: Vec::new(), below: None };
                return Ok((child, error));
            }
            (_, Policy::Amend { .. }) => {
                let child = Child { key, object: None, notes, after: Vec::new(), below: None };
                return Ok((child, error));
            }
            (Action::Create, Policy::External(external)) => {
                notes.push(format!(
                    "Lives in {}, not in the cluster: the operator keeps it there.",
                    external.system
                ));
            }
            (Action::Create, Policy::CreateOnce { generate }) if !generate.is_empty() => {
                let keys: Vec<_> = generate.keys().map(String::as_str).collect();
                notes.push(made_by_operator("generates", &keys));
                let secret = placeholder::generated(object.clone(), generate)
                    .map_err(|error| unencodable(error.to_string()))?;
                self.store.insert_generated(key.clone(), secret)?;
            }
            (Action::Issue(Apply::New), _) => {
                notes.push(made_by_operator("issues", &placeholder::TLS_KEYS));
                self.store.insert_generated(key.clone(), placeholder::issued(object.clone()))?;
            }
            (action @ (Action::Apply(_) | Action::Create | Action::Refuse(_)), _) => {
                if let Action::Refuse(_) = action {
                    notes.push(
                        "Given as input, and not created by the operator: it leaves that object alone."
                            .to_owned(),
                    );
                }
                if let Some(template) = desired.object.pod_template() {
                    error = error.or(self.check_references(&key, template, &mut notes).err());
                }
                if let Some((secret, content)) = placeholder::of_certificate(&key, &object)
                    && self.store.given(&secret).is_none()
                {
                    self.store.insert_generated(secret, content)?;
                }
                self.store.insert_rendered(key.clone(), object.clone())?;
            }
            (
                Action::Nothing
                | Action::SetOwner
                | Action::Rehash
                | Action::Issue(_)
                | Action::Read
                | Action::Update { .. }
                | Action::Amend
                | Action::Hold
                | Action::Blocked { .. },
                _,
            ) => {
                object = given.unwrap_or(object);
                notes.push("Given as input: the operator uses it as it is.".to_owned());
            }
        }
        Ok((Child { key, object: Some(object), notes, after: Vec::new(), below: None }, error))
    }

    /// Checks that the Secrets and ConfigMaps of a pod exist. The output has no digest of them: the operator makes it with a
    /// key, and from a digest without a key a reader could guess passwords.
    fn check_references(
        &self,
        workload: &ObjectKey,
        template: &PodTemplateSpec,
        notes: &mut Vec<String>,
    ) -> Result<(), PlanError> {
        let references = References::of(&workload.namespace, template);
        if references.is_empty() {
            return Ok(());
        }
        let contents = references.keys().map(|key| (key.clone(), self.store.content(key))).collect();
        references.satisfied(&contents)?;
        notes.push(format!("Without {INPUTS_ANNOTATION}: the operator adds it, made with a key of its own."));
        Ok(())
    }
}

/// What the operator would do about a child in a cluster that has only what was given. Render shows the end of a rollout:
/// nothing waits.
fn action(owner: &ObjectKey, desired: &Desired, given: Option<&Value>) -> Action<()> {
    let given = given.and_then(|given| serde_json::from_value::<DynamicObject>(given.clone()).ok());
    let observed = given.as_ref().map_or(Observed::Absent, Observed::Stored);
    let resolver = Resolver { owner, uid: "", predecessors: &BTreeSet::new(), now: Timestamp::UNIX_EPOCH };
    resolver.resolve(desired, observed, Gate::OPEN, Known::default())
}

fn made_by_operator(how: &str, keys: &[&str]) -> String {
    let keys: Vec<_> = keys.iter().map(|key| format!("data.{key}")).collect();
    let (all, them) = match &keys[..] {
        [first @ .., last] if !first.is_empty() => (format!("{} and {last}", first.join(", ")), "them"),
        keys => (keys.concat(), "it"),
    };
    format!("The operator {how} {all} when it creates this Secret. Do not apply the Secret without {them}.")
}

/// The error that names the field that does not fit. The decoder does not know its path in flattened structs; the schema does.
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
                .unwrap_or_else(|| (field.to_owned(), format!("has a wrong value ({problem})"))),
        };
    let documented: String =
        field.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect();
    let explain = format!("see `kubectl explain {}.{documented}`", key.kind.to_lowercase());
    Error::input(place, format!("{field} {problem}"), explain)
}

#[cfg(test)]
mod tests;
