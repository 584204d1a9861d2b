//! The children of an object, if everything that it refers to exists.

use crate::values::NAMES;
use kube::core::{ApiResource, DynamicObject};
use plan::{
    ComponentKind, Defaults, DeletionBehavior, Needed, ObjectKey, Plan, PlanError, Policy, Snapshot,
    placeholder,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

/// The children of an object, or why there are none.
pub type Rendering = Result<BTreeMap<ObjectKey, Rendered>, String>;

/// One child.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// Its kind.
    pub resource: ApiResource,
    /// All of it.
    pub object: Value,
    /// How the operator ensures it.
    pub policy: Policy,
    /// Whether it is kept when its owner is deleted.
    pub deletion: DeletionBehavior,
    /// What it waits for.
    pub after: Vec<ObjectKey>,
}

/// The objects that an object reads. Secrets that it refers to and that are missing are generated.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    pub objects: Vec<Value>,
    /// API groups the cluster does not serve.
    pub unserved: Vec<String>,
}

static COMPONENTS: LazyLock<Vec<ComponentKind>> = LazyLock::new(components::all);

impl Surroundings {
    /// The children of an object here.
    pub fn render(&self, owner: &Value) -> Rendering {
        let plan = self.plan(owner).map_err(|error| error.to_string())?;
        let rendered = plan.graph.iter().map(|(_, desired, after)| {
            let rendered = Rendered {
                resource: desired.object.child_kind().resource,
                object: desired.object.to_json().unwrap(),
                policy: desired.policy.clone(),
                deletion: desired.deletion,
                after: after.iter().map(|id| plan.graph[*id].object.key()).collect(),
            };
            (desired.object.key(), rendered)
        });
        Ok(rendered.collect())
    }

    fn plan(&self, owner: &Value) -> Result<Plan, PlanError> {
        let component = COMPONENTS.iter().find(|it| it.resource().kind == owner["kind"]).unwrap();
        let decoded = component.decode(owner.clone());
        let decoded = decoded.unwrap_or_else(|error| panic!("{error} in {owner}"));
        let pass = |snapshot: &Snapshot| decoded.plan(snapshot, &Defaults::default());
        let read = |key: ObjectKey| {
            let served = key.is_kind() && !self.unserved.contains(&key.group);
            (key, served.then(plan::served))
        };
        let mut known: Snapshot = self.objects.iter().map(entry).collect();
        loop {
            let read = |needed: Needed| needed.keys.into_iter().map(read).collect();
            match plan::until_planned(known.clone(), pass, read) {
                Err(PlanError::Missing(keys)) => {
                    known.extend(keys.into_iter().map(|key| (key.clone(), Some(plausible(&key)))));
                }
                answer => return answer,
            }
        }
    }
}

/// A Secret with every key that is read, each with a valid value, and no two the same.
fn plausible(key: &ObjectKey) -> Arc<DynamicObject> {
    assert_eq!(key.kind, "Secret", "{key} is missing, and only Secrets are made up");
    let text = include_str!("secret.yaml").replace("NAME_OF_32_CHARACTERS", &format!("{:-<32}", key.name));
    let mut secret = json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": key.name, "namespace": key.namespace},
        "stringData": serde_saphyr::from_str::<Value>(&text).unwrap(),
    });
    placeholder::fold(&mut secret);
    dynamic(secret)
}

/// An object of the base. A Secret also has the keys that fields are tried with.
fn entry(input: &Value) -> (ObjectKey, Option<Arc<DynamicObject>>) {
    let mut object = input.clone();
    if object["kind"] == "Secret" {
        for key in NAMES {
            object["stringData"][key] = format!("{key:-<32}").into();
        }
        placeholder::fold(&mut object);
    }
    (crate::cases::key(input), Some(dynamic(object)))
}

fn dynamic(object: Value) -> Arc<DynamicObject> {
    Arc::new(serde_json::from_value(object).unwrap())
}
