//! The migration of the database, when the schema changes.

use super::{Case, Core, a_core};
use crate::cases::base64;
use plan::Policy;
use serde_json::{Value, json};

/// A Core of this version whose database another version has used.
fn upgrading(from: &str, to: &str, migrating: Option<&str>) -> Case<Core> {
    let mut case = a_core().annotated("harbor.goharbor.io/version", to);
    let mut record =
        case.children().into_iter().find(|it| it["metadata"]["name"] == "harbor-core-database").unwrap();
    let data = record["data"].as_object_mut().unwrap();
    for (key, version) in
        [("migrated-by", Some(from)), ("completed", Some(from)), ("migrating-to", migrating)]
    {
        if let Some(version) = version {
            data.insert(key.into(), json!(base64(version.as_bytes())));
        }
    }
    case.inputs.push(record);
    case
}

/// The pod that migrates, as the cluster reports it.
fn pod(case: &Case<Core>, status: Value) -> Value {
    let mut pod = case.child("Pod");
    pod["status"] = status;
    pod
}

fn with(mut case: Case<Core>, input: Value) -> Case<Core> {
    case.inputs.push(input);
    case
}

/// Core's Deployment as it is.
fn deployment(case: &Case<Core>, replicas: i32, running: i32) -> Value {
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
        Policy::Await { why } => why.clone(),
        _ => format!("replicas: {}", pods.object.to_json().unwrap()["spec"]["replicas"]),
    }
}

fn pods(case: &Case<Core>) -> usize {
    case.children().iter().filter(|child| child["kind"] == "Pod").count()
}

fn recorded(case: &Case<Core>, key: &str) -> Option<String> {
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
        !["DATABASE_TYPE", "POSTGRESQL_", "_REDIS_URL_", "CONFIG_PATH", "LOG_LEVEL"]
            .iter()
            .any(|it| name.starts_with(it))
    };
    assert_eq!(names.filter(foreign).collect::<Vec<_>>(), [""; 0]);
    assert_eq!(core(&case), HELD);
    assert_eq!(recorded(&case, "migrating-to"), None, "nothing has run");
}

#[test]
fn services_do_not_select_the_pod() {
    let case = upgrading("2.14.2", "2.15.0", None);
    let (pod, service) = (case.child("Pod"), case.child("Service"));
    let selector = service["spec"]["selector"].as_object().unwrap();
    assert!(selector.iter().any(|(key, value)| pod["metadata"]["labels"][key] != *value));
}

#[test]
fn a_pod_whose_image_cannot_be_pulled_counts_as_nothing_has_run() {
    let case = upgrading("2.14.2", "2.15.0", None);
    let waiting = json!({"phase": "Pending", "containerStatuses": [{
        "name": "migrate", "image": "", "imageID": "", "ready": false, "restartCount": 0,
        "state": {"waiting": {"reason": "ImagePullBackOff", "message": "not found"}},
    }]});
    let waiting = pod(&case, waiting);
    let case = with(case, waiting);
    assert_eq!((recorded(&case, "migrating-to"), core(&case), pods(&case)), (None, HELD.into(), 1));
}

#[test]
fn a_pod_that_runs_is_recorded_and_core_follows_when_it_has_succeeded_and_that_is_recorded() {
    let running = |migrating, phase: &str| {
        let case = upgrading("2.14.2", "2.15.0", migrating);
        let pod = pod(&case, json!({"phase": phase}));
        with(case, pod)
    };
    let version = || Some("2.15.0".to_owned());
    for (migrating, phase) in
        [(None, "Running"), (Some("2.15.0"), "Running"), (None, "Succeeded"), (None, "Failed")]
    {
        let case = running(migrating, phase);
        assert_eq!((recorded(&case, "migrating-to"), core(&case)), (version(), HELD.into()), "{phase}");
        assert_eq!(recorded(&case, "migrated-by").as_deref(), Some("2.14.2"), "{phase}");
    }
    let done = running(Some("2.15.0"), "Succeeded");
    assert_eq!(core(&done), "replicas: null");
    assert_eq!((recorded(&done, "migrated-by"), recorded(&done, "migrating-to")), (version(), None));
}

#[test]
fn core_is_stopped_before_a_schema_that_its_version_cannot_use() {
    let case = || upgrading("2.10.3", "2.11.2", None);
    let serving = deployment(&case(), 2, 2);
    let stopping = with(case(), serving);
    assert_eq!((core(&stopping), pods(&stopping)), ("replicas: 0".into(), 0));
    let terminating = deployment(&case(), 0, 1);
    assert_eq!(pods(&with(case(), terminating)), 0);
    let stopped = deployment(&case(), 0, 0);
    let stopped = with(case(), stopped);
    assert_eq!((core(&stopped), pods(&stopped)), ("replicas: 0".into(), 1));
}

#[test]
fn a_core_that_was_stopped_starts_again_with_the_new_version() {
    let done = |case: Case<Core>| {
        let pod = pod(&case, json!({"phase": "Succeeded"}));
        core(&with(case, pod))
    };
    let case = || upgrading("2.10.3", "2.11.2", Some("2.11.2"));
    assert_eq!(done(case().set("/spec/replicas", json!(3))), "replicas: 3");
    let autoscaled = case()
        .set("/spec/replicas", Value::Null)
        .set("/spec/resources", json!({"requests": {"cpu": "1"}}))
        .set("/spec/autoscaling", json!({"minReplicas": 2, "maxReplicas": 5}));
    assert_eq!(done(autoscaled), "replicas: 2", "an autoscaler does not start what has no replicas");
}

#[test]
fn a_pod_is_replaced_when_its_settings_change_unless_it_runs_or_has_succeeded() {
    let pods_after = |migrating, phase: &str| {
        let old = upgrading("2.14.2", "2.15.0", None);
        let old = pod(&old, json!({"phase": phase}));
        let case = upgrading("2.14.2", "2.15.0", migrating).set("/spec/logLevel", Value::Null);
        let case = case.set("/spec/nodeSelector", json!({"disk": "fast"}));
        pods(&with(case, old))
    };
    assert_eq!(pods_after(None, "Pending"), 0);
    assert_eq!(pods_after(Some("2.15.0"), "Failed"), 0);
    assert_eq!(pods_after(None, "Failed"), 1, "it is recorded first that it has run");
    assert_eq!(pods_after(Some("2.15.0"), "Running"), 1);
    assert_eq!(pods_after(Some("2.15.0"), "Succeeded"), 1);
}
