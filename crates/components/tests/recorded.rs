//! Objects that an earlier version of the operator wrote are left alone by this one: an upgrade of the operator restarts no
//! pod.
//!
//! `tests/recorded/<version>-<case>.jsonl` holds everything in a namespace with a Harbor that was ready, as the API server
//! stored it, with managed fields: one object on a line. Files are added and never changed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken fixture fails the test")]

use api::names::FIELD_MANAGER_PREFIX;
use jiff::Timestamp;
use kube::{ResourceExt as _, core::DynamicObject};
use plan::{
    Action, ComponentKind, Content, Defaults, DigestKey, Gate, Health, Known, ObjectKey, Observed,
    ObservedObject, Plan, Planned, Policy, References, Resolver, Snapshot, applied_digest, desired_digest,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

type Objects = BTreeMap<ObjectKey, Arc<DynamicObject>>;

fn recordings() -> Vec<(String, Objects)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded");
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let objects = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str::<DynamicObject>(line).unwrap()).map(keyed).collect()
    };
    files
        .iter()
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), objects(path)))
        .collect()
}

fn keyed(object: DynamicObject) -> (ObjectKey, Arc<DynamicObject>) {
    let types = object.types.as_ref().unwrap();
    let group = types.api_version.split_once('/').map_or("", |(group, _)| group);
    let key = ObjectKey::new(group, &types.kind, &object.namespace().unwrap(), &object.name_any());
    (key, Arc::new(object))
}

fn plan(component: &ComponentKind, owner: &DynamicObject, objects: &Objects) -> Plan {
    let owner = component.decode(serde_json::to_value(owner).unwrap()).unwrap();
    let mut snapshot = Snapshot::new();
    loop {
        match owner.plan(&snapshot, &Defaults::default()) {
            Planned::Done(plan) => return plan,
            Planned::Failed { error, .. } => panic!("{error}"),
            Planned::Needs(keys) => snapshot.extend(keys.into_iter().map(|key| {
                let found = if key.is_kind() { Some(plan::served()) } else { objects.get(&key).cloned() };
                (key, found)
            })),
        }
    }
}

#[test]
fn what_an_earlier_version_wrote_is_left_alone() {
    for (file, objects) in recordings() {
        let mut unchanged = 0;
        for component in components::all() {
            for (owner, stored) in objects.iter().filter(|(key, _)| component.is(&key.group, &key.kind)) {
                let plan = plan(&component, stored, &objects);
                let predecessors = BTreeSet::default();
                let resolver = Resolver {
                    owner,
                    uid: stored.metadata.uid.as_deref().unwrap(),
                    predecessors: &predecessors,
                    now: Timestamp::UNIX_EPOCH,
                };
                for (_, desired, _) in plan.graph.iter() {
                    let key = desired.object.key();
                    let Some(child) = objects.get(&key) else { continue };
                    let mut json = desired.object.to_json().unwrap();
                    if let Some(pods) = desired.object.pod_template() {
                        let references = References::of(&key.namespace, pods);
                        let content = |key: &ObjectKey| {
                            Some(Content::of(&serde_json::to_value(&**objects.get(key)?).unwrap()))
                        };
                        let contents = references.keys().map(|key| (key.clone(), content(key))).collect();
                        let digest = references.digest(&DigestKey::PLACEHOLDER, &key, &contents).unwrap();
                        plan::stamp(&mut json, digest.to_string());
                    }
                    let digest = desired_digest(&json, &component.field_manager());
                    let resource = desired.object.child_kind().resource;
                    let seen = ObservedObject::of(&resource, &child.metadata, Health::READY, &predecessors);
                    let seen = seen.unwrap().with_applied(child, &resource).observation;
                    let known = Known { applied: None, digest };
                    let action = resolver.resolve(desired, Observed::Watched(&seen), Gate::<()>::OPEN, known);
                    match desired.policy {
                        Policy::Apply => {
                            assert_eq!(applied_digest(child, &resource.api_version), digest, "{file}: {key}");
                            assert_eq!(action, Action::Nothing, "{file}: {key}");
                            unchanged += 1;
                        }
                        Policy::CreateOnce { .. } => assert_eq!(action, Action::Nothing, "{file}: {key}"),
                        // Certificates are compared by what they hold, and others make what is awaited.
                        Policy::Issue(_) | Policy::Await { .. } | Policy::External(_) => {}
                    }
                }
            }
        }
        let applied = |object: &Arc<DynamicObject>| {
            let managers = object.metadata.managed_fields.iter().flatten();
            managers.filter(|entry| entry.subresource.is_none()).any(|entry| {
                entry.operation.as_deref() == Some("Apply")
                    && entry
                        .manager
                        .as_deref()
                        .is_some_and(|manager| manager.starts_with(FIELD_MANAGER_PREFIX))
            })
        };
        let recorded = objects.values().filter(|object| applied(object)).count();
        assert!(
            unchanged * 10 >= recorded * 8,
            "{file}: only {unchanged} of {recorded} objects were compared"
        );
    }
}
