//! An object that describes something inside a Harbor, and how that looks in Harbor.

use crate::world::World;
use kube::{Api, core::DynamicObject};
use serde_json::{Value, json};

/// An object of a kind, and what situations need to know about it.
pub struct Case {
    pub kind: &'static str,
    /// The name of the object. What it describes has the same name in Harbor.
    pub name: String,
    pub spec: Value,
    /// A change of the spec, if the kind has fields that can change.
    pub change: Option<Value>,
    /// What Harbor has, if that can be changed in Harbor.
    pub thing: Option<Thing>,
}

/// What an object describes, as Harbor shows it.
pub struct Thing {
    /// The path of the list in which it is, or of itself if there is one in each Harbor.
    pub list: &'static str,
    /// The field with its name, and the name.
    pub key: Option<(&'static str, String)>,
    /// Fields as the spec describes them, before the change and after it.
    pub before: Value,
    pub after: Value,
    pub drift: Drift,
    /// How a user creates it, if more than one can be created.
    pub by_hand: Option<Value>,
    pub existence: Existence,
}

/// How a user changes it in Harbor.
pub struct Drift {
    pub method: &'static str,
    /// With the field whose value replaces the braces, such as `/robots/{id}`.
    pub path: &'static str,
    pub body: Sent,
}

/// The body of a request.
pub enum Sent {
    /// Only these fields.
    Fields(Value),
    /// What Harbor shows, with these fields.
    Whole(Value),
}

/// Whether an object decides that the thing exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existence {
    /// One object does: it has policies of creation and deletion, and a second object is in conflict.
    Owned,
    /// It does not, so that several objects may describe the thing as long as they agree.
    Shared,
}

impl Case {
    /// The object, with changes to its spec.
    pub fn object(&self, changes: Value) -> Value {
        let mut spec = self.spec.clone();
        json_patch::merge(&mut spec, &changes);
        json!({"kind": self.kind, "metadata": {"name": self.name}, "spec": spec})
    }

    pub fn api(&self, world: &World) -> Api<DynamicObject> {
        let all = components::all();
        let kind = all.iter().find(|kind| kind.is("goharbor.io", self.kind)).unwrap();
        Api::default_namespaced_with(world.client.clone(), kind.resource())
    }
}

impl Thing {
    /// The thing as Harbor shows it.
    pub async fn shown(&self, world: &World) -> Option<Value> {
        let separator = if self.list.contains('?') { '&' } else { '?' };
        let listed = world.ask("GET", &format!("{}{separator}page_size=100", self.list), Value::Null).await;
        let Some((field, name)) = &self.key else { return Some(listed) };
        let mut found: Vec<_> = listed.as_array().cloned().unwrap_or_default();
        found.retain(|it| it[*field] == **name);
        assert!(found.len() <= 1, "{} has {name} twice: {found:?}", self.list);
        found.pop()
    }

    /// The fields that `like` has, as Harbor shows them.
    pub async fn fields(&self, world: &World, like: &Value) -> Option<Value> {
        Some(part(&self.shown(world).await?, like))
    }

    /// Changes it in Harbor, as a user does.
    pub async fn drift(&self, world: &World) {
        let shown = self.shown(world).await.unwrap_or_else(|| panic!("{} has {:?}", self.list, self.key));
        let path = match self.drift.path.split_once('{') {
            Some((before, rest)) => {
                let (field, after) = rest.split_once('}').unwrap();
                let id = shown[field].as_str().map_or_else(|| shown[field].to_string(), str::to_owned);
                format!("{before}{id}{after}")
            }
            None => self.drift.path.to_owned(),
        };
        let body = match &self.drift.body {
            Sent::Fields(fields) => fields.clone(),
            Sent::Whole(changes) => {
                let mut whole = shown;
                json_patch::merge(&mut whole, changes);
                whole
            }
        };
        world.ask(self.drift.method, &path, body).await;
    }
}

/// The part of a value that has the fields of another one.
fn part(whole: &Value, like: &Value) -> Value {
    match like {
        Value::Object(fields) => {
            fields.iter().map(|(name, like)| (name.clone(), part(&whole[name], like))).collect()
        }
        _ => whole.clone(),
    }
}
