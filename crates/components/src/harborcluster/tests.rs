//! Tests of a HarborCluster as a whole; each of its services has tests of its own.

use super::{CACHE, DATABASE, HarborCluster, SERVICE, STORAGE};
use crate::cases::Case;
use api::names::MOVED_ANNOTATION;
use api::names::NETWORK_POLICIES_ANNOTATION;
use api::v1beta1::{ComponentStatus, Condition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use plan::{Component as _, Verdict};
use serde_json::{Value, json};

/// One with everything in the cluster.
fn a_cluster() -> Case<HarborCluster> {
    Case::golden("versions").set("/spec/version", json!("2.15.0"))
}

/// The same, once its Harbor exists.
fn an_existing_cluster() -> Case<HarborCluster> {
    let mut case = a_cluster();
    let mut harbor = case.child("Harbor");
    harbor["metadata"]["namespace"] = json!("registry");
    case.inputs.push(harbor);
    case
}

fn problem(case: &Case<HarborCluster>) -> String {
    case.plan().unwrap_err().to_string()
}

fn elsewhere(service: &str) -> Value {
    match service {
        "cache" => json!({"kind": "Redis", "spec": {"redis": {"host": "redis.example.com"}}}),
        "database" => json!({
            "kind": "PostgreSQL", "spec": {"postgresql": {"hosts": [{"host": "postgres.example.com"}]}},
        }),
        _ => json!({"kind": "S3", "spec": {"s3": {"region": "eu", "bucket": "images"}}}),
    }
}

#[test]
fn everything_in_common_is_the_harbors_as_it_is() {
    let owner = serde_json::to_value(&a_cluster().owner).unwrap();
    let harbor = a_cluster().child("Harbor");
    let own = ["cache", "database", "storage"];
    for (field, value) in
        owner["spec"].as_object().unwrap().iter().filter(|(field, _)| !own.contains(&&***field))
    {
        assert_eq!(harbor["spec"][field], *value, "{field}");
    }
}

#[test]
fn a_harbor_comes_after_all_services() {
    let plan = a_cluster().plan().unwrap();
    let (_, _, after) = plan.graph.iter().find(|(_, desired, _)| desired.aspect == Some(SERVICE)).unwrap();
    for aspect in [CACHE, DATABASE, STORAGE] {
        assert!(after.iter().any(|id| plan.graph[*id].aspect == Some(aspect)), "{aspect:?}");
    }
}

#[test]
fn b16_what_is_said_of_the_class_and_of_network_policies_is_said_of_the_harbor_too() {
    let annotated = a_cluster()
        .annotated("goharbor.io/harbor-class", "blue")
        .annotated(NETWORK_POLICIES_ANNOTATION, "true")
        .annotated("example.com/owner", "platform");
    let expected = json!({"goharbor.io/harbor-class": "blue", "goharbor.io/network-policies": "true"});
    assert_eq!(annotated.child("Harbor")["metadata"]["annotations"], expected);
}

#[test]
fn b19_a_version_no_harbor_has_is_refused_before_anything_is_made() {
    let reported = problem(&a_cluster().set("/spec/version", json!("2.4.0")));
    assert!(reported.starts_with("spec.version: "), "{reported}");
}

#[test]
fn a_service_is_not_moved_without_its_data() {
    for service in ["cache", "database", "storage"] {
        let moved = || an_existing_cluster().set(&format!("/spec/{service}"), elsewhere(service));
        let reported = problem(&moved());
        assert!(
            reported.starts_with(&format!("spec.{service}: Harbor registry/acme-harbor has its data in ")),
            "{reported}"
        );
        assert!(
            reported.ends_with(&format!("set the annotation goharbor.io/data-moved: {service}")),
            "{reported}"
        );

        assert_eq!(moved().annotated(MOVED_ANNOTATION, "cache, database,storage").plan().err(), None);
        let other = if service == "cache" { "database" } else { "cache" };
        assert_eq!(problem(&moved().annotated(MOVED_ANNOTATION, other)), reported);
    }
}

#[test]
fn what_a_cluster_may_move_its_harbor_may_move() {
    let annotations = |case: Case<HarborCluster>| case.child("Harbor")["metadata"]["annotations"].clone();
    let moved = a_cluster().annotated(MOVED_ANNOTATION, "storage");
    assert_eq!(annotations(moved), json!({"goharbor.io/data-moved": "storage"}));
    assert_eq!(annotations(a_cluster()), Value::Null);
}

#[test]
fn requests_to_migrate_again_and_to_rotate_credentials_reach_the_harbor() {
    let asked = a_cluster()
        .annotated("goharbor.io/retry-migration", "2.15.0-2")
        .annotated("goharbor.io/repair-schema", "2.15.0-3")
        .annotated("goharbor.io/rotate-encryption-key", "key-2")
        .annotated("goharbor.io/rotate", "csrf@1")
        .set("/spec/rotation", json!({"token": {"interval": "720h"}}));
    let expected = json!({
        "goharbor.io/retry-migration": "2.15.0-2", "goharbor.io/repair-schema": "2.15.0-3",
        "goharbor.io/rotate-encryption-key": "key-2", "goharbor.io/rotate": "csrf@1",
    });
    let harbor = asked.child("Harbor");
    assert_eq!(harbor["metadata"]["annotations"], expected);
    assert_eq!(harbor["spec"]["rotation"], json!({"token": {"interval": "720h"}}));
}

#[test]
fn a_restored_database_is_known_to_the_harbor() {
    let restored = a_cluster().annotated("goharbor.io/database-restored", "2.14.2");
    let expected = json!({"goharbor.io/database-restored": "2.14.2"});
    assert_eq!(restored.child("Harbor")["metadata"]["annotations"], expected);
}

#[test]
fn all_services_that_would_lose_their_data_are_named_at_once() {
    let moved = ["cache", "database", "storage"].into_iter().fold(an_existing_cluster(), |case, service| {
        case.set(&format!("/spec/{service}"), elsewhere(service))
    });
    let reported = problem(&moved);
    for service in ["spec.cache", "spec.database", "spec.storage"] {
        assert!(reported.contains(service), "{reported}");
    }
}

/// A cluster whose services all exist elsewhere, and its Harbor.
fn external() -> Case<HarborCluster> {
    let mut case = ["cache", "database", "storage"]
        .into_iter()
        .fold(a_cluster(), |case, service| case.set(&format!("/spec/{service}"), elsewhere(service)));
    let mut harbor = case.child("Harbor");
    harbor["metadata"]["namespace"] = json!("registry");
    case.inputs.push(harbor);
    case
}

#[test]
fn another_name_of_a_server_is_no_other_place() {
    let renamed = external()
        .set("/spec/cache/spec/redis/host", json!("other.example.com"))
        .set("/spec/database/spec/postgresql/hosts", json!([{"host": "other.example.com"}]))
        .set("/spec/storage/spec/s3/regionendpoint", json!("https://s3.example.com"));
    assert_eq!(renamed.plan().err(), None);
}

#[test]
fn another_bucket_directory_or_prefix_is_another_place() {
    for (field, value) in [
        ("/spec/storage/spec/s3/bucket", "others"),
        ("/spec/storage/spec/s3/rootdirectory", "/others"),
        ("/spec/database/spec/postgresql/prefix", "other-"),
    ] {
        let reported = problem(&external().set(field, json!(value)));
        assert!(reported.contains("has its data in") && reported.contains("other"), "{reported}");
    }
}

#[test]
fn the_status_is_one_word() {
    let status = ComponentStatus::default();
    let owner = a_cluster().owner;
    let waiting = Verdict::Progressing { reason: "ChildrenNotReady", message: String::new() };
    let stalled = Verdict::Stalled { reason: "InvalidSpec", message: String::new() };
    for (verdict, word) in [(Verdict::Ready, "healthy"), (waiting, "provisioning"), (stalled, "unhealthy")] {
        assert_eq!(details(&owner, &verdict, &status)["status"], word);
    }
}

#[test]
fn b18_the_revision_moves_with_the_conditions_and_with_nothing_else() {
    let owner = a_cluster().owner;
    let revision = |time: jiff::Timestamp| {
        let condition = Condition {
            type_: "Ready".into(),
            status: "True".into(),
            reason: None,
            message: None,
            last_transition_time: Some(Time(time)),
            observed_generation: None,
        };
        let status = ComponentStatus { conditions: vec![condition], ..ComponentStatus::default() };
        details(&owner, &Verdict::Ready, &status)["revision"].clone()
    };
    let at = |second, nanosecond| jiff::Timestamp::new(second, nanosecond).unwrap();
    assert_eq!(revision(at(1, 0)), json!(1_000_000_000));
    assert_eq!(revision(at(2, 0)), json!(2_000_000_000_i64));
    assert_eq!(revision(at(2, 963_998_000)), revision(at(2, 0)), "fractions of a second are not stored");
}

#[test]
fn another_database_on_the_same_server_is_another_place() {
    let external = |name: Value| {
        json!({"kind": "PostgreSQL", "spec": {"postgresql": {
            "hosts": [{"host": "postgres.example.com"}], "name": name,
        }}})
    };
    let mut case = a_cluster().set("/spec/database", external(json!("registry")));
    let mut harbor = case.child("Harbor");
    harbor["metadata"]["namespace"] = json!("registry");
    case.inputs.push(harbor);
    assert!(case.plan().is_ok());
    let moved = problem(&case.set("/spec/database", external(json!("other"))));
    assert!(
        moved.contains("in the database registry, and not in") && moved.contains("the database other"),
        "{moved}"
    );
}

#[test]
fn the_data_of_a_harbor_that_a_user_created_is_not_compared_with_the_cluster() {
    let mut case = an_existing_cluster().set("/spec/storage", elsewhere("storage"));
    for harbor in case.inputs.iter_mut().filter(|input| input["kind"] == "Harbor") {
        harbor["metadata"] = json!({"name": harbor["metadata"]["name"], "namespace": "registry"});
    }
    assert_eq!(case.plan().err(), None, "the operator refuses to take the Harbor over, and says so");
}

fn details(
    owner: &api::v1beta1::HarborCluster,
    verdict: &Verdict,
    status: &ComponentStatus,
) -> serde_json::Map<String, serde_json::Value> {
    let (previous, external) = (&serde_json::Map::new(), &plan::ExternalObjects::new());
    let record = &plan::Record::default();
    let clock = &plan::Clock::new(jiff::Timestamp::UNIX_EPOCH);
    HarborCluster::details(
        owner,
        &plan::Conclusion {
            verdict,
            cause: None,
            clock,
            status,
            previous,
            external,
            record,
            rotations: None,
            written: None,
        },
    )
}
