//! A system outside the cluster, in memory: depots that hold boxes.

use futures::{FutureExt as _, future::BoxFuture};
use plan::{Contents, External, ObjectKey, System, SystemError};
use runtime::{Answer, At, Collection, ExternalDriver};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// What a depot wants to see before it answers.
pub const TOKEN: &str = "open-sesame";

/// What depots do about requests.
#[derive(Clone, Debug, Default)]
pub enum Mood {
    /// They answer.
    #[default]
    Good,
    /// They fail all requests with this.
    Failing(SystemError),
    /// They answer reads and fail writes with this.
    ReadOnly(SystemError),
    /// They accept every write and store nothing.
    Deaf,
    /// Whenever a box is to be created, another program was faster.
    Overtaken,
}

pub type Around = Arc<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

type Boxes = BTreeMap<(String, String), Value>;

/// All depots, by their names.
#[derive(Default)]
pub struct Depots {
    boxes: Mutex<Boxes>,
    codes: Mutex<BTreeMap<String, Value>>,
    calls: Mutex<Vec<String>>,
    mood: Mutex<Mood>,
    /// Called before and after every request.
    pub around: Mutex<Option<Around>>,
}

impl Depots {
    pub fn set_mood(&self, mood: Mood) {
        *self.mood.lock().unwrap() = mood;
    }

    /// The requests since the last time this was asked.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }

    /// Stores a box, as another program does.
    pub fn put(&self, depot: &str, name: &str, value: Value) {
        self.boxes.lock().unwrap().insert((depot.into(), name.into()), value);
    }

    /// Removes a box, as another program does.
    pub fn remove(&self, depot: &str, name: &str) {
        self.boxes.lock().unwrap().remove(&(depot.into(), name.into()));
    }

    pub fn get(&self, depot: &str, name: &str) -> Option<Value> {
        self.boxes.lock().unwrap().get(&(depot.into(), name.into())).cloned()
    }

    /// The names of all boxes.
    pub fn names(&self) -> Vec<String> {
        self.boxes.lock().unwrap().keys().map(|(_, name)| name.clone()).collect()
    }

    /// The code of a box, which no request shows.
    pub fn code(&self, name: &str) -> Option<Value> {
        self.codes.lock().unwrap().get(name).cloned()
    }

    async fn request<T>(
        &self,
        at: At<'_>,
        call: String,
        work: impl FnOnce(&mut Boxes) -> Result<T, SystemError>,
    ) -> Result<T, SystemError> {
        self.pass().await;
        let is_write = !call.starts_with("list");
        self.calls.lock().unwrap().push(call);
        let mood = self.mood.lock().unwrap().clone();
        let answer = match mood {
            Mood::Failing(error) => Err(error),
            Mood::ReadOnly(error) if is_write => Err(error),
            _ if at.connection.value()["token"] != TOKEN => Err(SystemError::Forbidden {
                problem: "the token is not accepted".into(),
                remedy: "put the right one into the Secret".into(),
            }),
            _ => work(&mut self.boxes.lock().unwrap()),
        };
        self.pass().await;
        answer
    }

    async fn pass(&self) {
        let around = self.around.lock().unwrap().clone();
        if let Some(around) = around {
            around().await;
        }
    }

    fn is_deaf(&self) -> bool {
        matches!(*self.mood.lock().unwrap(), Mood::Deaf)
    }

    fn store(&self, wanted: &External, boxes: &mut Boxes, actual: Value) -> Value {
        if self.is_deaf() {
            return actual;
        }
        let mut stored = actual;
        for (field, value) in wanted.value.as_object().unwrap() {
            stored[field] = value.clone();
        }
        // As systems do.
        stored["label"] = stored["label"].as_str().unwrap_or_default().to_uppercase().into();
        if let Some(code) = wanted.write_only.get("code") {
            self.codes.lock().unwrap().insert(wanted.name.clone(), code.clone());
        }
        boxes.insert((wanted.system.name.clone(), wanted.name.clone()), stored.clone());
        stored
    }
}

impl ExternalDriver for Depots {
    fn kind(&self) -> &'static str {
        "depot"
    }

    fn describe(&self, system: &System) -> String {
        format!("the depot {}", system.name)
    }

    fn part<'a>(&self, _: &str, name: &'a str) -> Option<&'a str> {
        row(name)
    }

    fn list<'a>(
        &'a self,
        at: At<'a>,
        collection: Collection<'a>,
    ) -> BoxFuture<'a, Result<Answer, SystemError>> {
        assert_eq!(collection.name, "box");
        let list = move |boxes: &mut Boxes| {
            let is_here = |depot: &str, name: &str| depot == at.system.name && row(name) == collection.part;
            let here = boxes.iter().filter(|((depot, name), _)| is_here(depot, name));
            let objects = here.map(|((_, name), value)| (name.clone(), value.clone())).collect();
            Ok(Answer { objects, requests: 1 })
        };
        let row = collection.part.map(|row| format!(" row {row}")).unwrap_or_default();
        self.request(at, format!("list {}{row}", at.system.name), list).boxed()
    }

    fn create<'a>(&'a self, at: At<'a>, wanted: &'a External) -> BoxFuture<'a, Result<Value, SystemError>> {
        let create = |boxes: &mut Boxes| {
            let place = (at.system.name.clone(), wanted.name.clone());
            if matches!(*self.mood.lock().unwrap(), Mood::Overtaken) {
                boxes.insert(place.clone(), json!({"label": "THEIRS"}));
            }
            if boxes.contains_key(&place) {
                return Err(SystemError::Exists);
            }
            let number = boxes.len();
            Ok(self.store(wanted, boxes, json!({ "number": number })))
        };
        self.request(at, format!("create {}", wanted.name), create).boxed()
    }

    fn update<'a>(
        &'a self,
        at: At<'a>,
        wanted: &'a External,
        actual: &'a Value,
    ) -> BoxFuture<'a, Result<Value, SystemError>> {
        let update = |boxes: &mut Boxes| Ok(self.store(wanted, boxes, actual.clone()));
        self.request(at, format!("update {}", wanted.name), update).boxed()
    }

    fn delete<'a>(
        &'a self,
        at: At<'a>,
        object: &'a ObjectKey,
        _: &'a Value,
        _: Contents,
    ) -> BoxFuture<'a, Result<(), SystemError>> {
        let delete = |boxes: &mut Boxes| {
            let below = |value: &Value| value["on"] == *object.name;
            if let Some(((_, above), _)) = boxes.iter().find(|(_, value)| below(value)) {
                let problem = format!("the box {above} stands on it");
                return Err(SystemError::InUse { problem, remedy: "remove that one first".into() });
            }
            boxes.remove(&(at.system.name.clone(), object.name.clone()));
            Ok(())
        };
        self.request(at, format!("delete {}", object.name), delete).boxed()
    }
}

/// The row of a box, if its name has one.
fn row(name: &str) -> Option<&str> {
    name.split_once('/').map(|(row, _)| row)
}
