//! The migration of the database, when the schema changes.

use super::{Case, Core, a_core};
use crate::cases::base64;
use plan::{Absence, Policy};
use serde_json::{Value, json};

/// A Core of this version whose database another version has used. `attempt` is the entry of the record that allows an
/// attempt to migrate it, and the value of the entry.
pub(super) fn upgrading(from: &str, to: &str, attempt: Option<(&str, &str)>) -> Case<Core> {
    let mut case = a_core().annotated("harbor.goharbor.io/version", to);
    let mut record =
        case.children().into_iter().find(|it| it["metadata"]["name"] == "harbor-core-database").unwrap();
    let data = record["data"].as_object_mut().unwrap();
    let begun = attempt.into_iter().chain(attempt.map(|_| ("migrating-to", to)));
    for (key, version) in [("migrated-by", from), ("completed", from)].into_iter().chain(begun) {
        data.insert(key.into(), json!(base64(version.as_bytes())));
    }
    case.inputs.push(record);
    case
}

/// The pod that migrates, as the cluster reports it.
pub(super) fn pod(case: &Case<Core>, status: Value) -> Value {
    let mut pod = case.child("Pod");
    pod["status"] = status;
    pod
}

/// The status of a pod that waits for the record.
fn prepared() -> Value {
    json!({"phase": "Pending", "initContainerStatuses": [{
        "name": "pull-core", "image": "", "imageID": "", "ready": true, "restartCount": 0,
        "state": {"terminated": {"exitCode": 0}},
    }]})
}

/// The same Core with its pod in this state.
fn with_pod(case: Case<Core>, status: Value) -> Case<Core> {
    let pod = pod(&case, status);
    with(case, pod)
}

/// What the operator does about the pod.
pub(super) fn policy(case: &Case<Core>) -> Option<(String, Policy)> {
    let plan = case.plan().unwrap();
    let mut pods = plan.graph.iter().filter(|(_, it, _)| it.object.key().kind == "Pod");
    pods.next().map(|(_, pod, _)| (pod.object.key().name.clone(), pod.policy.clone()))
}

pub(super) fn with(mut case: Case<Core>, input: Value) -> Case<Core> {
    case.inputs.push(input);
    case
}

/// Core's Deployment as it is.
pub(super) fn deployment(case: &Case<Core>, replicas: i32, running: i32) -> Value {
    let mut pods = case.child("Deployment");
    pods["metadata"]["generation"] = json!(3);
    pods["spec"]["replicas"] = json!(replicas);
    pods["status"] = json!({"observedGeneration": 3, "replicas": running});
    pods
}

/// What happens to the Deployment: its replicas, or that it stays as it is.
fn core(case: &Case<Core>) -> String {
    let plan = case.plan().unwrap();
    let (_, pods, _) = plan.graph.iter().find(|(_, it, _)| it.object.key().kind == "Deployment").unwrap();
    match &pods.policy {
        Policy::Await { why, .. } => why.clone(),
        _ => format!("replicas: {}", pods.object.to_json().unwrap()["spec"]["replicas"]),
    }
}

/// Why the operator keeps the Deployment without pods.
pub(super) fn stopped(case: &Case<Core>) -> Value {
    case.child("Deployment")["metadata"]["annotations"]["goharbor.io/stopped"].clone()
}

fn pods(case: &Case<Core>) -> usize {
    case.children().iter().filter(|child| child["kind"] == "Pod").count()
}

pub(super) fn recorded(case: &Case<Core>, key: &str) -> Option<String> {
    let plan = case.plan().unwrap();
    let (_, record, _) =
        plan.graph.iter().find(|(_, it, _)| it.object.key().name == "harbor-core-database").unwrap();
    let record = record.object.to_json().unwrap();
    let data: k8s_openapi::ByteString = serde_json::from_value(record["data"].get(key)?.clone()).unwrap();
    Some(String::from_utf8(data.0).unwrap())
}

const HELD: &str = "stays at version 2.14.2 until the database is migrated to 2.15.0";

#[test]
fn a_new_database_and_a_patch_without_a_migration_need_no_pod() {
    assert_eq!(pods(&a_core()), 0);
    assert_eq!(pods(&upgrading("2.14.2", "2.14.3", None)), 0);
    assert_eq!(pods(&upgrading("2.15.0", "2.15.0", None)), 0);
    assert_eq!(pods(&upgrading("2.15.0", "2.14.2", None)), 0, "a restored database");
}

#[test]
fn one_pod_without_probes_migrates_and_core_goes_on_serving_where_it_can() {
    let case = upgrading("2.14.2", "2.15.0", None);
    let pod = case.child("Pod");
    assert_eq!(pod["metadata"]["name"], "harbor-core-migrate-2-15-0");
    assert_eq!(pod["spec"]["restartPolicy"], "Never");
    let container = &pod["spec"]["containers"][0];
    assert_eq!(container["image"], "docker.io/goharbor/harbor-core:v2.15.0");
    assert_eq!(container["terminationMessagePolicy"], "FallbackToLogsOnError");
    for absent in ["startupProbe", "livenessProbe", "readinessProbe", "lifecycle", "ports"] {
        assert_eq!(container[absent], Value::Null, "{absent}");
    }
    let names = container["env"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap());
    let foreign = |name: &&str| {
        !["DATABASE_TYPE", "POSTGRESQL_", "_REDIS_URL_", "CONFIG_PATH", "LOG_LEVEL", "MIGRATION_ATTEMPT"]
            .iter()
            .any(|it| name.starts_with(it))
    };
    assert_eq!(names.filter(foreign).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(core(&case), HELD);
    assert_eq!(recorded(&case, "migrating-to"), None, "nothing has run");
}

#[test]
fn the_pod_pulls_the_image_and_then_waits_for_the_record_whatever_users_set() {
    let extra = json!([{"name": "MIGRATION_ATTEMPT", "value": "now"}]);
    let first = json!([{"name": "first", "image": "busybox"}]);
    let case =
        upgrading("2.14.2", "2.15.0", None).set("/spec/extraEnv", extra).set("/spec/initContainers", first);
    let pod = case.child("Pod");
    let (steps, container) = (&pod["spec"]["initContainers"], &pod["spec"]["containers"][0]);
    assert_eq!((&steps[0]["name"], &steps[1]["name"]), (&json!("first"), &json!("pull-core")));
    assert_eq!(steps[1]["image"], container["image"]);
    assert_eq!(steps[1]["env"], Value::Null);
    let variables = container["env"].as_array().unwrap().iter();
    let waits: Vec<_> = variables.filter(|it| it["name"] == "MIGRATION_ATTEMPT").collect();
    let reference = json!({"name": "harbor-core-database", "key": "migration-2.15.0-1"});
    let expected = json!({"name": "MIGRATION_ATTEMPT", "valueFrom": {"secretKeyRef": reference}});
    assert_eq!(waits, [&expected]);
}

#[test]
fn services_do_not_select_the_pod() {
    let case = upgrading("2.14.2", "2.15.0", None);
    let (pod, service) = (case.child("Pod"), case.child("Service"));
    let selector = service["spec"]["selector"].as_object().unwrap();
    assert!(selector.iter().any(|(key, value)| pod["metadata"]["labels"][key] != *value));
}

#[test]
fn a_pod_whose_image_cannot_be_pulled_changes_nothing_even_if_core_has_to_be_stopped() {
    let waiting = || {
        json!({"phase": "Pending", "initContainerStatuses": [{
            "name": "pull-core", "image": "", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"waiting": {"reason": "ImagePullBackOff", "message": "not found"}},
        }]})
    };
    let keeps = with_pod(upgrading("2.14.2", "2.15.0", None), waiting());
    assert_eq!((recorded(&keeps, "migrating-to"), core(&keeps), pods(&keeps)), (None, HELD.into(), 1));
    let stops = upgrading("2.10.3", "2.11.2", None);
    let serving = deployment(&stops, 2, 2);
    let stops = with_pod(with(stops, serving), waiting());
    let held = "stays at version 2.10.3 until the database is migrated to 2.11.2".to_owned();
    assert_eq!((recorded(&stops, "migrating-to"), core(&stops), pods(&stops)), (None, held, 1));
}

const FIRST: &str = "migration-2.15.0-1";

#[test]
fn the_record_allows_a_prepared_pod_to_migrate_and_core_follows_when_it_is_recorded_that_it_has() {
    let version = || Some("2.15.0".to_owned());
    let allowed = || Some((FIRST, "allowed"));
    for (attempt, status, entry) in [
        (None, prepared(), "allowed"),
        (None, json!({"phase": "Running"}), "allowed"),
        (allowed(), prepared(), "allowed"),
        (allowed(), json!({"phase": "Running"}), "allowed"),
        (allowed(), json!({"phase": "Failed"}), "allowed"),
        (allowed(), json!({"phase": "Succeeded"}), "succeeded"),
    ] {
        let case = with_pod(upgrading("2.14.2", "2.15.0", attempt), status.clone());
        assert_eq!((recorded(&case, "migrating-to"), core(&case)), (version(), HELD.into()), "{status}");
        assert_eq!(recorded(&case, FIRST).as_deref(), Some(entry), "{status}");
        assert_eq!(recorded(&case, "migrated-by").as_deref(), Some("2.14.2"), "{status}");
        assert!(matches!(policy(&case), Some((_, Policy::Await { .. }))), "it is not sent again: {status}");
    }
    let done = || upgrading("2.14.2", "2.15.0", Some((FIRST, "succeeded")));
    assert_eq!(pods(&done()), 0, "the pod may be gone");
    let done = done();
    assert_eq!(core(&done), "replicas: null");
    assert_eq!((recorded(&done, "migrated-by"), recorded(&done, "migrating-to")), (version(), None));
    assert_eq!(recorded(&done, FIRST), None);
}

#[test]
fn core_is_stopped_before_a_schema_that_its_version_cannot_use() {
    let case = || upgrading("2.10.3", "2.11.2", None);
    let at = |wanted, running| {
        let pods = deployment(&case(), wanted, running);
        with_pod(with(case(), pods), prepared())
    };
    let allowed = |case: &Case<Core>| (core(case), recorded(case, "migration-2.11.2-1"));
    assert_eq!(allowed(&at(2, 2)), ("replicas: 0".into(), None));
    assert_eq!(allowed(&at(0, 1)), ("replicas: 0".into(), None), "it has a pod that is not terminating");
    assert_eq!(allowed(&at(0, 0)), ("replicas: 0".into(), Some("allowed".into())));
}

#[test]
fn a_core_that_is_stopped_says_until_when_unless_a_user_has_stopped_it() {
    let migrating = || upgrading("2.10.3", "2.11.2", Some(("migration-2.11.2-1", "allowed")));
    let why = "is stopped until the database is migrated from 2.10.3 to 2.11.2, whose schema Core 2.10.3 cannot use";
    assert_eq!(stopped(&migrating()), why);
    assert_eq!(stopped(&migrating().set("/spec/replicas", json!(3))), why);
    assert_eq!(stopped(&migrating().set("/spec/replicas", json!(0))), Value::Null);
    let migrated = upgrading("2.10.3", "2.11.2", Some(("migration-2.11.2-1", "succeeded")));
    assert_eq!(stopped(&migrated), Value::Null);
    assert_eq!(stopped(&upgrading("2.14.2", "2.15.0", Some((FIRST, "allowed")))), Value::Null, "it serves");
}

#[test]
fn the_pod_says_what_it_does_and_whether_core_serves_meanwhile() {
    let purpose = |from, to| {
        let pod = upgrading(from, to, None).child("Pod");
        pod["metadata"]["annotations"]["goharbor.io/purpose"].clone()
    };
    let goes_on = "migrates the database from 2.14.2 to 2.15.0; Core 2.14.2 goes on serving";
    assert_eq!(purpose("2.14.2", "2.15.0"), goes_on);
    let stops = "migrates the database from 2.10.3 to 2.11.2; Core 2.10.3 is stopped";
    assert_eq!(purpose("2.10.3", "2.11.2"), stops);
}

#[test]
fn a_core_that_was_stopped_starts_again_with_the_new_version() {
    let case = || upgrading("2.10.3", "2.11.2", Some(("migration-2.11.2-1", "succeeded")));
    assert_eq!(core(&case().set("/spec/replicas", json!(3))), "replicas: 3");
    let autoscaled = case()
        .set("/spec/replicas", Value::Null)
        .set("/spec/resources", json!({"requests": {"cpu": "1"}}))
        .set("/spec/autoscaling", json!({"minReplicas": 2, "maxReplicas": 5}));
    assert_eq!(core(&autoscaled), "replicas: 2", "an autoscaler does not start what has no replicas");
}

#[test]
fn a_pod_that_is_gone_after_it_was_allowed_to_migrate_is_not_created_again() {
    let case = upgrading("2.14.2", "2.15.0", Some((FIRST, "allowed")));
    let why = "is gone, and nothing says how far it has migrated the database from 2.14.2 to 2.15.0; PostgreSQL may still \
               execute its last file, so wait for the end of that, look at the database, and ask for another attempt: \
               kubectl -n registry annotate --overwrite core harbor goharbor.io/retry-migration=2.15.0-2";
    let lost = Policy::Await { why: why.into(), absence: Absence::Lost };
    assert_eq!(policy(&case), Some(("harbor-core-migrate-2-15-0".into(), lost)));
    assert_eq!((core(&case), recorded(&case, FIRST)), (HELD.into(), Some("allowed".into())));
}

#[test]
fn a_pod_that_is_gone_before_it_was_allowed_anything_is_created_again() {
    let case = upgrading("2.14.2", "2.15.0", None);
    assert_eq!(policy(&case), Some(("harbor-core-migrate-2-15-0".into(), Policy::Apply)));
}

const RETRY: &str = "goharbor.io/retry-migration";

#[test]
fn another_attempt_begins_when_a_user_asks_for_it_and_the_last_one_has_failed_or_is_gone() {
    let asked = |status: Option<Value>, attempt: &str| {
        let case = upgrading("2.14.2", "2.15.0", Some((FIRST, "allowed")));
        let case = match status {
            Some(status) => with_pod(case, status),
            None => case,
        };
        let case = case.annotated(RETRY, attempt);
        let (name, policy) = policy(&case).unwrap();
        (name, policy == Policy::Apply)
    };
    let (first, second) = ("harbor-core-migrate-2-15-0", "harbor-core-migrate-2-15-0-2");
    let failed = || Some(json!({"phase": "Failed"}));
    assert_eq!(asked(None, "2.15.0-2"), (second.into(), true));
    assert_eq!(asked(failed(), "2.15.0-2"), (second.into(), true));
    for other in ["2.15.0-1", "2.15.0", "2.14.2-2", "true"] {
        assert_eq!(asked(failed(), other), (first.into(), false), "{other}");
        assert_eq!(asked(None, other), (first.into(), false), "{other}");
    }
    for phase in ["Pending", "Running", "Succeeded", "Unknown"] {
        assert_eq!(asked(Some(json!({"phase": phase})), "2.15.0-2"), (first.into(), false), "{phase}");
    }
}

#[test]
fn no_attempt_begins_beside_a_pod_that_may_still_run_on_a_node_that_does_not_answer() {
    let asked = |change: fn(&mut Value)| {
        let case = upgrading("2.14.2", "2.15.0", Some((FIRST, "allowed")));
        let mut pod = pod(&case, json!({"phase": "Running"}));
        change(&mut pod);
        let (name, policy) = policy(&with(case, pod).annotated(RETRY, "2.15.0-2")).unwrap();
        (name, matches!(policy, Policy::Await { absence: Absence::Passing, .. }))
    };
    let waits_for_the_first = ("harbor-core-migrate-2-15-0".to_owned(), true);
    assert_eq!(asked(|pod| pod["status"]["reason"] = "NodeLost".into()), waits_for_the_first);
    let deleted = |pod: &mut Value| pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    assert_eq!(asked(deleted), waits_for_the_first);
}

#[test]
fn another_attempt_waits_for_an_entry_of_its_own_and_happens_once() {
    let second = |attempt| upgrading("2.14.2", "2.15.0", attempt).annotated(RETRY, "2.15.0-2");
    let begins = second(Some((FIRST, "allowed")));
    let env = begins.child("Pod")["spec"]["containers"][0]["env"].clone();
    let waits = env.as_array().unwrap().last().unwrap()["valueFrom"]["secretKeyRef"]["key"].clone();
    assert_eq!(waits, "migration-2.15.0-2");
    let entries = |case: &Case<Core>| [recorded(case, FIRST), recorded(case, "migration-2.15.0-2")];
    assert_eq!(entries(&begins), [Some("allowed".into()), None]);
    assert_eq!(entries(&with_pod(begins, prepared())), [None, Some("allowed".into())]);

    let ended = with_pod(second(Some(("migration-2.15.0-2", "allowed"))), json!({"phase": "Failed"}));
    let (name, policy) = policy(&ended).unwrap();
    assert_eq!(name, "harbor-core-migrate-2-15-0-2");
    assert!(matches!(policy, Policy::Await { .. }), "the request is used up");
}

#[test]
fn core_stays_stopped_while_another_attempt_is_prepared() {
    let case = upgrading("2.10.3", "2.11.2", Some(("migration-2.11.2-1", "allowed")));
    assert_eq!(core(&case.annotated(RETRY, "2.11.2-2")), "replicas: 0");
}

#[test]
fn a_pod_is_replaced_when_its_settings_change_unless_it_was_allowed_to_migrate() {
    let policy_after = |attempt, status: Value| {
        let old = upgrading("2.14.2", "2.15.0", None);
        let old = pod(&old, status);
        let case = upgrading("2.14.2", "2.15.0", attempt).set("/spec/logLevel", Value::Null);
        policy(&with(case.set("/spec/nodeSelector", json!({"disk": "fast"})), old)).map(|(_, policy)| policy)
    };
    for status in [prepared(), json!({"phase": "Pending"}), json!({"phase": "Failed"})] {
        assert_eq!(policy_after(None, status), None, "it is deleted first");
    }
    for phase in ["Pending", "Running", "Failed", "Succeeded"] {
        let policy = policy_after(Some((FIRST, "allowed")), json!({"phase": phase}));
        assert!(matches!(policy, Some(Policy::Await { .. })), "{phase}");
    }
}
