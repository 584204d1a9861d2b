//! Rotation of credentials, step by step.

use super::{Case, Harbor, a_harbor};
use crate::cases::{base64, key};
use api::{
    names::{REPLACE_TOGETHER_ANNOTATION, RESTARTED_LABEL, ROTATE_ANNOTATION, ROTATION_ANNOTATION},
    v1beta1::rotation::RotationPhase,
};
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Secret;
use plan::{ObjectKey, Outlook, Plan, PlanError, plan_at, until_planned};
use serde_json::{Value, json};
use std::sync::Arc;

/// When the first credentials were generated.
pub(super) const CREATED: &str = "2026-01-01T00:00:00Z";

/// What the status says of a rotation that has ended without an answer of Harbor.
pub(super) const UNASKED: &str = "the pods of all components are ready, and Harbor was not asked whether it accepts the new value: \
                                  Core registry/acme-harbor does not exist; create it";

/// A Harbor that runs with the credentials that were generated first, and is asked to rotate some.
pub(super) fn asked(what: &str) -> Case<Harbor> {
    let mut case = a_harbor().annotated(ROTATE_ANNOTATION, what).set("/spec/core/tokenIssuer", Value::Null);
    for (name, key) in [
        ("core-csrf", "key"),
        ("core-secret", "secret"),
        ("jobservice-secret", "secret"),
        ("core-tokencert", "tls.key"),
        ("registry-http", "REGISTRY_HTTP_SECRET"),
        ("registry-basicauth", "htpasswd"),
    ] {
        case.inputs.push(secret(name, None, &[(key, &format!("{name} of old"))]));
    }
    let core =
        ["core-csrf", "core-secret", "jobservice-secret", "core-tokencert", "registry-basicauth"].as_slice();
    run(&mut case, "core", core);
    run(&mut case, "jobservice", &["core-secret", "jobservice-secret", "registry-basicauth"]);
    run(&mut case, "registry", &["registry-http", "registry-basicauth", "core-secret", "jobservice-secret"]);
    case
}

/// A Secret of the operator, and the record of the rotation that it was created for.
pub(super) fn secret(name: &str, record: Option<Value>, data: &[(&str, &str)]) -> Value {
    let record = record.map(|record| json!({ROTATION_ANNOTATION: record.to_string()}));
    let data: serde_json::Map<_, _> =
        data.iter().map(|(key, value)| ((*key).to_owned(), base64(value.as_bytes()))).collect();
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": {
            "name": format!("acme-harbor-{name}"), "namespace": "registry", "annotations": record,
            "creationTimestamp": CREATED, "labels": {"goharbor.io/operator-controller": "harbor"},
        },
        "data": data,
    })
}

/// The Secret that a rotation of the first one has created.
pub(super) fn rotated(name: &str, data: &[(&str, &str)]) -> Value {
    let record = json!({"number": 1, "request": "1", "before": format!("acme-harbor-{name}")});
    secret(&format!("{name}-1"), Some(record), data)
}

/// Has the pods of a part use these Secrets.
pub(super) fn run(case: &mut Case<Harbor>, part: &str, secrets: &[&str]) {
    scale(case, part, secrets, 1);
}

pub(super) fn scale(case: &mut Case<Harbor>, part: &str, secrets: &[&str], replicas: i32) {
    let name = format!("acme-harbor-{part}");
    case.inputs.retain(|input| input["kind"] != "Deployment" || input["metadata"]["name"] != *name);
    let volume =
        |secret: &&str| json!({"name": secret, "secret": {"secretName": format!("acme-harbor-{secret}")}});
    let volumes: Vec<_> = secrets.iter().map(volume).collect();
    case.inputs.push(json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "namespace": "registry", "generation": 2},
        "spec": {
            "replicas": replicas, "selector": {},
            "template": {"spec": {"containers": [], "volumes": volumes}},
        },
        "status": {
            "observedGeneration": 2, "replicas": replicas, "updatedReplicas": replicas,
            "readyReplicas": replicas, "availableReplicas": replicas,
        },
    }));
}

/// The Secrets of the operator that a part refers to, without what their names have in common.
pub(super) fn uses(case: &Case<Harbor>, kind: &str) -> Vec<String> {
    let spec = case.child(kind)["spec"].to_string();
    let ends = ["-csrf", "-secret", "-tokencert", "-http", "-basicauth"];
    let names = spec.split('"').filter_map(|name| name.strip_prefix("acme-harbor-"));
    let is_it = |name: &&str| ends.iter().any(|end| name.split_once(end).is_some());
    let mut names: Vec<_> = names.filter(is_it).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// The state of each rotation: name, phase and message.
pub(super) fn states(outlook: &Outlook) -> Vec<(&str, RotationPhase, &str)> {
    let of = outlook.rotations.iter();
    of.map(|it| (it.name.as_str(), it.phase, it.message.as_deref().unwrap_or_default())).collect()
}

pub(super) fn outlook(case: &Case<Harbor>) -> Outlook {
    case.plan().unwrap().outlook
}

/// Whether the plan has this Secret.
pub(super) fn has(case: &Case<Harbor>, name: &str) -> bool {
    let plan = case.plan().unwrap();
    plan.graph.iter().any(|(_, desired, _)| {
        let key = desired.object.key();
        key.kind == "Secret" && key.name == format!("acme-harbor-{name}")
    })
}

#[test]
fn a_key_of_core_is_generated_anew_and_all_pods_of_core_get_it_at_once() {
    let mut case = asked("csrf@1");
    let together = |case: &Case<Harbor>| {
        case.child("Core")["metadata"]["annotations"].get(REPLACE_TOGETHER_ANNOTATION).is_some()
    };
    assert!(uses(&case, "Core").contains(&"core-csrf-1".to_owned()), "{:?}", uses(&case, "Core"));
    assert!(together(&case) && has(&case, "core-csrf") && has(&case, "core-csrf-1"));
    let running = "step 1 of 2 replaces all pods of Core at the same time";
    let expected = [("csrf", RotationPhase::Running, running)];
    assert_eq!(states(&outlook(&case)), expected);
    let (subject, why) = outlook(&case).waits.unwrap();
    assert_eq!(subject.to_string(), "Deployment registry/acme-harbor-core");
    assert_eq!(why, format!("the rotation of csrf: {running}"));

    case.inputs.push(rotated("core-csrf", &[("key", "new")]));
    assert_eq!(states(&outlook(&case)), expected, "the pods have the old one still");

    let core = ["core-csrf-1", "core-secret", "jobservice-secret", "core-tokencert", "registry-basicauth"];
    run(&mut case, "core", &core);
    assert_eq!(states(&outlook(&case)), [("csrf", RotationPhase::Done, UNASKED)]);
    assert!(!together(&case) && !has(&case, "core-csrf") && has(&case, "core-csrf-1"));
    let before = ObjectKey::of::<Secret>("registry", "acme-harbor-core-csrf");
    assert_eq!(outlook(&case).replaced, [before].into(), "it is deleted, although it is immutable");
    assert_eq!(outlook(&case).waits, None);
}

#[test]
fn a_rotation_happens_once_for_each_new_word_and_the_names_of_secrets_take_turns() {
    let after = |what: &str| {
        let mut case = asked(what).without("acme-harbor-core-csrf");
        case.inputs.push(rotated("core-csrf", &[("key", "new")]));
        run(&mut case, "core", &["core-csrf-1"]);
        let found = uses(&case, "Core").into_iter().find(|name| name.starts_with("core-csrf"));
        found.unwrap()
    };
    assert_eq!(after("csrf@1"), "core-csrf-1");
    assert_eq!(after(""), "core-csrf-1");
    assert_eq!(after("csrf@2"), "core-csrf-2");
    assert_eq!(after("csrf"), "core-csrf-2");
}

#[test]
fn all_stands_for_every_credential_without_an_item_of_its_own() {
    let mut case = asked("all@2,csrf@1").without("acme-harbor-core-csrf");
    case.inputs.push(rotated("core-csrf", &[("key", "new")]));
    run(&mut case, "core", &["core-csrf-1"]);
    let outlook = outlook(&case);
    let phases: Vec<_> = states(&outlook).into_iter().map(|(name, phase, _)| (name, phase)).collect();
    let waiting = ["registryCredentials", "jobserviceSecret", "coreSecret", "token"];
    let expected: Vec<_> = [("registryHttp", RotationPhase::Running)]
        .into_iter()
        .chain(waiting.map(|name| (name, RotationPhase::Waiting)))
        .chain([("csrf", RotationPhase::Done)])
        .collect();
    assert_eq!(phases, expected);
}

#[test]
fn what_is_asked_for_before_there_is_a_value_needs_no_rotation() {
    let case = a_harbor().annotated(ROTATE_ANNOTATION, "csrf@1");
    let created = case.children().into_iter().find(|it| it["metadata"]["name"] == "acme-harbor-core-csrf");
    let record = &created.unwrap()["metadata"]["annotations"][ROTATION_ANNOTATION];
    assert_eq!(*record, json!(r#"{"number":0,"request":"1"}"#));
    assert_eq!(states(&outlook(&case)), []);
}

#[test]
fn names_that_no_credential_has_and_credentials_of_users_are_refused() {
    assert_eq!(
        asked("csrf,encryptionKey@2").error(),
        "metadata.annotations[goharbor.io/rotate]: \"encryptionKey\" is not a credential that the operator can rotate; \
         name some of registryHttp, registryCredentials, jobserviceSecret, coreSecret, token, csrf, \
         internalTLSAuthority, internalTLS, all, separated by commas"
    );
    assert!(asked("csrf@1,csrf@2").error().contains("names csrf twice"));
    assert!(asked(&format!("csrf@{}", "x".repeat(65))).error().contains("at most 64"));
    let own = asked("csrf@1").set("/spec/core/csrfKeyRef", json!("mine"));
    let why = "spec.core.csrfKeyRef names the Secret mine, which only you write; change the value there";
    assert_eq!(states(&outlook(&own)), [("csrf", RotationPhase::Refused, why)]);
}

#[test]
fn the_registry_accepts_both_users_while_core_and_jobservice_change_to_the_new_one() {
    let mut case = asked("registryCredentials@1");
    let used = |case: &Case<Harbor>, kind: &str| -> String {
        uses(case, kind).into_iter().find(|name| name.starts_with("registry-basicauth")).unwrap()
    };
    let all = |case: &Case<Harbor>| ["Registry", "Core", "JobService"].map(|kind| used(case, kind));
    let [old, new, both] = ["registry-basicauth", "registry-basicauth-1", "registry-basicauth-both"];
    assert_eq!(all(&case), [old, old, old], "the new one does not exist yet");
    let made =
        case.children().into_iter().find(|it| it["metadata"]["name"] == "acme-harbor-registry-basicauth-1");
    assert_eq!(made.unwrap()["data"]["username"], base64(b"harbor_registry_user2"));

    case.inputs.push(rotated("registry-basicauth", &[("htpasswd", "user2:new")]));
    assert_eq!(all(&case), [both, old, old]);
    let made = case
        .children()
        .into_iter()
        .find(|it| it["metadata"]["name"] == "acme-harbor-registry-basicauth-both");
    assert_eq!(made.unwrap()["data"]["htpasswd"], base64(b"registry-basicauth of old\nuser2:new"));

    run(&mut case, "registry", &["registry-http", both]);
    assert_eq!(all(&case), [both, new, new]);
    run(&mut case, "core", &["core-csrf", new]);
    assert_eq!(all(&case), [both, new, new], "JobService has the old one still");
    run(&mut case, "jobservice", &[new]);
    assert_eq!(all(&case), [new, new, new]);
    assert!(has(&case, both) && has(&case, old), "the pods of the registry use them still");
    run(&mut case, "registry", &["registry-http", new]);
    assert_eq!(all(&case), [new, new, new]);
    assert!(!has(&case, both) && !has(&case, old));
    assert_eq!(states(&outlook(&case)), [("registryCredentials", RotationPhase::Done, UNASKED)]);
}

#[test]
fn one_pass_follows_after_the_other_in_a_fixed_order() {
    let case = asked("csrf@1,registryHttp@1,token@1");
    let expected = [
        ("registryHttp", RotationPhase::Running, "step 1 of 2 replaces the pods of the registry"),
        ("token", RotationPhase::Waiting, "waits for the end of the rotation before it"),
        ("csrf", RotationPhase::Waiting, "waits for the end of the rotation before it"),
    ];
    assert_eq!(states(&outlook(&case)), expected);
    let steps: Vec<_> = outlook(&case).steps.into_iter().map(|step| step.name).collect();
    assert_eq!(steps, ["the rotation of registryHttp", "the rotation of token and csrf"]);

    let mut next = asked("csrf@1,registryHttp@1,token@1").without("acme-harbor-registry-http");
    next.inputs.push(rotated("registry-http", &[("REGISTRY_HTTP_SECRET", "new")]));
    run(&mut next, "registry", &["registry-http-1"]);
    let phases: Vec<_> =
        states(&outlook(&next)).into_iter().map(|(name, phase, _)| (name.to_owned(), phase)).collect();
    let expected = [
        ("registryHttp", RotationPhase::Done),
        ("token", RotationPhase::Running),
        ("csrf", RotationPhase::Running),
    ];
    assert_eq!(phases, expected.map(|(name, phase)| (name.to_owned(), phase)));
}

#[test]
fn a_rotation_does_not_begin_while_the_pods_that_it_replaces_are_not_ready() {
    let mut case = asked("csrf@1");
    let core = case.inputs.iter_mut().find(|it| it["metadata"]["name"] == "acme-harbor-core").unwrap();
    core["status"]["availableReplicas"] = json!(0);
    let why = "waits until Deployment registry/acme-harbor-core is ready";
    assert_eq!(states(&outlook(&case)), [("csrf", RotationPhase::Waiting, why)]);
    assert!(!has(&case, "core-csrf-1"));
}

#[test]
fn a_rotation_does_not_begin_between_two_restarts_for_another_password_of_redis() {
    let mut case = asked("csrf@1");
    let mut restarted = |part: &str, password: &str| {
        let name = format!("acme-harbor-{part}");
        let is_it = |it: &&mut Value| it["kind"] == "Deployment" && it["metadata"]["name"] == *name;
        let pods = case.inputs.iter_mut().find(is_it).unwrap();
        pods["metadata"]["labels"] = json!({RESTARTED_LABEL: format!("redis.{password}")});
    };
    restarted("registry", "new");
    restarted("core", "old");
    let why = "waits until all components have restarted for another password";
    assert_eq!(states(&outlook(&case)), [("csrf", RotationPhase::Waiting, why)]);
    assert!(!has(&case, "core-csrf-1"));
}

#[test]
fn rotations_and_upgrades_wait_for_each_other() {
    let database = |version: &str| {
        json!({
            "apiVersion": "v1", "kind": "Secret",
            "metadata": {"name": "acme-harbor-core-database", "namespace": "registry"},
            "data": {"migrated-by": base64(version.as_bytes()), "completed": base64(version.as_bytes())},
        })
    };
    let version = |case: &Case<Harbor>| {
        case.child("Core")["metadata"]["annotations"]["harbor.goharbor.io/version"].clone()
    };
    for before in ["2.14.3", "2.15.1"] {
        let mut case = asked("csrf@1").set("/spec/version", json!("2.15.3"));
        case.inputs.push(database(before));
        let state = [("csrf", RotationPhase::Waiting, "waits for the end of the upgrade")];
        assert_eq!(states(&outlook(&case)), state);
        assert_eq!(version(&case), "2.15.3");

        case.inputs.push(rotated("core-csrf", &[("key", "new")]));
        let why = outlook(&case).waits.unwrap().1;
        assert!(why.contains("waits: the rotation of csrf has not ended"), "{why}");
        assert_eq!(version(&case), before);
    }
}

/// The plan at a time.
fn at(case: &Case<Harbor>, now: &str) -> Result<Plan, PlanError> {
    let now: Timestamp = now.parse().unwrap();
    let known =
        case.inputs.iter().map(|it| (key(it), Some(Arc::new(serde_json::from_value(it.clone()).unwrap()))));
    let read = |key: ObjectKey| (key.clone(), key.is_kind().then(plan::served));
    let pass = |snapshot: &_| plan_at::<Harbor>(&case.owner, snapshot, &case.defaults, now);
    until_planned(known.collect(), pass, |needed| needed.keys.into_iter().map(read).collect())
}

#[test]
fn a_credential_that_is_older_than_its_interval_is_rotated_and_the_harbor_is_woken_then() {
    let case = asked("").set("/spec/rotation", json!({"csrf": {"interval": "24h"}}));
    let before = at(&case, "2026-01-01T23:59:59Z").unwrap();
    assert_eq!(states(&before.outlook), []);
    assert_eq!(before.until, Some("2026-01-02T00:00:00Z".parse().unwrap()));
    let after = at(&case, "2026-01-02T00:00:00Z").unwrap();
    let phases: Vec<_> = states(&after.outlook).into_iter().map(|(name, phase, _)| (name, phase)).collect();
    assert_eq!(phases, [("csrf", RotationPhase::Running)]);
}

#[test]
fn a_rotation_that_has_ended_stays_so_although_the_secret_before_is_of_another_program() {
    let mut case = asked("csrf@1");
    case.inputs.push(rotated("core-csrf", &[("key", "new")]));
    run(&mut case, "core", &["core-csrf-1"]);
    let core = case.inputs.iter_mut().find(|it| it["metadata"]["name"] == "acme-harbor-core").unwrap();
    core["status"]["availableReplicas"] = json!(0);
    let phase = |case: &Case<Harbor>| outlook(case).rotations[0].phase;
    assert_eq!(phase(&case), RotationPhase::Running);
    let done = json!({"name": "csrf", "phase": "Done", "request": "1", "at": CREATED});
    let ended = case.set("/status", json!({"conditions": [], "rotations": [done]}));
    assert_eq!(phase(&ended), RotationPhase::Done);
    assert!(!has(&ended, "core-csrf"));
}

#[test]
fn an_interval_that_is_too_short_is_refused_also_where_the_api_server_knows_no_rules() {
    let error = asked("").set("/spec/rotation", json!({"csrf": {"interval": "59m"}})).plan().unwrap_err();
    assert_eq!(error.to_string(), "spec.rotation.csrf.interval: must be at least 1h; lengthen it");
}

#[test]
fn without_a_request_and_an_interval_no_secret_is_read_that_exists() {
    let plan = asked("").plan().unwrap();
    let mut reads = plan.reads.iter().filter(|read| read.kind == "Secret").map(|read| read.name.as_str());
    let base = ["acme-harbor-core-csrf", "acme-harbor-core-secret", "acme-harbor-registry-http"];
    assert!(!reads.any(|read| base.contains(&read)));
}
