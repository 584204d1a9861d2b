//! What this version plans for the recorded owners, compared with what was recorded.

use crate::recording::{Recording, recorded_at, recordings};
use plan::{
    Action, Apply, ComponentKind, Content, Defaults, Desired, Gate, Known, ObjectKey, Observed, Plan, Policy,
    References, Resolver, Snapshot, applied_digest, desired_digest,
};
use std::collections::BTreeSet;

/// Calls `check` with every recorded owner and its plan.
fn for_each_owner(check: impl Fn(&Recording, &ComponentKind, &ObjectKey, &Plan)) {
    let components = components::all();
    for recording in recordings() {
        let owners = recording.objects.keys().filter_map(|key| {
            let component = components.iter().find(|it| it.is(&key.group, &key.kind))?;
            Some((component, key))
        });
        let mut kinds = BTreeSet::new();
        for (component, owner) in owners {
            kinds.insert(component.name);
            check(&recording, component, owner, &plan(&recording, component, owner));
        }
        assert!(kinds.contains("core") && kinds.contains("harbor"), "{}: {kinds:?}", recording.file);
    }
}

fn plan(recording: &Recording, component: &ComponentKind, owner: &ObjectKey) -> Plan {
    let owner = serde_json::to_value(&*recording.objects[owner]).unwrap();
    let owner = component.decode(owner).unwrap();
    let pass = |snapshot: &Snapshot| owner.plan(snapshot, &Defaults::default());
    let read = |key: ObjectKey| {
        let found = if key.is_kind() { Some(plan::served()) } else { recording.objects.get(&key).cloned() };
        (key, found)
    };
    let planned =
        plan::until_planned(Snapshot::new(), pass, |needed| needed.keys.into_iter().map(read).collect());
    planned.unwrap_or_else(|error| panic!("{}: {error}", recording.file))
}

#[test]
fn exactly_what_an_earlier_version_created_is_wanted() {
    for_each_owner(|recording, _, owner, plan| {
        let nodes = plan.graph.iter().map(|(_, desired, _)| desired);
        // Another program creates what is awaited.
        let ours = nodes.filter(|desired| !matches!(desired.policy, Policy::Await { .. }));
        let planned: BTreeSet<_> = ours.map(|desired| desired.object.key()).collect();
        let recorded: BTreeSet<_> = recording.children(owner).into_iter().map(|it| it.key).collect();
        assert_eq!(planned, recorded, "{}: {owner}", recording.file);
    });
}

#[test]
fn nothing_that_an_earlier_version_created_is_deleted() {
    for_each_owner(|recording, _, owner, plan| {
        let keys: Vec<_> = plan.graph.iter().map(|(_, desired, _)| desired.object.key()).collect();
        let unwanted = plan::unwanted(
            recording.children(owner),
            &owner.namespace,
            &keys.iter().collect(),
            &BTreeSet::new(),
        );
        assert_eq!(unwanted, plan::Unwanted::default(), "{}: {owner}", recording.file);
    });
}

/// Certificates are compared by what they hold, when an operator runs; see [`crate::running`].
#[test]
fn nothing_is_sent_for_what_an_earlier_version_created() {
    for_each_owner(|recording, component, owner, plan| {
        let uid = recording.objects[owner].metadata.uid.as_deref().unwrap();
        let predecessors = BTreeSet::default();
        let resolver = Resolver { owner, uid, predecessors: &predecessors, now: recorded_at() };
        for (_, desired, _) in plan.graph.iter() {
            let key = desired.object.key();
            if matches!(desired.policy, Policy::Issue(_) | Policy::Await { .. }) {
                continue;
            }
            let digest = digest(recording, component, desired);
            let seen = recording.observed(&key).observation;
            let known = Known { digest, ..Known::default() };
            let action = resolver.resolve(desired, Observed::Watched(&seen), Gate::<()>::OPEN, known);
            if EXTENDED.contains(&key.to_string().as_str()) {
                assert_eq!(action, Action::Apply(Apply::Child), "{}: {key}", recording.file);
                continue;
            }
            assert_eq!(action, Action::Nothing, "{}: {key}", recording.file);
            if desired.policy == Policy::Apply {
                let api_version = desired.object.child_kind().resource.api_version;
                let applied = applied_digest(&recording.objects[&key], &api_version);
                assert_eq!(applied, digest, "{}: {key}", recording.file);
            }
        }
    });
}

/// The Secrets of Core's environment, which keep the administrator's password of the first start, and the records of its
/// database, which get the fingerprint of what Core reaches the database with.
const EXTENDED: [&str; 4] = [
    "Secret registry/acme-harbor-core",
    "Secret registry/acme-harbor-core-database",
    "Secret registry/acme-harbor-harbor-core",
    "Secret registry/acme-harbor-harbor-core-database",
];

/// The digest of what this version would apply.
fn digest(recording: &Recording, component: &ComponentKind, desired: &Desired) -> Option<plan::Digest> {
    let key = desired.object.key();
    let mut json = desired.object.to_json().unwrap();
    if let Some(pods) = desired.object.pod_template() {
        let references = References::of(&key.namespace, pods);
        let content = |key: &ObjectKey| {
            let object = recording.objects.get(key)?;
            Some(Content::of(&serde_json::to_value(&**object).unwrap()))
        };
        let contents = references.keys().map(|key| (key.clone(), content(key))).collect();
        let contents = desired.counted.in_place(contents);
        let digest = references.digest(&recording.digest_key(), &key, &contents).unwrap();
        plan::stamp(&mut json, digest.to_string());
    }
    desired_digest(&json, &component.field_manager())
}
