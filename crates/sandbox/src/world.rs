//! The state of the cluster that the stand-ins keep: all objects of their kinds, with their owners.

use crate::{
    behaviour::{Annotated, Behaviour},
    cert_manager::KeySource,
    dependents,
    kind::Kind,
};
use jiff::Timestamp;
use kube::{
    Client, ResourceExt as _,
    core::{DynamicObject, Selector, SelectorExt as _},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    net::Ipv4Addr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{sync::mpsc::UnboundedSender, time::Instant};

/// Longest chain of owners. It also ends a chain that is a cycle.
const GENERATIONS: usize = 8;

/// Identifies one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub kind: Kind,
    pub namespace: String,
    pub name: String,
}

impl Key {
    pub fn new(kind: Kind, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind, namespace: namespace.into(), name: name.into() }
    }

    pub fn of(kind: Kind, object: &DynamicObject) -> Self {
        Self::new(kind, object.namespace().unwrap_or_default(), object.name_any())
    }

    /// The controller of an object, if the stand-ins watch its kind.
    pub fn owner_of(object: &DynamicObject) -> Option<Self> {
        let owner = object.owner_references().iter().find(|owner| owner.controller == Some(true))?;
        let kind = Kind::named(&owner.api_version, &owner.kind)?;
        Some(Self::new(kind, object.namespace().unwrap_or_default(), owner.name.clone()))
    }
}

/// The last observed state of an object.
pub(crate) type Seen = Arc<DynamicObject>;

/// The state of the cluster, and the client to change it.
pub(crate) struct World {
    pub client: Client,
    /// The only namespace to act in; `None` for all.
    pub namespace: Option<String>,
    /// The kinds that exist without a definition.
    pub built_in: Vec<Kind>,
    behaviour: Behaviour,
    clock: fn() -> Timestamp,
    woken: UnboundedSender<Key>,
    /// Generates the keys of certificates. Locked while one is issued.
    pub keys: tokio::sync::Mutex<KeySource>,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    objects: BTreeMap<Key, Seen>,
    /// Children by the uid of their controller.
    children: HashMap<String, BTreeSet<Key>>,
    /// When some work on an object began, by uid and work.
    began: HashMap<(String, String), Instant>,
    /// Addresses that were assigned to objects in this run, by uid.
    promised: HashMap<String, Ipv4Addr>,
    /// The last write to an object, and the resulting version.
    written: HashMap<(Key, &'static str), (String, Value)>,
}

impl World {
    pub fn new(
        client: Client,
        namespace: Option<String>,
        built_in: Vec<Kind>,
        behaviour: Behaviour,
        clock: fn() -> Timestamp,
        keys: KeySource,
        woken: UnboundedSender<Key>,
    ) -> Self {
        Self {
            client,
            namespace,
            built_in,
            behaviour,
            clock,
            woken,
            keys: tokio::sync::Mutex::new(keys),
            known: Mutex::default(),
        }
    }

    /// The time that statuses and certificates show.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub fn get(&self, key: &Key) -> Option<Seen> {
        self.known().objects.get(key).cloned()
    }

    pub fn find(&self, kind: Kind, namespace: &str, name: &str) -> Option<Seen> {
        self.get(&Key::new(kind, namespace, name))
    }

    /// All objects of a kind in a namespace.
    pub fn list(&self, kind: Kind, namespace: &str) -> Vec<Seen> {
        let known = self.known();
        let from = known.objects.range(Key::new(kind, namespace, "")..);
        from.take_while(|(key, _)| key.kind == kind && key.namespace == namespace)
            .map(|(_, object)| Arc::clone(object))
            .collect()
    }

    /// All objects of a kind.
    pub fn everywhere(&self, kind: Kind) -> Vec<Seen> {
        let known = self.known();
        let from = known.objects.range(Key::new(kind, "", "")..);
        from.take_while(|(key, _)| key.kind == kind).map(|(_, object)| Arc::clone(object)).collect()
    }

    /// The objects of a kind that an object controls, ordered by name.
    pub fn children(&self, of: &DynamicObject, kind: Kind) -> Vec<Seen> {
        let known = self.known();
        let keys = known.children.get(of.metadata.uid.as_deref().unwrap_or_default());
        let keys = keys.into_iter().flatten().filter(|key| key.kind == kind);
        keys.filter_map(|key| known.objects.get(key).cloned()).collect()
    }

    /// The pods that a Service's selector matches.
    pub fn pods_of(&self, service: &DynamicObject) -> Vec<Seen> {
        let Some(labels) = service.data["spec"]["selector"].as_object().filter(|labels| !labels.is_empty())
        else {
            return Vec::new();
        };
        let selector: Selector = labels
            .iter()
            .map(|(name, value)| (name.clone(), value.as_str().unwrap_or_default().to_owned()))
            .collect();
        let mut pods = self.list(Kind::Pod, &service.namespace().unwrap_or_default());
        pods.retain(|pod| selector.matches(pod.labels()));
        pods
    }

    /// The behaviour of an object, from its annotations, then those of its owners, then the options of the sandbox.
    pub fn annotated(&self, object: &DynamicObject) -> Annotated {
        let mut annotations = vec![object.annotations().clone()];
        let mut owner = Key::owner_of(object).and_then(|key| self.get(&key));
        while let Some(next) = owner.take_if(|_| annotations.len() < GENERATIONS) {
            annotations.push(next.annotations().clone());
            owner = Key::owner_of(&next).and_then(|key| self.get(&key));
        }
        self.behaviour.annotated(annotations.iter())
    }

    /// How much of `delay` is left for some work on an object. The work begins with the first call.
    pub fn remaining(&self, object: &DynamicObject, work: &str, delay: Duration) -> Option<Duration> {
        let key = (object.uid().unwrap_or_default(), work.to_owned());
        let began = *self.known().began.entry(key).or_insert_with(Instant::now);
        delay.checked_sub(began.elapsed()).filter(|left| !left.is_zero())
    }

    /// The first address from `first` on that is neither taken nor assigned to another object.
    pub fn address_for(&self, object: &DynamicObject, first: Ipv4Addr, taken: &HashSet<String>) -> String {
        let uid = object.uid().unwrap_or_default();
        let mut known = self.known();
        if let Some(address) = known.promised.get(&uid) {
            return address.to_string();
        }
        let promised: HashSet<Ipv4Addr> = known.promised.values().copied().collect();
        let free = (u32::from(first)..=u32::MAX)
            .map(Ipv4Addr::from)
            .find(|address| !promised.contains(address) && !taken.contains(&address.to_string()));
        let address = free.unwrap_or(first);
        known.promised.insert(uid, address);
        address.to_string()
    }

    /// Stores the current state of an object, and wakes the stand-ins that depend on it.
    pub fn observe(&self, kind: Kind, object: DynamicObject) {
        let key = Key::of(kind, &object);
        let object = Arc::new(object);
        let mut known = self.known();
        if let Some(before) = known.objects.get(&key) {
            let older = version(&object).zip(version(before)).is_some_and(|(new, old)| new <= old);
            if older && before.uid() == object.uid() {
                return;
            }
            let before = Arc::clone(before);
            known.disown(&key, &before);
        }
        if let Some(owner) = controller(&object) {
            known.children.entry(owner).or_default().insert(key.clone());
        }
        known.objects.insert(key.clone(), Arc::clone(&object));
        drop(known);
        self.wake(key, &object);
    }

    /// Removes a deleted object, and wakes the stand-ins that depend on it.
    pub fn forget(&self, key: Key) {
        let mut known = self.known();
        let Some(object) = known.objects.remove(&key) else { return };
        known.disown(&key, &object);
        let uid = object.uid().unwrap_or_default();
        known.promised.remove(&uid);
        known.began.retain(|(of, _), _| *of != uid);
        known.written.retain(|(of, _), _| *of != key);
        drop(known);
        self.wake(key, &object);
    }

    /// Removes the objects of a kind that are not in a complete list.
    pub fn keep_only(&self, kind: Kind, listed: &BTreeSet<Key>) {
        let gone: Vec<Key> = {
            let known = self.known();
            let all = known.objects.range(Key::new(kind, "", "")..).take_while(|(key, _)| key.kind == kind);
            all.map(|(key, _)| key).filter(|key| !listed.contains(key)).cloned().collect()
        };
        for key in gone {
            self.forget(key);
        }
    }

    /// Whether this was the last write and the object has not changed since.
    pub(crate) fn already_written(
        &self,
        key: &Key,
        part: &'static str,
        now: &DynamicObject,
        what: &Value,
    ) -> bool {
        let known = self.known();
        let last = known.written.get(&(key.clone(), part));
        last.is_some_and(|(version, written)| {
            Some(version) == now.metadata.resource_version.as_ref() && written == what
        })
    }

    /// Records a write and the resulting version.
    pub(crate) fn note_written(&self, key: &Key, part: &'static str, result: &DynamicObject, what: Value) {
        let version = result.resource_version().unwrap_or_default();
        self.known().written.insert((key.clone(), part), (version, what));
    }

    fn wake(&self, key: Key, object: &DynamicObject) {
        let mut awake = BTreeSet::from_iter(dependents::of(self, key.kind, object));
        awake.extend(Key::owner_of(object));
        self.descendants(object, 0, &mut awake);
        awake.insert(key);
        for key in awake {
            // The receiver is dropped only when the sandbox is ending.
            let _ = self.woken.send(key);
        }
    }

    fn descendants(&self, of: &DynamicObject, depth: usize, into: &mut BTreeSet<Key>) {
        let children: Vec<(Key, Option<Seen>)> = {
            let known = self.known();
            let keys = known.children.get(of.metadata.uid.as_deref().unwrap_or_default());
            keys.into_iter().flatten().map(|key| (key.clone(), known.objects.get(key).cloned())).collect()
        };
        for (key, child) in children {
            if depth < GENERATIONS
                && into.insert(key)
                && let Some(child) = child
            {
                self.descendants(&child, depth + 1, into);
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn disown(&mut self, key: &Key, object: &DynamicObject) {
        let Some(owner) = controller(object) else { return };
        if let Some(children) = self.children.get_mut(&owner) {
            children.remove(key);
            if children.is_empty() {
                self.children.remove(&owner);
            }
        }
    }
}

fn controller(object: &DynamicObject) -> Option<String> {
    let owner = object.owner_references().iter().find(|owner| owner.controller == Some(true))?;
    Some(owner.uid.clone())
}

fn version(object: &DynamicObject) -> Option<u64> {
    object.metadata.resource_version.as_ref()?.parse().ok()
}
