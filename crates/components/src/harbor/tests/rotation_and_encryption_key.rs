//! The change of the key that encrypts the database, rotations and upgrades wait for each other.

use super::{
    Case, Harbor,
    rotation::{asked, has, outlook, rotated, run, states},
};
use crate::cases::base64;
use api::{names::STOPPED_ANNOTATION, v1beta1::rotation::RotationPhase};
use plan::Digest;
use serde_json::{Value, json};

const ANNOTATION: &str = "goharbor.io/rotate-encryption-key";
const OTHER: &str = "key-2";
const OLD_KEY: &[u8] = b"0123456789abcdef";
const NEW_KEY: &[u8] = b"0123456789abcdef0123456789abcdef";
const CHECKS: &str =
    "Core checks its credentials, and is stopped until they are encrypted with the key in Secret key-2";

/// A Harbor at 2.15.0 whose database has the old key, and that was asked to rotate this and the key.
fn a_harbor(rotations: &str) -> Case<Harbor> {
    let mut case = asked(rotations).annotated(ANNOTATION, OTHER);
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": OTHER, "namespace": "registry"},
        "data": {"secret": base64(NEW_KEY)},
    }));
    recording(case, OLD_KEY, None)
}

/// The same with this record of its database.
fn recording(mut case: Case<Harbor>, key: &[u8], next: Option<&str>) -> Case<Harbor> {
    let record = "acme-harbor-core-database";
    case.inputs.retain(|input| input["metadata"]["name"] != record);
    let fingerprint = Digest::of_bytes(key).to_string();
    let next = next.map(|next| base64(next.as_bytes()));
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": record, "namespace": "registry"},
        "data": {
            "encryption-key-sha256": base64(fingerprint.as_bytes()), "encryption-key-next": next,
            "migrated-by": base64(b"2.15.0"), "completed": base64(b"2.15.0"),
        },
    }));
    let data = case.inputs.last_mut().unwrap()["data"].as_object_mut().unwrap();
    data.retain(|_, value| !value.is_null());
    case
}

/// The same whose Core knows this request.
fn with_core(mut case: Case<Harbor>, request: Option<&str>) -> Case<Harbor> {
    let mut core = case.child("Core");
    core["metadata"]["annotations"][ANNOTATION] = json!(request);
    core["metadata"]["annotations"].as_object_mut().unwrap().retain(|_, value| !value.is_null());
    case.inputs.retain(|input| input["kind"] != "Core");
    case.inputs.push(core);
    case
}

/// The request that Core gets.
fn request(case: &Case<Harbor>) -> Value {
    case.child("Core")["metadata"]["annotations"][ANNOTATION].clone()
}

fn version(case: &Case<Harbor>) -> Value {
    case.child("Core")["metadata"]["annotations"]["harbor.goharbor.io/version"].clone()
}

#[test]
fn core_gets_the_request_at_once_where_nothing_else_is_under_way() {
    let case = a_harbor("");
    assert_eq!(request(&case), OTHER);
    assert_eq!(states(&outlook(&case)), [("encryptionKey", RotationPhase::Running, CHECKS)]);
    let steps: Vec<_> = outlook(&case).steps.into_iter().map(|step| step.name).collect();
    assert_eq!(steps, ["the rotation of encryptionKey"]);

    let done = with_core(recording(case, NEW_KEY, None), Some(OTHER));
    assert_eq!(request(&done), OTHER, "Core has the key only by this name");
    assert_eq!(states(&outlook(&done)), [("encryptionKey", RotationPhase::Done, "")]);
    let named = done.set("/spec/core/encryptionKeyRef", json!(OTHER));
    assert_eq!(states(&outlook(&named)), []);
}

#[test]
fn the_key_waits_for_the_rotation_that_is_under_way() {
    let mut case = with_core(a_harbor("csrf@1"), None);
    let waits = "waits for the end of the rotation of csrf";
    let running = "step 1 of 2 replaces all pods of Core at the same time";
    let expected =
        [("csrf", RotationPhase::Running, running), ("encryptionKey", RotationPhase::Waiting, waits)];
    assert_eq!((request(&case), states(&outlook(&case))), (Value::Null, expected.to_vec()));
    case.inputs.push(rotated("core-csrf", &[("key", "new")]));
    assert_eq!((request(&case), states(&outlook(&case))), (Value::Null, expected.to_vec()));

    let earlier = with_core(case, Some("key-1"));
    assert_eq!(request(&earlier), "key-1", "an earlier request stays");
    let mut ended = with_core(earlier, None);
    run(&mut ended, "core", &["core-csrf-1"]);
    assert_eq!(request(&ended), OTHER);
    assert_eq!(outlook(&ended).waits, None, "Core says what it waits for");
}

#[test]
fn a_rotation_waits_until_the_database_has_the_key() {
    let waits = "waits for the end of the encryption of credentials with the key in Secret key-2";
    let checking = with_core(a_harbor("csrf@1"), Some(OTHER));
    let begun = recording(with_core(a_harbor("csrf@1"), Some(OTHER)), OLD_KEY, Some(OTHER));
    let ending = recording(with_core(a_harbor("csrf@1"), Some(OTHER)), NEW_KEY, Some(OTHER));
    let taken_back = {
        let case = recording(with_core(a_harbor("csrf@1"), None), OLD_KEY, Some(OTHER));
        case.annotated(ANNOTATION, "")
    };
    for case in [checking, begun, ending, taken_back] {
        let expected =
            [("csrf", RotationPhase::Waiting, waits), ("encryptionKey", RotationPhase::Running, CHECKS)];
        assert_eq!(states(&outlook(&case)), expected);
        assert!(!has(&case, "core-csrf-1"));
        assert_eq!(outlook(&case).waits.unwrap().1, format!("the rotation of csrf {waits}"));
    }
    let done = recording(with_core(a_harbor("csrf@1"), Some(OTHER)), NEW_KEY, None);
    assert!(has(&done, "core-csrf-1"));
    assert_eq!(request(&done), OTHER);
}

#[test]
fn the_key_waits_for_the_upgrade_and_an_upgrade_for_the_key() {
    for wanted in ["2.15.1", "2.15.3"] {
        let upgrading = with_core(a_harbor(""), None).set("/spec/version", json!(wanted));
        assert_eq!((request(&upgrading), version(&upgrading)), (Value::Null, json!(wanted)));
        let waits = "waits for the end of the upgrade";
        assert_eq!(states(&outlook(&upgrading)), [("encryptionKey", RotationPhase::Waiting, waits)]);

        let stopped = |mut case: Case<Harbor>, annotations: Value| {
            let core = case.inputs.iter_mut().find(|it| it["kind"] == "Deployment").unwrap();
            core["metadata"]["annotations"] = annotations;
            core["spec"]["replicas"] = json!(0);
            core["status"] = json!({"observedGeneration": 2});
            case
        };
        let checking = with_core(a_harbor(""), Some(OTHER)).set("/spec/version", json!(wanted));
        let begun = recording(with_core(a_harbor(""), Some(OTHER)), OLD_KEY, Some(OTHER));
        let begun = stopped(begun.set("/spec/version", json!(wanted)), Value::Null);
        let stopping = with_core(a_harbor(""), Some(OTHER)).set("/spec/version", json!(wanted));
        let stopping = stopped(stopping, json!({STOPPED_ANNOTATION: "until noon"}));
        for case in [checking, begun, stopping] {
            assert_eq!((request(&case), version(&case)), (json!(OTHER), json!("2.15.0")));
            let why = outlook(&case).waits.unwrap().1;
            let expected = "waits: the encryption of credentials with the key in Secret key-2 has not ended";
            assert!(why.contains(expected), "{why}");
        }
        // The new version may be the remedy for a Core that does not start.
        let broken = with_core(a_harbor(""), Some(OTHER)).set("/spec/version", json!(wanted));
        assert_eq!(version(&stopped(broken, Value::Null)), wanted);
    }
}

#[test]
fn a_new_database_gets_the_key_in_the_spec() {
    let case = a_harbor("").without("acme-harbor-core-database");
    assert_eq!((request(&case), states(&outlook(&case))), (json!(OTHER), Vec::new()));
}
