//! Input that is wrong: it is refused with its field, or reported with what to do, and Harbor is left as it was.

use crate::{
    case::Case,
    cases::{cases, prepare},
    steps::{create, until_reason},
    world::{PASSWORD, World},
};
use harborserver::Version;
use http::StatusCode;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};
use std::time::Duration;

/// Why the API server refuses an object, as `kubectl apply` asks it.
async fn refusal(world: &World, case: &Case, object: Value) -> Option<String> {
    let mut object = object;
    object["apiVersion"] = "goharbor.io/v1beta1".into();
    let plural = format!("{}s", case.kind.to_lowercase());
    let path = format!("/apis/goharbor.io/v1beta1/namespaces/default/{plural}");
    let request = http::Request::post(format!("{path}?fieldValidation=Strict&dryRun=All"))
        .header("content-type", "application/json")
        .body(serde_json::to_vec(&object).unwrap())
        .unwrap();
    match world.client.request::<Value>(request).await {
        Ok(_) => None,
        Err(kube::Error::Api(status)) => Some(status.message.clone()),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(start_paused = true)]
async fn unknown_keys_and_wrong_types_are_refused_with_their_field() {
    let world = World::without_operator(Version::new(15, 2)).await;
    for case in cases("it") {
        assert_eq!(refusal(&world, &case, case.object(json!({}))).await, None, "{}", case.kind);
        let unknown = refusal(&world, &case, case.object(json!({"projectNaem": "it"}))).await;
        let unknown = unknown.unwrap_or_else(|| panic!("{} has no spec.projectNaem", case.kind));
        assert!(unknown.contains("unknown field \"spec.projectNaem\""), "{unknown}");
        for (field, value) in case.spec.as_object().unwrap() {
            let wrong = if value.is_object() || value.is_array() { json!("text") } else { json!([1]) };
            let message = refusal(&world, &case, case.object(json!({field.as_str(): wrong}))).await;
            let message = message.unwrap_or_else(|| panic!("{}: spec.{field} is not {wrong}", case.kind));
            assert!(message.contains(&format!("spec.{field}")), "{}: {message}", case.kind);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_harbor_that_does_not_exist_is_named_until_it_does() {
    let world = World::new().await;
    prepare(&world).await;
    world.take_calls();
    let named = |case: &Case, name: &str, target: Value| {
        let mut object = case.object(target);
        object["metadata"]["name"] = name.into();
        object
    };
    for case in cases("it") {
        world.create(named(&case, "by-server", json!({"harborServerConfig": "later"}))).await;
        let reference =
            json!({"harborServerConfig": null, "harborRef": {"name": "nowhere", "kind": "Harbor"}});
        world.create(named(&case, "by-reference", reference)).await;
        for (name, missing) in [
            ("by-server", "HarborServerConfiguration later does not exist"),
            ("by-reference", "Harbor default/nowhere does not exist"),
        ] {
            let message = world.until_reason_of(case.api(&world), name, "DependencyMissing").await;
            assert!(message.contains(missing), "{}: {message}", case.kind);
        }
    }
    assert_eq!(world.take_writes(), Vec::<String>::new());

    let spec = json!({
        "serverURL": "https://harbor.example.com", "version": "v2.15.2",
        "accessCredential": {"namespace": "default", "accessSecretRef": "acme-credentials"},
    });
    let later = json!({"kind": "HarborServerConfiguration", "metadata": {"name": "later"}, "spec": spec});
    world.create(later).await;
    for case in cases("it") {
        world.until_reason_of(case.api(&world), "by-server", "Ready").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_wrong_password_is_sent_once_for_all_objects_together() {
    let mut world = World::without_operator(Version::new(15, 2)).await;
    prepare(&world).await;
    world.merge::<Secret>("acme-credentials", json!({"stringData": {"accessSecret": "Wrong12345"}})).await;
    world.take_calls();
    let cases = cases("it");
    create(&world, &cases, json!({})).await;
    world.start();
    let rejected = || world.harbor.served().iter().filter(|it| it.status == StatusCode::UNAUTHORIZED).count();
    tokio::time::sleep(Duration::from_secs(14)).await;
    assert_eq!(rejected(), 1);
    until_reason(&world, &cases, "ExternalForbidden").await;
    // What Harbor says about its database is a few seconds old, so the first 401 may be that of a database that is down.
    // After the second, the operator waits for five minutes.
    tokio::time::sleep(Duration::from_mins(4)).await;
    assert_eq!(rejected(), 2);
    for case in &cases {
        let object = case.api(&world).get(&case.name).await.unwrap();
        assert!(!json!(object).to_string().contains("Wrong12345"), "{}", case.kind);
    }

    world.merge::<Secret>("acme-credentials", json!({"stringData": {"accessSecret": PASSWORD}})).await;
    until_reason(&world, &cases, "Ready").await;
}
