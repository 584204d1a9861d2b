//! The rotation of the key that encrypts credentials in the database.

use super::{
    Case, Core,
    migration::{deployment, pod, policy, recorded, stopped, upgrading, with},
};
use crate::cases::base64;
use plan::{Defaults, Policy};
use serde_json::{Value, json};

const ANNOTATION: &str = "goharbor.io/rotate-encryption-key";
const OTHER: &str = "harbor-key-2";
const NEXT: &str = "encryption-key-next";
const FINGERPRINT: &str = "encryption-key-fingerprint";
const WHY: &str = "is stopped until its credentials are encrypted with the key in Secret harbor-key-2";

/// A Core whose database has the key in its spec, a Secret with another key, and an operator that knows its image.
fn a_core(from: &str, to: &str) -> Case<Core> {
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": OTHER, "namespace": "registry"},
        "data": {"secret": base64(b"0123456789abcdef0123456789abcdef")},
    });
    let defaults =
        Defaults { operator_image: Some("example/harbor-operator:1".into()), ..Defaults::default() };
    with(Case { defaults, ..upgrading(from, to, None) }, secret)
}

/// The same, after a user has asked for the other key.
fn requested() -> Case<Core> {
    a_core("2.15.0", "2.15.0").annotated(ANNOTATION, OTHER)
}

/// The same with this record.
fn recording(mut case: Case<Core>, record: Value) -> Case<Core> {
    case.inputs.retain(|input| input["metadata"]["name"] != record["metadata"]["name"]);
    with(case, record)
}

/// The record that the operator writes.
fn record(case: &Case<Core>) -> Value {
    let mut children = case.children().into_iter();
    children.find(|child| child["metadata"]["name"] == "harbor-core-database").unwrap()
}

/// The same after the rotation has begun.
fn begun(case: Case<Core>) -> Case<Core> {
    let mut record = record(&a_core("2.15.0", "2.15.0"));
    record["data"][NEXT] = base64(OTHER.as_bytes());
    recording(case, record)
}

/// The same with the pod in this state.
fn with_pod(case: Case<Core>, status: Value) -> Case<Core> {
    let pod = pod(&case, status);
    with(case, pod)
}

/// The status of a pod that has checked the credentials.
fn checked() -> Value {
    json!({"phase": "Pending", "initContainerStatuses": [{
        "name": "check-credentials", "image": "", "imageID": "", "ready": true, "restartCount": 0,
        "state": {"terminated": {"exitCode": 0}},
    }]})
}

fn replicas(case: &Case<Core>) -> Value {
    case.child("Deployment")["spec"]["replicas"].clone()
}

/// The Secret with the key that Core's pods have.
fn key_of_core(case: &Case<Core>) -> Value {
    let pods = case.child("Deployment");
    let volumes = pods["spec"]["template"]["spec"]["volumes"].as_array().unwrap();
    volumes.iter().find(|it| it["name"] == "encryption").unwrap()["secret"]["secretName"].clone()
}

fn pods(case: &Case<Core>) -> Vec<String> {
    let pods = case.children().into_iter().filter(|child| child["kind"] == "Pod");
    pods.map(|pod| pod["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_pod_checks_the_credentials_while_core_serves_and_then_waits_for_the_record() {
    let case = requested();
    let pod = case.child("Pod");
    assert_eq!(pod["metadata"]["name"], "harbor-core-reencrypt");
    let (check, run) = (&pod["spec"]["initContainers"][0], &pod["spec"]["containers"][0]);
    assert_eq!((&check["name"], &run["name"]), (&json!("check-credentials"), &json!("reencrypt")));
    assert_eq!(pod["spec"]["initContainers"].as_array().unwrap().len(), 1, "the check pulls the image");
    let arguments = ["database", "reencrypt", "--old-key=/keys/old", "--new-key=/keys/new", "--check"];
    assert_eq!((&check["args"], &run["args"]), (&json!(arguments), &json!(arguments[..4])));
    let entry = json!({"name": "harbor-core-database", "key": NEXT});
    let waits = json!({"name": "MIGRATION_ATTEMPT", "valueFrom": {"secretKeyRef": entry}});
    assert!(run["env"].as_array().unwrap().contains(&waits));
    assert!(!check["env"].as_array().unwrap().contains(&waits));
    let volumes: Vec<_> = pod["spec"]["volumes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["secret"]["secretName"].clone())
        .collect();
    assert_eq!(volumes, [key_of_core(&a_core("2.15.0", "2.15.0")), json!(OTHER)]);
    for case in [requested(), with_pod(requested(), json!({"phase": "Failed"}))] {
        assert_eq!((replicas(&case), stopped(&case)), (Value::Null, Value::Null));
        assert_eq!(recorded(&case, NEXT), None);
    }
}

#[test]
fn core_is_stopped_when_the_credentials_are_checked_and_then_the_record_lets_the_pod_go_on() {
    let at = |wanted, running| {
        let pods = deployment(&requested(), wanted, running);
        with_pod(with(requested(), pods), checked())
    };
    for (case, entry) in [(at(2, 2), None), (at(0, 1), None), (at(0, 0), Some(OTHER.to_owned()))] {
        assert_eq!((replicas(&case), stopped(&case)), (json!(0), json!(WHY)));
        assert_eq!(recorded(&case, NEXT), entry);
        assert_eq!(recorded(&case, FINGERPRINT), recorded(&a_core("2.15.0", "2.15.0"), FINGERPRINT));
        assert_eq!(recorded(&case, "completed").as_deref(), Some("2.15.0"));
    }
}

#[test]
#[allow(clippy::useless_vec, reason = "an array of these is too large for the stack")]
fn a_rotation_that_has_begun_goes_on_whatever_the_user_changes() {
    for case in vec![
        begun(requested()),
        begun(a_core("2.15.0", "2.15.0")),
        begun(a_core("2.15.0", "2.15.3")),
        begun(requested().annotated(ANNOTATION, "another")),
        with_pod(begun(requested()), json!({"phase": "Failed"})),
        with_pod(begun(requested()), json!({"phase": "Running"})),
    ] {
        assert_eq!((replicas(&case), stopped(&case)), (json!(0), json!(WHY)));
        assert_eq!(policy(&case), Some(("harbor-core-reencrypt".into(), Policy::Apply)));
        assert_eq!(recorded(&case, NEXT).as_deref(), Some(OTHER));
        assert_eq!(key_of_core(&case), key_of_core(&a_core("2.15.0", "2.15.0")));
    }
}

#[test]
fn the_key_in_the_spec_cannot_change_while_the_database_may_have_either() {
    let error = begun(requested()).set("/spec/database/encryptionKeyRef", json!(OTHER)).error();
    assert!(error.contains("is not the key the database was encrypted with"), "{error}");
}

#[test]
fn core_starts_with_the_new_key_when_it_is_recorded_that_the_database_has_it() {
    let ended = with_pod(begun(requested()), json!({"phase": "Succeeded"}));
    assert_eq!((replicas(&ended), recorded(&ended, NEXT).as_deref()), (json!(0), Some(OTHER)));
    let old = recorded(&requested(), FINGERPRINT);
    assert_ne!(recorded(&ended, FINGERPRINT), old);

    let starts = || recording(requested(), record(&ended));
    assert_eq!((replicas(&starts()), stopped(&starts())), (Value::Null, Value::Null));
    assert_eq!((key_of_core(&starts()), pods(&starts())), (json!(OTHER), Vec::new()));
    assert_eq!(recorded(&starts(), FINGERPRINT), recorded(&ended, FINGERPRINT));
    assert_eq!(recorded(&starts(), NEXT), None, "once a Core has become available");
    let autoscaled = |case: Case<Core>| {
        case.set("/spec/resources", json!({"requests": {"cpu": "1"}}))
            .set("/spec/autoscaling", json!({"minReplicas": 2, "maxReplicas": 5}))
    };
    assert_eq!(
        replicas(&autoscaled(starts())),
        json!(2),
        "an autoscaler does not start what has no replicas"
    );

    let done = || recording(requested(), record(&starts()));
    assert_eq!((key_of_core(&done()), pods(&done())), (json!(OTHER), Vec::new()));
    assert_eq!(replicas(&autoscaled(done())), Value::Null);
    let named = recording(a_core("2.15.0", "2.15.0"), record(&starts()))
        .set("/spec/database/encryptionKeyRef", json!(OTHER));
    assert_eq!(named.child("Deployment"), done().child("Deployment"), "no pod restarts");
    let neither = recording(a_core("2.15.0", "2.15.0"), record(&starts())).error();
    assert!(neither.contains("is not the key the database was encrypted with"), "{neither}");
}

#[test]
fn nothing_is_rotated_in_a_new_database_or_to_the_key_that_it_has() {
    let mut new = requested();
    new.inputs.retain(|input| input["metadata"]["name"] != "harbor-core-database");
    let same = requested().annotated(ANNOTATION, key_of_core(&requested()).as_str().unwrap());
    for case in [new, same] {
        assert_eq!((pods(&case), replicas(&case)), (Vec::new(), Value::Null));
        assert_eq!(key_of_core(&case), key_of_core(&a_core("2.15.0", "2.15.0")));
    }
}

#[test]
fn a_migration_goes_first() {
    let case = a_core("2.14.2", "2.15.0").annotated(ANNOTATION, OTHER);
    assert_eq!(pods(&case), ["harbor-core-migrate-2-15-0"]);
}

#[test]
fn a_request_that_cannot_be_met_is_refused_with_the_reason() {
    let missing = requested().annotated(ANNOTATION, "missing").error();
    assert!(missing.contains("Secret registry/missing does not exist"), "{missing}");
    let mut short = requested();
    let secret = short.inputs.iter_mut().find(|input| input["metadata"]["name"] == OTHER).unwrap();
    secret["data"]["secret"] = base64(b"short");
    let short = short.error();
    assert!(short.contains("holds 5 bytes, Harbor wants exactly 16, 24 or 32"), "{short}");
    let unknown = Case { defaults: Defaults::default(), ..requested() }.error();
    assert!(unknown.ends_with("start the operator with --operator-image"), "{unknown}");
}
