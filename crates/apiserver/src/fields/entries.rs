//! `metadata.managedFields`: which manager owns which fields, and since when.

use super::{compare::Comparison, element::path_text, failure::Conflict, set::FieldSet};
use crate::go;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, btree_map},
    fmt,
};

/// The maximum number of entries for updates. The oldest are merged.
const MOST_UPDATERS: usize = 10;

/// The owners of an object's fields.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Entries(BTreeMap<Owner, Entry>);

/// Identifies an owner.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    manager: String,
    operation: Operation,
    /// Empty for an apply: the owner is the same for all versions.
    api_version: String,
    subresource: String,
}

/// The operation through which an owner got its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Operation {
    Apply,
    Update,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub set: FieldSet,
    pub api_version: String,
    pub time: Option<String>,
}

impl Operation {
    fn text(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

impl Owner {
    pub fn new(manager: &str, operation: Operation, api_version: &str, subresource: &str) -> Self {
        let api_version = match operation {
            Operation::Apply => String::new(),
            Operation::Update => api_version.to_owned(),
        };
        let manager = if manager.is_empty() { "unknown" } else { manager };
        Self { manager: manager.to_owned(), operation, api_version, subresource: subresource.to_owned() }
    }
}

/// In the format of conflicts.
impl fmt::Display for Owner {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", go::quoted(&self.manager))?;
        if !self.subresource.is_empty() {
            write!(out, " with subresource {}", go::quoted(&self.subresource))?;
        }
        match self.operation {
            Operation::Apply => Ok(()),
            Operation::Update => write!(out, " using {}", self.api_version),
        }
    }
}

impl Entries {
    /// Parses `managedFields`, or returns why they are invalid.
    pub fn read(list: &Value) -> Result<Self, String> {
        let entries = match list {
            Value::Null => &[],
            Value::Array(entries) => entries.as_slice(),
            _ => return Err("managedFields must be a list".to_owned()),
        };
        entries
            .iter()
            .enumerate()
            .map(|(index, entry)| read_entry(index, entry))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The list, in the order of the API server; `None` if no field has an owner.
    pub fn list(&self) -> Option<Value> {
        let mut entries: Vec<(&Owner, &Entry)> = self.0.iter().collect();
        entries.sort_by(|(left, left_entry), (right, right_entry)| {
            (left.operation, &left_entry.time, &left.manager, &left_entry.api_version, &left.subresource).cmp(
                &(
                    right.operation,
                    &right_entry.time,
                    &right.manager,
                    &right_entry.api_version,
                    &right.subresource,
                ),
            )
        });
        let list: Vec<Value> = entries.into_iter().map(|(owner, entry)| entry_json(owner, entry)).collect();
        (!list.is_empty()).then_some(Value::Array(list))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, owner: &Owner) -> Option<&Entry> {
        self.0.get(owner)
    }

    pub fn set(&mut self, owner: Owner, entry: Entry) {
        if entry.set.is_empty() {
            self.0.remove(&owner);
        } else {
            self.0.insert(owner, entry);
        }
    }

    /// All fields that other owners have.
    pub fn owned_by_others(&self, owner: &Owner) -> FieldSet {
        let others = self.0.iter().filter(|(other, _)| *other != owner);
        others.fold(FieldSet::default(), |all, (_, entry)| all.union(&entry.set))
    }

    /// The fields of other owners that a write changes.
    pub fn conflicts(&self, writer: &Owner, written: &FieldSet) -> Vec<Conflict> {
        self.0
            .iter()
            .filter(|(owner, _)| *owner != writer)
            .flat_map(|(owner, entry)| {
                entry.set.intersection(written).paths().into_iter().map(|path| Conflict {
                    manager: owner.to_string(),
                    field: path_text(&path),
                    path,
                })
            })
            .collect()
    }

    /// Removes the fields that a write changed or removed from all owners but `except`.
    pub fn disown(&mut self, except: Option<&Owner>, comparison: &Comparison) {
        let gone = comparison.written().union(&comparison.removed);
        for (_, entry) in self.0.iter_mut().filter(|(owner, _)| Some(*owner) != except) {
            entry.set = entry.set.difference(&gone);
        }
        self.0.retain(|_, entry| !entry.set.is_empty());
    }

    /// Adds the fields that an updater wrote to those that it had.
    pub fn credit(&mut self, owner: Owner, set: FieldSet, now: &str) {
        if set.is_empty() {
            return;
        }
        let entry = Entry { set, api_version: owner.api_version.clone(), time: Some(now.to_owned()) };
        match self.0.entry(owner) {
            btree_map::Entry::Vacant(place) => {
                place.insert(entry);
            }
            btree_map::Entry::Occupied(mut place) => {
                let former = std::mem::take(&mut place.get_mut().set);
                let set = former.union(&entry.set);
                place.insert(Entry { set, ..entry });
            }
        }
    }

    /// Merges the oldest updates, by version, until the number is within the limit.
    pub fn cap(&mut self) {
        let mut updaters: Vec<(Option<String>, Owner)> = self
            .0
            .iter()
            .filter(|(owner, _)| owner.operation == Operation::Update)
            .map(|(owner, entry)| (entry.time.clone(), owner.clone()))
            .collect();
        updaters.sort();
        let mut surplus = updaters.len().saturating_sub(MOST_UPDATERS);
        let mut first_of_version: BTreeMap<String, Owner> = BTreeMap::new();
        for (time, owner) in updaters {
            if surplus == 0 {
                return;
            }
            let Some(first) = first_of_version.get(&owner.api_version) else {
                first_of_version.insert(owner.api_version.clone(), owner);
                continue;
            };
            let bucket = Owner::new("ancient-changes", Operation::Update, &owner.api_version, "");
            if !self.0.contains_key(&bucket)
                && let Some(entry) = self.0.remove(first)
            {
                self.0.insert(bucket.clone(), entry);
            }
            if let Some(merged) = self.0.remove(&owner)
                && let Some(entry) = self.0.get_mut(&bucket)
            {
                entry.set = merged.set.union(&entry.set);
                entry.time = time;
            }
            surplus -= 1;
        }
    }
}

fn read_entry(index: usize, json: &Value) -> Result<(Owner, Entry), String> {
    let text = |name: &str| match json.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text.as_str()),
        Some(_) => Err(format!("{name} of managed fields entry {index} must be a string")),
    };
    let operation = match text("operation")? {
        "Apply" => Operation::Apply,
        "Update" => Operation::Update,
        _ => return Err("operation must be `Apply` or `Update`".to_owned()),
    };
    let api_version = text("apiVersion")?;
    if api_version.is_empty() {
        return Err("apiVersion must not be empty".to_owned());
    }
    match text("fieldsType")? {
        "FieldsV1" => {}
        "" => return Err(format!("missing fieldsType in managed fields entry {index}")),
        other => {
            return Err(format!("invalid fieldsType {} in managed fields entry {index}", go::quoted(other)));
        }
    }
    let set = json.get("fieldsV1").map_or_else(|| Ok(FieldSet::default()), FieldSet::from_json)?;
    let time = Some(text("time")?.to_owned()).filter(|time| !time.is_empty());
    let owner = Owner {
        manager: text("manager")?.to_owned(),
        operation,
        api_version: if operation == Operation::Apply { String::new() } else { api_version.to_owned() },
        subresource: text("subresource")?.to_owned(),
    };
    Ok((owner, Entry { set, api_version: api_version.to_owned(), time }))
}

fn entry_json(owner: &Owner, entry: &Entry) -> Value {
    let mut json = Map::new();
    let mut put = |name: &str, text: &str| {
        if !text.is_empty() {
            json.insert(name.to_owned(), text.into());
        }
    };
    put("manager", &owner.manager);
    put("operation", owner.operation.text());
    put("apiVersion", &entry.api_version);
    put("time", entry.time.as_deref().unwrap_or_default());
    put("fieldsType", "FieldsV1");
    put("subresource", &owner.subresource);
    json.insert("fieldsV1".to_owned(), entry.set.to_json());
    Value::Object(json)
}
