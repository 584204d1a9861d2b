//! Rotation of the key that signs tokens, where cert-manager issues it.

use super::{
    Case, Harbor,
    rotation::{CREATED, asked, has, outlook, run, states},
};
use crate::cases::base64;
use api::{names::ROTATION_ANNOTATION, v1beta1::rotation::RotationPhase};
use serde_json::{Value, json};

const BASE: &str = "acme-harbor-core-tokencert";

/// A Harbor whose key cert-manager has issued.
fn a_harbor(what: &str) -> Case<Harbor> {
    let case = asked(what).set("/spec/core/tokenIssuer", json!({"name": "it"})).without(BASE);
    with_core(issued(case, BASE, None), BASE)
}

/// The same after cert-manager has issued another Secret.
fn issued(mut case: Case<Harbor>, name: &str, record: Option<Value>) -> Case<Harbor> {
    let record = record.map(|record| json!({ROTATION_ANNOTATION: record.to_string()}));
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "name": name, "namespace": "registry", "annotations": record, "creationTimestamp": CREATED,
            "labels": {"controller.cert-manager.io/fao": "true"},
        },
        "data": {"tls.key": base64(name.as_bytes())},
    }));
    case
}

/// The same whose Core has the key in this Secret.
fn with_core(mut case: Case<Harbor>, secret: &str) -> Case<Harbor> {
    case.inputs.retain(|input| input["kind"] != "Core");
    let mut core = case.child("Core");
    core["spec"]["components"]["tokenService"]["certificateRef"] = json!(secret);
    case.inputs.push(core);
    let used = secret.trim_start_matches("acme-harbor-");
    run(&mut case, "core", &["core-csrf", "core-secret", "jobservice-secret", used]);
    case
}

/// The Certificates with keys that sign tokens, each with the annotations of its Secret.
fn certificates(case: &Case<Harbor>) -> Vec<(String, Value)> {
    let all = case.children().into_iter().filter(|child| child["kind"] == "Certificate");
    let tokens = all.filter(|it| it["metadata"]["name"].as_str().unwrap().starts_with(BASE));
    let mut tokens: Vec<_> = tokens
        .map(|it| {
            let name = it["metadata"]["name"].as_str().unwrap().to_owned();
            (name, it["spec"]["secretTemplate"]["annotations"][ROTATION_ANNOTATION].clone())
        })
        .collect();
    tokens.sort_by(|(a, _), (b, _)| a.cmp(b));
    tokens
}

fn used(case: &Case<Harbor>) -> Value {
    case.child("Core")["spec"]["components"]["tokenService"]["certificateRef"].clone()
}

fn name(number: u64) -> String {
    format!("{BASE}-{number}")
}

fn record(number: u64, before: &str) -> Value {
    json!({"number": number, "request": number.to_string(), "before": before})
}

fn text(number: u64, before: &str) -> Value {
    json!(format!(r#"{{"number":{number},"request":"{number}","before":"{before}"}}"#))
}

#[test]
fn core_keeps_its_key_until_cert_manager_has_issued_the_next() {
    let case = a_harbor("token@1,csrf@1");
    assert_eq!(certificates(&case), [(BASE.to_owned(), Value::Null), (name(1), text(1, BASE))]);
    assert_eq!(used(&case), BASE);
    let waits = "waits until cert-manager has issued Secret registry/acme-harbor-core-tokencert-1";
    let expected = [("token", RotationPhase::Waiting, waits), ("csrf", RotationPhase::Waiting, waits)];
    assert_eq!(states(&outlook(&case)), expected, "both are rotated in one pass");
    assert!(!has(&case, "core-csrf-1"));

    let running = issued(case, &name(1), Some(record(1, BASE)));
    assert_eq!(used(&running), name(1));
    assert_eq!(certificates(&running), [(BASE.to_owned(), Value::Null), (name(1), text(1, BASE))]);
    let step = "step 1 of 2 replaces all pods of Core at the same time";
    let expected = [("token", RotationPhase::Running, step), ("csrf", RotationPhase::Running, step)];
    assert_eq!(states(&outlook(&running)), expected);

    let alone = issued(a_harbor("token@1"), &name(1), Some(record(1, BASE)));
    let ended = with_core(alone, &name(1));
    let after = outlook(&ended);
    let phases: Vec<_> = states(&after).into_iter().map(|(name, phase, _)| (name, phase)).collect();
    assert_eq!(phases, [("token", RotationPhase::Done)]);
    assert_eq!(certificates(&ended), [(name(1), text(1, BASE))]);
}

#[test]
fn each_key_has_a_secret_of_its_own_because_cert_manager_keeps_the_key_in_one_that_exists() {
    let after = |number: u64| {
        let mut case = a_harbor(&format!("token@{}", number + 1));
        for number in 1..=number {
            let before = if number == 1 { BASE.to_owned() } else { name(number - 1) };
            case = issued(case, &name(number), Some(record(number, &before)));
        }
        with_core(case, &name(number))
    };
    for number in 1..=3 {
        let done = json!({"name": "token", "phase": "Done", "request": number.to_string(), "at": CREATED});
        let case = after(number).set("/status", json!({"conditions": [], "rotations": [done]}));
        let next = (name(number + 1), text(number + 1, &name(number)));
        assert!(certificates(&case).contains(&next), "{:?}", certificates(&case));
        assert_eq!(used(&case), name(number));
    }
}

#[test]
fn a_key_that_is_asked_for_is_waited_for_by_everything_else() {
    let mut case = a_harbor("token@1,registryHttp@1").set("/spec/version", json!("2.15.3"));
    case.inputs.push(json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {"name": "acme-harbor-core-database", "namespace": "registry"},
        "data": {"migrated-by": base64(b"2.15.0"), "completed": base64(b"2.15.0")},
    }));
    case.inputs.push(json!({
        "apiVersion": "cert-manager.io/v1", "kind": "Certificate",
        "metadata": {"name": name(1), "namespace": "registry"},
        "spec": {"secretName": name(1), "issuerRef": {"name": "it"}},
    }));
    let version = case.child("Core")["metadata"]["annotations"]["harbor.goharbor.io/version"].clone();
    assert_eq!(version, "2.15.0");
    let why = outlook(&case).waits.unwrap().1;
    assert!(why.contains("waits: the rotation of token has not ended"), "{why}");
    let waits = "waits until cert-manager has issued Secret registry/acme-harbor-core-tokencert-1";
    let expected = [
        ("registryHttp", RotationPhase::Waiting, "waits for the end of the rotation of token"),
        ("token", RotationPhase::Waiting, waits),
    ];
    assert_eq!(states(&outlook(&case)), expected);
    let taken_back =
        case.annotated("goharbor.io/rotate", "registryHttp@1").set("/spec/version", json!("2.15.0"));
    assert_eq!(certificates(&taken_back), [(BASE.to_owned(), Value::Null)]);
    assert!(has(&taken_back, "registry-http-1"));
}

#[test]
fn a_secret_without_a_record_is_not_taken_for_the_next() {
    let case = issued(a_harbor("token@1"), &name(1), None);
    let waits = "waits until Secret registry/acme-harbor-core-tokencert-1 has the annotation goharbor.io/rotation, which \
                 cert-manager writes from 1.5 on; if it is not from cert-manager, delete it";
    assert_eq!(states(&outlook(&case)), [("token", RotationPhase::Waiting, waits)]);
    assert_eq!(used(&case), BASE);
}

#[test]
fn without_a_request_nothing_about_the_certificate_changes() {
    let case = a_harbor("");
    let certificate = case.children().into_iter().find(|it| it["metadata"]["name"] == BASE).unwrap();
    assert_eq!(certificate["spec"].get("secretTemplate"), None);
    assert_eq!((certificates(&case).len(), used(&case)), (1, json!(BASE)));
}
