//! The annotations of a Namespace.

use crate::{
    connection::Counted,
    contents::contents,
    pull_secret_binding::{binding, service_account, with_robot},
    secrecy::assert_nowhere,
    world::{OLD_OPERATOR, World, settled},
};
use api::v1beta1::{HarborProject, HarborRobot, HarborServerConfiguration, PullSecretBinding};
use harborserver::Version;
use k8s_openapi::api::core::v1::{Namespace, ServiceAccount};
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A cluster whose operator reconciles Namespaces, with the ServiceAccount `default`. The operator does not run yet.
pub async fn without_operator() -> World {
    let mut world = World::without_operator(Version::new(15, 2)).await;
    world.components = components::with_optional();
    service_account(&world, "default", json!([])).await;
    world
}

pub async fn new() -> World {
    let mut world = without_operator().await;
    world.start();
    world
}

pub fn namespaces(world: &World) -> Api<Namespace> {
    Api::all(world.client.clone())
}

/// Changes annotations of the Namespace `default`.
pub async fn annotate(world: &World, annotations: Value) {
    let patch = json!({"metadata": {"annotations": annotations}});
    namespaces(world).patch("default", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
}

/// Asks for a project of the namespace's own.
pub fn own_project() -> Value {
    json!({"goharbor.io/harbor": "acme", "goharbor.io/project": "*"})
}

/// Kind and name of the objects that the operator created for the Namespace.
pub async fn made(world: &World) -> Vec<String> {
    let params = ListParams::default().labels("goharbor.io/made-for=namespace");
    let mut made = Vec::new();
    let projects = world.api::<HarborProject>().list(&params).await.unwrap().items;
    made.extend(projects.iter().map(|it| format!("HarborProject {}", it.name_any())));
    let robots = world.api::<HarborRobot>().list(&params).await.unwrap().items;
    made.extend(robots.iter().map(|it| format!("HarborRobot {}", it.name_any())));
    let bindings = world.api::<PullSecretBinding>().list(&params).await.unwrap().items;
    made.extend(bindings.iter().map(|it| format!("PullSecretBinding {}", it.name_any())));
    made
}

/// The name of all objects that the operator creates for a Namespace.
pub const NAME: &str = "4k8s";

/// Lets the operator act on annotations, and waits until the PullSecretBinding is ready.
pub async fn until_bound(world: &World) {
    settled().await;
    world.until_reason::<PullSecretBinding>(NAME, "Ready").await;
    settled().await;
}

/// The pull secrets of a ServiceAccount.
pub async fn pull_secrets(world: &World, account: &str) -> Vec<String> {
    let account = world.get::<ServiceAccount>(account).await;
    let items = account["imagePullSecrets"].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

/// Whether Harbor knows the robot account in a Secret. It may pull images, and read nothing else.
async fn is_known(world: &World, secret: &str) -> bool {
    let values = world.secret_values(secret).await;
    world.status_for(&values["username"], &values["password"], "/projects/default").await != 401
}

/// The requests of the operator that write Namespaces.
fn writes_of_namespaces(world: &World) -> Vec<String> {
    let requests = world.take_requests().into_iter().filter(|it| !it.starts_with("GET "));
    let is_namespace = |path: &str| path.starts_with("/api/v1/namespaces") && path.matches('/').count() <= 4;
    requests.filter(|it| it.split_once(' ').is_some_and(|(_, path)| is_namespace(path))).collect()
}

#[tokio::test(start_paused = true)]
async fn an_annotated_namespace_gets_a_project_a_robot_account_and_a_pull_secret() {
    let world = new().await;
    annotate(&world, own_project()).await;
    until_bound(&world).await;
    let expected = ["HarborProject", "HarborRobot", "PullSecretBinding"].map(|kind| format!("{kind} {NAME}"));
    assert_eq!(made(&world).await, expected);
    assert_eq!(pull_secrets(&world, "default").await, [NAME]);
    let username = world.secret_values(NAME).await.remove("username").unwrap();
    assert_eq!(username, "robot$default+4k8s-default");
    assert!(is_known(&world, NAME).await);

    let binding = world.get::<PullSecretBinding>(NAME).await;
    let uid = namespaces(&world).get("default").await.unwrap().metadata.uid;
    let owner = json!([{
        "apiVersion": "v1", "kind": "Namespace", "name": "default", "uid": uid, "controller": true,
    }]);
    assert_eq!(binding["metadata"]["ownerReferences"], owner);
    assert_eq!(binding["status"]["secretName"], NAME);
    let password = world.secret_values(NAME).await.remove("password").unwrap();
    assert_nowhere::<PullSecretBinding>(&world, NAME, &password).await;
}

#[tokio::test(start_paused = true)]
async fn new_16_the_operator_never_writes_a_namespace() {
    let world = new().await;
    let before = namespaces(&world).get("default").await.unwrap();
    annotate(&world, own_project()).await;
    until_bound(&world).await;
    annotate(&world, json!({"goharbor.io/project": "Wrong"})).await;
    settled().await;
    annotate(&world, json!({"goharbor.io/project": null, "goharbor.io/harbor": null})).await;
    settled().await;
    let after = namespaces(&world).get("default").await.unwrap();
    assert_eq!((after.spec, after.status), (before.spec, before.status));
    assert_eq!(after.metadata.annotations.unwrap_or_default(), [].into());
    assert_eq!(after.metadata.finalizers, before.metadata.finalizers);
    assert_eq!(writes_of_namespaces(&world), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_namespace_without_annotations_costs_no_request() {
    let world = new().await;
    settled().await;
    world.take_requests();
    world.take_calls();
    for name in ["one", "two", "three"] {
        let namespace: Namespace = serde_json::from_value(json!({"metadata": {"name": name}})).unwrap();
        namespaces(&world).create(&PostParams::default(), &namespace).await.unwrap();
    }
    annotate(&world, json!({"goharbor.io/harbor": "acme", "other": "annotation"})).await;
    settled().await;
    assert_eq!((world.take_requests(), world.take_calls()), (Vec::new(), Vec::new()));
}

#[tokio::test(start_paused = true)]
async fn mistakes_are_events_about_the_namespace_until_they_are_corrected() {
    let world = new().await;
    annotate(&world, json!({"goharbor.io/project": "alpha", "goharbor.io/robot": "many"})).await;
    settled().await;
    let notes = world.event_notes("InvalidSpec").await;
    let [note] = notes.as_slice() else { panic!("{notes:?}") };
    assert!(
        note.contains("metadata.annotations[goharbor.io/robot]: \"many\" is no id; write the id"),
        "{note}"
    );

    annotate(&world, json!({"goharbor.io/project": "*", "goharbor.io/robot": null})).await;
    settled().await;
    let notes = world.event_notes("InvalidSpec").await;
    let no_default = "metadata.annotations[goharbor.io/harbor]: is not set, and there is no default";
    assert!(notes.len() == 2 && notes.iter().any(|note| note.starts_with(no_default)), "{notes:?}");

    annotate(&world, json!({"goharbor.io/harbor": "other"})).await;
    settled().await;
    let missing = "HarborServerConfiguration other does not exist; create it";
    assert_eq!(world.event_notes("DependencyMissing").await, [missing]);

    annotate(&world, json!({"goharbor.io/harbor": "acme"})).await;
    until_bound(&world).await;
    assert_eq!(world.event_notes("Ready").await, ["all children are ready"]);
    assert_eq!(world.event_notes("InvalidSpec").await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn b22_bindings_of_users_are_never_deleted() {
    let world = new().await;
    let robot = with_robot(&world).await;
    world.secret("robot", &[("password", "unused")]).await;
    world.create(binding(&robot, json!({"spec": {"secretRef": {"name": "robot"}}}))).await;
    annotate(&world, own_project()).await;
    until_bound(&world).await;
    let of_user = world.get::<PullSecretBinding>("team").await["spec"].clone();

    // The old operator deleted all bindings of the namespace when it found no Harbor.
    let servers: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    servers.delete("acme", &DeleteParams::default()).await.unwrap();
    settled().await;
    assert_eq!(made(&world).await.len(), 3, "what the operator created stays, too");
    assert_eq!(world.get::<PullSecretBinding>("team").await["spec"], of_user);

    annotate(&world, json!({"goharbor.io/project": null})).await;
    world.until_gone::<PullSecretBinding>(NAME).await;
    settled().await;
    assert_eq!(made(&world).await, Vec::<String>::new());
    assert_eq!(world.get::<PullSecretBinding>("team").await["spec"], of_user);
}

#[tokio::test(start_paused = true)]
async fn b22_a_binding_that_the_old_operator_made_for_the_namespace_works_and_stays() {
    let world = new().await;
    let robot = with_robot(&world).await;
    world.ask("PATCH", &format!("/robots/{}", robot.id), json!({"secret": "Password-of-the-robot-1"})).await;
    world.secret("robot", &[("password", "Password-of-the-robot-1")]).await;
    let uid = namespaces(&world).get("default").await.unwrap().metadata.uid;
    let owner = json!({
        "apiVersion": "v1", "kind": "Namespace", "name": "default", "uid": uid, "controller": true,
    });
    let spec = json!({"secretRef": {"name": "robot"}});
    let mut old = binding(
        &robot,
        json!({"metadata": {"name": "binding-abcdef", "ownerReferences": [owner]}, "spec": spec}),
    );
    old["apiVersion"] = "goharbor.io/v1beta1".into();
    let params = PostParams { field_manager: Some(OLD_OPERATOR.into()), ..PostParams::default() };
    let old: PullSecretBinding = serde_json::from_value(old).unwrap();
    world.api::<PullSecretBinding>().create(&params, &old).await.unwrap();

    let without_password = json!({"goharbor.io/project": "alpha", "goharbor.io/robot": robot.id});
    annotate(&world, without_password).await;
    world.until_reason::<PullSecretBinding>("binding-abcdef", "Ready").await;
    annotate(&world, json!({"goharbor.io/harbor": "acme", "goharbor.io/robot-password-secret": "robot"}))
        .await;
    until_bound(&world).await;
    annotate(&world, json!({"goharbor.io/project": null})).await;
    world.until_gone::<PullSecretBinding>(NAME).await;
    settled().await;
    world.until_reason::<PullSecretBinding>("binding-abcdef", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn b22_an_object_of_a_user_under_the_name_of_a_child_is_left_alone() {
    let world = new().await;
    annotate(&world, own_project()).await;
    until_bound(&world).await;
    annotate(&world, json!({"goharbor.io/project": null})).await;
    world.until_gone::<PullSecretBinding>(NAME).await;
    world.until_gone::<HarborProject>(NAME).await;
    let spec = json!({"harborServerConfig": "acme", "projectName": "of-a-user"});
    world.create(json!({"kind": "HarborProject", "metadata": {"name": NAME}, "spec": spec})).await;
    world.until_reason::<HarborProject>(NAME, "Ready").await;
    let of_user = world.get::<HarborProject>(NAME).await["spec"].clone();
    annotate(&world, own_project()).await;
    settled().await;
    assert_eq!(world.get::<HarborProject>(NAME).await["spec"], of_user);
    assert_eq!(made(&world).await, Vec::<String>::new());
    let notes = world.event_notes("AlreadyExists").await;
    assert!(notes.iter().any(|note| note.contains(&format!("HarborProject default/{NAME}"))), "{notes:?}");
}

/// Ends what there is, and asks for a project again, without an operator.
async fn begin_again(world: &mut World) {
    annotate(world, json!({"goharbor.io/project": null})).await;
    world.until_gone::<PullSecretBinding>(NAME).await;
    world.until_gone::<HarborRobot>(NAME).await;
    world.until_gone::<HarborProject>(NAME).await;
    settled().await;
    world.kill();
    world.ask("DELETE", "/projects/default", Value::Null).await;
    annotate(world, own_project()).await;
    world.take_requests();
    world.take_calls();
}

/// What there is in the cluster and in Harbor.
async fn found(world: &World) -> (BTreeSet<String>, [Vec<String>; 3]) {
    let secrets = world.secret_names().await;
    (contents(world).await, [made(world).await, secrets, pull_secrets(world, "default").await])
}

/// A Namespace that an operator has bound for the second time, so that nothing is left of the first.
async fn bound_again() -> World {
    let mut world = new().await;
    annotate(&world, own_project()).await;
    until_bound(&world).await;
    begin_again(&mut world).await;
    world.start();
    until_bound(&world).await;
    world
}

#[tokio::test(start_paused = true)]
async fn new_14_an_operator_that_is_killed_at_any_write_leaks_nothing() {
    let mut world = bound_again().await;
    let expected = found(&world).await;
    let requests = world.take_requests();
    let writes = requests.iter().filter(|it| !it.starts_with("GET ")).count();
    assert!(writes >= 12, "{requests:#?}");

    for killed_at in 1..=writes {
        begin_again(&mut world).await;
        world.run_until_write_to_cluster(killed_at).await;
        world.start();
        until_bound(&world).await;
        assert_eq!(found(&world).await, expected, "killed at write {killed_at}");
    }
}

#[tokio::test(start_paused = true)]
async fn new_14_an_operator_that_is_killed_between_any_two_requests_to_harbor_leaks_nothing() {
    let mut world = bound_again().await;
    let requests = world.calls();
    let expected = found(&world).await;
    let is_write = |request: &&String| !request.starts_with("GET") && !request.starts_with("HEAD");
    let writes = requests.iter().filter(is_write).count();
    assert!(writes >= 2 && requests.len() > writes, "{requests:#?}");

    for killed_at in 1..=requests.len() {
        begin_again(&mut world).await;
        world.run_until_request(Counted::All, killed_at).await;
        world.start();
        until_bound(&world).await;
        assert_eq!(found(&world).await, expected, "killed at {killed_at}: {}", requests[killed_at - 1]);
    }
}
