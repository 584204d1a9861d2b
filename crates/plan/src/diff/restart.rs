//! Which pods a change replaces, and why, and how many it removes.

use super::{Change, ChangeType};
use crate::{Content, ContentDigests, ObjectKey};
use api::names::INPUTS_ANNOTATION;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Pods that a change replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restart {
    /// The workload they belong to.
    pub workload: ObjectKey,
    /// How many there are.
    pub pods: u64,
    /// Why the pods are replaced. Never contains a value of a Secret.
    pub reasons: Vec<String>,
}

/// The pods that these changes replace: those whose pod template differs afterwards.
pub fn restarts(changes: &[Change]) -> Vec<Restart> {
    let contents = |state: fn(&Change) -> Option<&Value>| -> ContentDigests {
        let content = |change: &Change| (change.key.clone(), state(change).map(Content::of));
        changes.iter().map(content).collect()
    };
    let (before, after) = (contents(Change::before), contents(Change::after));
    let restart = |change: &Change| {
        let (old, new) = (template(change.before()?)?, template(change.after()?)?);
        let pods = pods(change.before()?);
        if change.change_type() != ChangeType::Changed || old == new || pods == 0 {
            return None;
        }
        let mut reasons = Reasons::default();
        reasons.of_metadata(old, new);
        if digest(old) != digest(new) {
            let references = change.references()?;
            let used = references.changed_between(&before, &after);
            if used.is_empty() {
                reasons
                    .0
                    .push("what it uses of Secrets and ConfigMaps has changed since it was applied".into());
            }
            for (key, names) in used {
                reasons.0.push(format!("{} {} changes ({})", key.kind, key.name, names.join(", ")));
            }
        }
        reasons.of_pods(old, new);
        Some(Restart { workload: change.key.clone(), pods, reasons: reasons.0 })
    };
    changes.iter().filter_map(restart).collect()
}

/// How many pods go away without being replaced: those of deleted workloads, and those of workloads that get fewer. An
/// autoscaler decides on the number of pods that a workload does not state.
pub fn removed_pods(changes: &[Change]) -> u64 {
    let removed = |change: &Change| {
        let before = change.before().filter(|workload| template(workload).is_some()).map(pods)?;
        let after = change.after().map_or(0, |after| stated_pods(after).unwrap_or(before));
        Some(before.saturating_sub(after))
    };
    changes.iter().filter_map(removed).sum()
}

fn pods(workload: &Value) -> u64 {
    stated_pods(workload).unwrap_or(1)
}

fn stated_pods(workload: &Value) -> Option<u64> {
    workload.pointer("/spec/replicas").and_then(Value::as_u64)
}

fn template(workload: &Value) -> Option<&Value> {
    workload.pointer("/spec/template")
}

fn digest(template: &Value) -> Option<&Value> {
    template.pointer("/metadata/annotations")?.get(INPUTS_ANNOTATION)
}

#[derive(Default)]
struct Reasons(Vec<String>);

impl Reasons {
    fn of_metadata(&mut self, old: &Value, new: &Value) {
        for (field, called) in [("labels", "label"), ("annotations", "annotation")] {
            let [old, new] = [old, new].map(|template| template["metadata"].get(field));
            let names = differing(old, new);
            let names: Vec<_> = names.into_iter().filter(|name| *name != INPUTS_ANNOTATION).collect();
            if !names.is_empty() {
                self.0.push(format!("{called} {}", names.join(", ")));
            }
        }
    }

    fn of_pods(&mut self, old: &Value, new: &Value) {
        let [old, new] = [old, new].map(|template| template.get("spec"));
        for field in differing(old, new) {
            let [old, new] = [old, new].map(|pods| pods.and_then(|pods| pods.get(field)));
            match field {
                "containers" | "initContainers" => self.of_containers(old, new),
                field => self.0.push(format!("{field} changes")),
            }
        }
    }

    fn of_containers(&mut self, old: Option<&Value>, new: Option<&Value>) {
        let (old, new) = (by_name(old), by_name(new));
        let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
        for name in names {
            match (old.get(name), new.get(name)) {
                (Some(old), Some(new)) => self.of_container(name, old, new),
                (None, Some(_)) => self.0.push(format!("container {name} is added")),
                (_, None) => self.0.push(format!("container {name} is removed")),
            }
        }
    }

    fn of_container(&mut self, name: &str, old: &Value, new: &Value) {
        for field in differing(Some(old), Some(new)) {
            let [old, new] = [old, new].map(|container| container.get(field));
            self.0.push(match field {
                "image" => {
                    let [old, new] = [old, new].map(|it| it.and_then(Value::as_str).unwrap_or("none"));
                    format!("image {old} → {new}")
                }
                "env" => {
                    let (old, new) = (by_name(old), by_name(new));
                    let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
                    let names: Vec<_> =
                        names.into_iter().filter(|name| old.get(*name) != new.get(*name)).copied().collect();
                    format!("environment of {name}: {}", names.join(", "))
                }
                field => format!("{field} of {name} changes"),
            });
        }
    }
}

/// The names of the entries in which two maps differ.
fn differing<'a>(old: Option<&'a Value>, new: Option<&'a Value>) -> BTreeSet<&'a str> {
    let empty = Map::new();
    let fields = |value: Option<&'a Value>| value.and_then(Value::as_object);
    let (old, new) = (fields(old), fields(new));
    let names = old.into_iter().chain(new).flat_map(Map::keys).map(String::as_str);
    let (old, new) = (old.unwrap_or(&empty), new.unwrap_or(&empty));
    names.filter(|name| old.get(*name) != new.get(*name)).collect()
}

fn by_name(list: Option<&Value>) -> BTreeMap<&str, &Value> {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    items.filter_map(|item| Some((item.get("name")?.as_str()?, item))).collect()
}
