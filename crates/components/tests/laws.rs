//! What holds for every component, in every golden case.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a broken fixture fails the test")]

#[allow(dead_code, reason = "shared with the unit tests")]
mod cases;

use cases::{AnyCase, key};
use components::{core::Core, harbor::Harbor, harborcluster::HarborCluster, namespace::Namespace};
use k8s_openapi::{ByteString, api::core::v1::PodTemplateSpec};
use plan::{
    Component as _, ComponentKind, Defaults, Desired, Edge, ManagedBy, ObjectKey, Placement, Planned, Policy,
    References, Snapshot,
};
use serde_json::Value;
use std::collections::BTreeSet;

/// Shows a law every case of every component, and what it may say of each.
fn for_every_case(mut law: impl Law) {
    for component in components::with_optional() {
        let mut rendered = BTreeSet::new();
        for (directory, case) in AnyCase::all(&component) {
            let name = directory.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
            law.case(&name, &case);
            rendered.extend(case.children().iter().map(|child| child["kind"].to_string()));
        }
        law.component(&component, &rendered);
    }
}

trait Law {
    fn case(&mut self, name: &str, case: &AnyCase);

    fn component(&mut self, _component: &ComponentKind, _rendered: &BTreeSet<String>) {}
}

#[test]
fn children_lists_every_kind_that_is_rendered_and_no_other() {
    struct Listed;

    impl Law for Listed {
        fn case(&mut self, name: &str, case: &AnyCase) {
            for (_, desired, _) in case.plan().unwrap().graph.iter() {
                assert!(
                    case.component.children.contains(&*desired.object),
                    "{name}: {:?}",
                    desired.object.key()
                );
            }
        }

        fn component(&mut self, component: &ComponentKind, rendered: &BTreeSet<String>) {
            // Cluster-wide objects are only read.
            let kinds = component.children.iter().filter(|kind| kind.placement == Placement::Namespaced);
            let missing: Vec<_> = kinds
                .map(|kind| format!("{:?}", kind.resource.kind))
                .filter(|kind| !rendered.contains(kind))
                .collect();
            assert!(
                missing.is_empty(),
                "no golden case of {} shows a {}",
                component.name,
                missing.join(", ")
            );
        }
    }

    for_every_case(Listed);
}

#[test]
fn what_is_not_only_awaited_is_a_kind_that_may_be_written() {
    struct Written;

    impl Law for Written {
        fn case(&mut self, name: &str, case: &AnyCase) {
            let kinds = &case.component.children;
            let plan = case.plan().unwrap();
            let inside = plan.graph.iter().filter(|(_, desired, _)| desired.object.key().system().is_none());
            for (_, desired, _) in inside {
                let resource = desired.object.child_kind().resource;
                let kind = kinds.iter().find(|kind| kind.resource == resource).unwrap();
                let is_permitted = match desired.policy {
                    Policy::Await { .. } => true,
                    Policy::Amend { .. } => kind.managed_by >= ManagedBy::Amended,
                    _ => kind.managed_by == ManagedBy::Operator,
                };
                assert!(is_permitted, "{name}: {:?}", desired.object.key());
            }
        }
    }

    for_every_case(Written);
}

#[test]
fn two_passes_are_enough_to_read_everything_but_what_only_what_was_read_can_name() {
    struct TwoPasses;

    impl Law for TwoPasses {
        fn case(&mut self, name: &str, case: &AnyCase) {
            // What is known of a Harbor decides what else is asked for.
            if case.component.children.live_outside() {
                return;
            }
            let all = case.plan().unwrap().reads;
            let owner = case.component.decode(case.owner.clone()).unwrap();
            let first = match owner.plan(&Snapshot::new(), &Defaults::default()) {
                Planned::Needs(first) => first.keys,
                Planned::Done(_) => BTreeSet::new(),
                Planned::Failed { error, .. } => panic!("{name}: {error}"),
            };
            let specs: Vec<Value> = case
                .inputs
                .iter()
                .filter(|input| first.contains(&key(input)))
                .map(|input| input["spec"].clone())
                .collect();
            // What a definition allows, and what the old operator left behind, is asked for the sake of what turns out not
            // to exist yet, and only then.
            let only_then = |later: &&ObjectKey| later.is_definition() || later.kind == "Core";
            // Only the record of a database says that its schema changes. What decides whether the change may begin has a
            // status, and is read then only: otherwise each change of a status would trigger planning all the time.
            let changes_schema = case.inputs.iter().any(|input| key(input).name.ends_with("-core-database"));
            let children = &case.component.children;
            let owner_name = case.owner["metadata"]["name"].as_str().unwrap();
            let of_upgrade = |later: &&ObjectKey| {
                let is_child = children.iter().any(|child| child.resource.kind == later.kind);
                let is_part = later.group == "goharbor.io" && later.name == format!("{owner_name}-harbor");
                // Harbor waits for the pods of its Core, and Core for those of its own.
                let core = match case.component.name {
                    Core::NAME => Some(format!("{owner_name}-core")),
                    Harbor::NAME => Some(format!("{owner_name}-harbor-core")),
                    _ => None,
                };
                let migrates = ["Pod", "Deployment"].contains(&later.kind.as_str())
                    && core.is_some_and(|core| {
                        later.name == core || later.name.starts_with(&format!("{core}-migrate-"))
                    });
                let backs_up = later.kind == "Job";
                changes_schema && is_child && (is_part || migrates || backs_up)
            };
            let expected = |later: &&ObjectKey| !only_then(later) && !of_upgrade(later);
            for later in all.difference(&first).filter(expected) {
                let named = specs.iter().any(|spec| names(spec, &later.name));
                assert!(named, "{name}: {later} could have been asked for at once");
            }
        }
    }

    for_every_case(TwoPasses);
}

/// Whether a value holds this text.
fn names(value: &Value, text: &str) -> bool {
    match value {
        Value::String(found) => found == text,
        Value::Array(items) => items.iter().any(|item| names(item, text)),
        Value::Object(fields) => fields.values().any(|field| names(field, text)),
        _ => false,
    }
}

/// The keys of Secrets that hold no secrets.
const PUBLIC: [&str; 6] = ["ca.crt", "tls.crt", "accessKey", "completed", "migrated-by", "migrating-to"];

#[test]
fn b13_no_value_of_a_secret_that_was_read_is_anywhere_but_in_a_secret() {
    struct Secrecy;

    impl Law for Secrecy {
        fn case(&mut self, name: &str, case: &AnyCase) {
            let values: Vec<String> = case
                .inputs
                .iter()
                .filter(|input| input["kind"] == "Secret")
                .flat_map(|secret| secret["data"].as_object().into_iter().flatten())
                // What is public by nature may be anywhere, and the name of a user and the version that Harbor shows.
                .filter(|(key, _)| !PUBLIC.contains(&key.as_str()))
                .map(|(_, value)| value.as_str().unwrap().to_owned())
                .filter(|value| value.len() >= 8)
                .collect();
            for child in case.children().iter().filter(|child| child["kind"] != "Secret") {
                let text = child.to_string();
                for value in &values {
                    let bytes: ByteString = serde_json::from_value(value.clone().into()).unwrap();
                    let plain = String::from_utf8_lossy(&bytes.0).into_owned();
                    let leaked = text.contains(value) || text.contains(&plain);
                    assert!(!leaked, "{name}: {} holds {plain:?}", child["kind"]);
                }
            }
        }
    }

    for_every_case(Secrecy);
}

fn pods(case: &[Value]) -> impl Iterator<Item = (&Value, PodTemplateSpec)> {
    // The template of a Job is that of a user.
    case.iter().filter(|child| child["kind"] != "Job").filter_map(|child| {
        let template = child.pointer("/spec/template")?;
        Some((child, serde_json::from_value(template.clone()).unwrap()))
    })
}

#[test]
fn pods_meet_the_restricted_standard_and_know_no_other_services() {
    struct Restricted;

    impl Law for Restricted {
        fn case(&mut self, name: &str, case: &AnyCase) {
            let children = case.children();
            let of_workloads = pods(&children).map(|(child, template)| (child, template.spec.unwrap()));
            let tasks = children.iter().filter(|child| child["kind"] == "Pod");
            let tasks = tasks.map(|child| (child, serde_json::from_value(child["spec"].clone()).unwrap()));
            for (child, pod) in of_workloads.chain(tasks) {
                let name = format!("{name}: {}", child["metadata"]["name"]);
                let context = pod.security_context.unwrap();
                assert_eq!(context.run_as_non_root, Some(true), "{name}");
                assert_eq!(context.seccomp_profile.unwrap().type_, "RuntimeDefault", "{name}");
                assert_eq!(pod.automount_service_account_token, Some(false), "{name}");
                assert_eq!(pod.enable_service_links, Some(false), "{name}");
                for container in pod.init_containers.iter().flatten().chain(&pod.containers) {
                    let context = container.security_context.as_ref().unwrap();
                    assert_eq!(context.allow_privilege_escalation, Some(false), "{name}");
                    let dropped = context.capabilities.as_ref().unwrap().drop.as_ref().unwrap();
                    assert_eq!(dropped, &["ALL"], "{name}");
                }
            }
        }
    }

    for_every_case(Restricted);
}

#[test]
fn every_container_has_probes_and_each_variable_once() {
    struct Containers;

    impl Law for Containers {
        fn case(&mut self, name: &str, case: &AnyCase) {
            for (_, template) in pods(&case.children()) {
                for container in template.spec.unwrap().containers {
                    let name = format!("{name}: {}", container.name);
                    assert!(container.readiness_probe.is_some(), "{name} has no readiness probe");
                    assert!(container.liveness_probe.is_some(), "{name} has no liveness probe");
                    let names: Vec<_> = container.env.iter().flatten().map(|it| it.name.clone()).collect();
                    let distinct: BTreeSet<_> = names.iter().collect();
                    assert_eq!(names.len(), distinct.len(), "{name}: {names:?}");
                    let paths: Vec<_> =
                        container.volume_mounts.iter().flatten().map(|it| it.mount_path.clone()).collect();
                    let distinct: BTreeSet<_> = paths.iter().collect();
                    assert_eq!(paths.len(), distinct.len(), "{name}: {paths:?}");
                }
            }
        }
    }

    for_every_case(Containers);
}

#[test]
fn what_pods_use_was_read_or_is_made_before_them() {
    struct Used;

    impl Law for Used {
        fn case(&mut self, name: &str, case: &AnyCase) {
            let plan = case.plan().unwrap();
            let mut known: BTreeSet<ObjectKey> = plan.reads.clone();
            for (_, _, after) in plan.graph.iter() {
                known.extend(after.iter().map(|id| made(&plan.graph[*id])));
            }
            for (_, desired, _) in plan.graph.iter() {
                let Some(template) = desired.object.pod_template() else { continue };
                let references = References::of(&desired.object.key().namespace, template);
                for key in references.keys() {
                    assert!(
                        known.contains(key),
                        "{name}: {key} is used by pods, but the plan did not read it"
                    );
                }
            }
        }
    }

    for_every_case(Used);
}

#[test]
fn pods_wait_for_all_settings_beside_them_and_nothing_else_waits() {
    struct Waits;

    impl Law for Waits {
        fn case(&mut self, name: &str, case: &AnyCase) {
            // These have dependencies of their own, which their tests check.
            let has_its_own = case.component.children.live_outside();
            if has_its_own
                || [Harbor::NAME, HarborCluster::NAME, Namespace::NAME].contains(&case.component.name)
            {
                return;
            }
            let plan = case.plan().unwrap();
            // No pod reads the record of a database.
            let is_record = |desired: &Desired| desired.object.key().name.ends_with("-core-database");
            let settings = |desired: &Desired| {
                matches!(&*desired.object.key().kind, "ConfigMap" | "Secret") && !is_record(desired)
            };
            // What is written down about pods comes after them.
            let confirms = |id| plan.graph.edges(id).any(|(_, edges)| edges.contains(Edge::Confirms));
            let beside = plan.graph.iter().filter(|(id, desired, _)| settings(desired) && !confirms(*id));
            let beside: Vec<_> = beside.map(|(id, ..)| id).collect();
            for (id, desired, after) in plan.graph.iter().filter(|(id, ..)| !confirms(*id)) {
                let key = desired.object.key();
                let mut expected =
                    if desired.object.pod_template().is_some() { beside.clone() } else { Vec::new() };
                if key.kind == "Pod" {
                    // The pod that migrates a database uses no file of Core's.
                    let secrets = plan.graph.iter().filter(|(id, ..)| beside.contains(id));
                    expected.extend(
                        secrets.filter(|(_, it, _)| it.object.key().kind == "Secret").map(|(id, ..)| id),
                    );
                }
                assert_eq!(after, expected, "{name}: {key} ({id})");
            }
        }
    }

    for_every_case(Waits);
}

#[test]
fn b02_another_number_of_pods_restarts_none() {
    struct Restarted;

    impl Law for Restarted {
        fn case(&mut self, name: &str, case: &AnyCase) {
            // An autoscaler that chooses the number, and the number itself, are all that may differ.
            let others = |case: &AnyCase| -> Vec<Value> {
                let mut children = case.children();
                children.retain(|child| child["kind"] != "HorizontalPodAutoscaler");
                for deployment in children.iter_mut().filter(|child| child["kind"] == "Deployment") {
                    // The operator only waits for what others create.
                    deployment["spec"].as_object_mut().map(|spec| spec.remove("replicas"));
                }
                children
            };
            let scaled = case.clone().set("/spec/autoscaling", Value::Null).set("/spec/replicas", 1.into());
            assert_eq!(others(&scaled), others(case), "{name}");
        }
    }

    for_every_case(Restarted);
}

#[test]
fn b34_no_child_is_wanted_twice() {
    struct Twice;

    impl Law for Twice {
        fn case(&mut self, name: &str, case: &AnyCase) {
            let plan = case.plan().unwrap();
            let mut keys = BTreeSet::new();
            for (_, desired, _) in plan.graph.iter() {
                let key = desired.object.key();
                assert!(keys.insert(key.clone()), "{name}: {key}");
            }
        }
    }

    for_every_case(Twice);
}

/// What there is once an object is ready: for a certificate, the Secret that comes of it.
fn made(desired: &Desired) -> ObjectKey {
    let key = desired.object.key();
    match desired.object.to_json().unwrap()["spec"]["secretName"].as_str() {
        Some(secret) if key.kind == "Certificate" => ObjectKey::new("", "Secret", &key.namespace, secret),
        _ => key,
    }
}

/// Every text below a value: its path as messages name it, its pointer, and the text.
fn texts(value: &Value, path: &str, pointer: &str, found: &mut Vec<(String, String, String)>) {
    match value {
        Value::String(text) => found.push((path.to_owned(), pointer.to_owned(), text.clone())),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                texts(item, &format!("{path}[{index}]"), &format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let escaped = name.replace('~', "~0").replace('/', "~1");
                texts(field, &format!("{path}.{name}"), &format!("{pointer}/{escaped}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn a_path_in_the_place_of_any_name_is_reported_with_its_field_and_never_read() {
    const PATH: &str = "../../victim/secrets/creds";

    struct Misnamed(usize);

    impl Law for &mut Misnamed {
        fn case(&mut self, name: &str, case: &AnyCase) {
            let plan = case.plan().unwrap();
            let mut named: BTreeSet<_> = plan.reads.iter().map(|key| key.name.clone()).collect();
            for (_, template) in pods(&case.children()) {
                named.extend(References::of("", &template).keys().map(|key| key.name.clone()));
            }
            let owner = &case.owner;
            let mut found = Vec::new();
            texts(&owner["spec"], "spec", "/spec", &mut found);
            for (path, pointer, _) in found.iter().filter(|(_, _, text)| named.contains(text)) {
                let mut owner = owner.clone();
                *owner.pointer_mut(pointer).unwrap() = PATH.into();
                if case.component.decode(owner.clone()).is_err() {
                    continue;
                }
                let changed = AnyCase { owner, ..case.clone() };
                match changed.plan() {
                    Ok(plan) => {
                        // What lives inside a Harbor may have any name; clients of Harbor escape it.
                        let mut inside = plan.reads.iter().filter(|key| key.system().is_none());
                        let sane = inside.all(|key| !key.name.contains('/'));
                        assert!(sane, "{name}: {path} is looked up: {:?}", plan.reads);
                        assert!(!path.ends_with("Ref"), "{name}: {path} is not refused");
                    }
                    Err(error) => {
                        let reported = error.to_string();
                        // What only happens to be called as something that is read may be refused in other words.
                        assert!(reported.contains(&format!("{path}: ")), "{name}: {path}: {reported}");
                        self.0 += usize::from(
                            reported.contains(&format!("{path}: {PATH:?} cannot be the name of a ")),
                        );
                    }
                }
            }
        }
    }

    let mut misnamed = Misnamed(0);
    for_every_case(&mut misnamed);
    assert!(misnamed.0 > 100, "tried only {} names", misnamed.0);
}
