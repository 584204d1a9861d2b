//! The repair of a dirty schema before the database is migrated again.

use super::{
    Case, Core,
    migration::{pod, policy, recorded, upgrading, with},
};
use plan::{Absence, Defaults, Policy};
use serde_json::{Value, json};

const IMAGE: &str = "example/harbor-operator:1";
const FIRST: (&str, &str) = ("migration-2.15.0-1", "allowed");
const COMMAND: &str = "have the schema repaired and the database migrated again: kubectl -n registry annotate --overwrite \
                       core harbor goharbor.io/repair-schema=2.15.0-2";

/// A Core whose first attempt was allowed, of an operator that knows its image.
fn failed() -> Case<Core> {
    let defaults = Defaults { operator_image: Some(IMAGE.into()), ..Defaults::default() };
    Case { defaults, ..upgrading("2.14.2", "2.15.0", Some(FIRST)) }
}

/// The same, after the user has set the annotation that the status names.
fn requested() -> Case<Core> {
    failed().annotated("goharbor.io/repair-schema", "2.15.0-2")
}

fn names(steps: &Value) -> Vec<&str> {
    steps.as_array().unwrap().iter().map(|step| step["name"].as_str().unwrap()).collect()
}

#[test]
fn the_status_of_a_failed_or_lost_migration_offers_the_repair() {
    let why = format!(
        "is gone, and nothing says how far it has migrated the database from 2.14.2 to 2.15.0; {COMMAND}"
    );
    let lost = Policy::Await { why, absence: Absence::Lost };
    assert_eq!(policy(&failed()), Some(("harbor-core-migrate-2-15-0".into(), lost)));
    let first = Case { defaults: failed().defaults, ..upgrading("2.14.2", "2.15.0", None) };
    assert_eq!(
        first.child("Pod")["metadata"]["annotations"]["goharbor.io/remedy"],
        format!(
            "correct the cause, and {COMMAND}; it migrates to schema version 180, and Core 2.14.2 goes on serving until then"
        )
    );
}

#[test]
fn the_next_attempt_repairs_the_schema_with_the_operators_program_and_then_migrates() {
    let pod = requested().child("Pod");
    assert_eq!(pod["metadata"]["name"], "harbor-core-migrate-2-15-0-2");
    assert_eq!(
        pod["metadata"]["annotations"]["goharbor.io/purpose"],
        "repairs the schema, and migrates the database from 2.14.2 to 2.15.0; Core 2.14.2 goes on serving"
    );
    let steps = &pod["spec"]["initContainers"];
    assert_eq!(names(steps), ["pull-operator", "pull-core", "repair-schema"]);
    assert_eq!(names(&pod["spec"]["containers"]), ["migrate"]);
    assert_eq!((&steps[0]["image"], &steps[0]["args"]), (&json!(IMAGE), &json!(["version"])));
    assert_eq!(steps[0]["command"], Value::Null, "the image has no shell");
    let repair = &steps[2];
    assert_eq!((&repair["image"], &repair["args"]), (&json!(IMAGE), &json!(["database", "repair-schema"])));
    assert_eq!(repair["terminationMessagePolicy"], "FallbackToLogsOnError");
    assert_eq!(repair["securityContext"], pod["spec"]["containers"][0]["securityContext"]);
}

#[test]
fn the_repair_knows_the_database_and_nothing_else_and_waits_for_the_record_too() {
    let extra =
        json!([{"name": "POSTGRESQL_HOST", "value": "proxy"}, {"name": "RUST_LOG", "value": "trace"}]);
    let pod = requested().set("/spec/extraEnv", extra).child("Pod");
    let repair = pod["spec"]["initContainers"][2]["env"].as_array().unwrap().clone();
    let foreign = |it: &&Value| !it["name"].as_str().unwrap().starts_with("POSTGRESQL_");
    let entry = json!({"name": "harbor-core-database", "key": "migration-2.15.0-2"});
    let waits = json!({"name": "MIGRATION_ATTEMPT", "valueFrom": {"secretKeyRef": entry}});
    assert_eq!(repair.iter().filter(foreign).collect::<Vec<_>>(), [&waits]);
    assert!(repair.contains(&json!({"name": "POSTGRESQL_HOST", "value": "proxy"})));
    assert!(pod["spec"]["containers"][0]["env"].as_array().unwrap().contains(&waits));
}

#[test]
fn the_repair_trusts_the_authorities_of_core() {
    let full = Case::<Core>::golden("full").inputs;
    let authority = full.into_iter().find(|it| it["metadata"]["name"] == "corporate-ca").unwrap();
    let pod = with(requested(), authority).set("/spec/certificateRefs", json!(["corporate-ca"])).child("Pod");
    let repair = &pod["spec"]["initContainers"][2];
    let directory = json!({"name": "POSTGRESQL_SSLROOTCERT", "value": "/harbor_cust_cert"});
    assert!(repair["env"].as_array().unwrap().contains(&directory));
    assert_eq!(repair["volumeMounts"], pod["spec"]["containers"][0]["volumeMounts"]);
    assert_eq!(repair["volumeMounts"][0]["mountPath"], "/harbor_cust_cert/corporate-ca.crt");
}

#[test]
fn the_attempt_is_allowed_when_the_node_has_both_images() {
    let ended = |name: &str| {
        json!({"name": name, "state": {"terminated": {"exitCode": 0}}, "image": "", "imageID": "",
                                    "ready": true, "restartCount": 0})
    };
    let allowed = |steps: &[&str]| {
        let case = requested();
        let steps: Vec<_> = steps.iter().map(|name| ended(name)).collect();
        let pod = pod(&case, json!({"phase": "Pending", "initContainerStatuses": steps}));
        recorded(&with(case, pod), "migration-2.15.0-2")
    };
    assert_eq!(allowed(&[]), None);
    assert_eq!(allowed(&["pull-operator"]), None);
    assert_eq!(allowed(&["pull-core"]), None);
    assert_eq!(allowed(&["pull-operator", "pull-core"]).as_deref(), Some("allowed"));
}

#[test]
fn an_annotation_for_another_attempt_repairs_nothing_and_one_that_stays_repairs_once() {
    for other in ["2.15.0-1", "2.14.2-2", "true"] {
        let (name, policy) = policy(&failed().annotated("goharbor.io/repair-schema", other)).unwrap();
        assert_eq!(name, "harbor-core-migrate-2-15-0");
        assert!(matches!(policy, Policy::Await { .. }), "{other}");
    }
    let retried = requested().annotated("goharbor.io/retry-migration", "2.15.0-3").child("Pod");
    assert_eq!(retried["metadata"]["name"], "harbor-core-migrate-2-15-0-3");
    assert_eq!(names(&retried["spec"]["initContainers"]), ["pull-core"]);
    let begun = upgrading("2.14.2", "2.15.0", Some(("migration-2.15.0-2", "allowed")));
    let begun = Case { inputs: begun.inputs, ..requested() };
    let (name, policy) = policy(&begun).unwrap();
    assert_eq!(name, "harbor-core-migrate-2-15-0-2");
    assert!(matches!(policy, Policy::Await { absence: Absence::Lost, .. }));
}

#[test]
fn an_operator_that_does_not_know_its_image_says_so() {
    let case = Case { defaults: Defaults::default(), ..requested() };
    assert_eq!(
        case.plan().unwrap_err().to_string(),
        "metadata.annotations[goharbor.io/repair-schema]: asks for a pod with the operator's image, which the operator does \
         not know; start the operator with --operator-image"
    );
}
