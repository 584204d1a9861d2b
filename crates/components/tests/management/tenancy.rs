//! What a HarborServerConfiguration allows the objects of a namespace.

use crate::{
    pull_secret_binding::{binding, with_robot},
    world::World,
};
use api::v1beta1::{
    HarborProject, HarborProjectMember, HarborRobot, HarborServerConfiguration, PullSecretBinding,
};
use harborserver::Version;
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api,
    api::{Patch, PatchParams},
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

async fn configure(world: &World, spec: Value) {
    let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    api.patch("acme", &PatchParams::default(), &Patch::Merge(&json!({ "spec": spec }))).await.unwrap();
}

async fn label(world: &World, team: Value) {
    let api: Api<Namespace> = Api::all(world.client.clone());
    let labels = json!({"metadata": {"labels": {"team": team}}});
    api.patch("default", &PatchParams::default(), &Patch::Merge(&labels)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn only_namespaces_that_it_selects_may_use_it_and_changed_labels_take_effect_within_a_second() {
    let world = World::new().await;
    configure(&world, json!({"namespaceSelector": {"matchLabels": {"team": "a"}}})).await;
    let spec = json!({"projectName": "alpha", "harborServerConfig": "acme"});
    world.create(json!({"kind": "HarborProject", "metadata": {"name": "alpha"}, "spec": spec})).await;
    let message = world.until_reason::<HarborProject>("alpha", "InvalidSpec").await;
    let expected = "HarborServerConfiguration acme is not open to namespace default";
    assert!(message.contains(expected), "{message}");

    for (team, reason) in [(json!("a"), "Ready"), (Value::Null, "InvalidSpec"), (json!("a"), "Ready")] {
        label(&world, team).await;
        let changed = Instant::now();
        world.until_reason::<HarborProject>("alpha", reason).await;
        assert!(changed.elapsed() <= Duration::from_secs(1), "{reason} after {:?}", changed.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn objects_of_a_namespace_may_only_name_projects_that_fit_the_template() {
    let world = World::new().await;
    configure(&world, json!({"projectNameTemplate": "{namespace}.*"})).await;
    let access = json!([{"resource": "repository", "action": "pull"}]);
    let robot = |name: &str, permission: Value| {
        json!({"kind": "HarborRobot", "metadata": {"name": name}, "spec": {
            "robotName": name, "harborServerConfig": "acme", "level": "system", "permissions": [permission],
        }})
    };
    for object in [
        json!({"kind": "HarborProject", "metadata": {"name": "other"}, "spec": {
            "projectName": "other", "harborServerConfig": "acme",
        }}),
        json!({"kind": "HarborProject", "metadata": {"name": "mine"}, "spec": {
            "projectName": "default.mine", "harborServerConfig": "acme",
        }}),
        json!({"kind": "HarborProjectMember", "metadata": {"name": "member"}, "spec": {
            "projectName": "library", "harborServerConfig": "acme", "name": "anna", "type": "user", "role": "guest",
        }}),
        robot("one", json!({"kind": "project", "namespace": "library", "access": access})),
        robot("all", json!({"kind": "project", "namespace": "*", "access": access})),
        robot("own", json!({"kind": "project", "namespace": "default.mine", "access": access})),
    ] {
        world.create(object).await;
    }
    let allowed = "HarborServerConfiguration acme allows namespace default projects called default.* only";
    let remedy =
        "see its projectNameTemplate; name a project that is called default.*, or ask the administrator";
    let refusals = [
        ("spec.projectName", "not other", world.until_reason::<HarborProject>("other", "InvalidSpec").await),
        (
            "spec.projectName",
            "not library",
            world.until_reason::<HarborProjectMember>("member", "InvalidSpec").await,
        ),
        (
            "spec.permissions[0].namespace",
            "not library",
            world.until_reason::<HarborRobot>("one", "InvalidSpec").await,
        ),
        (
            "spec.permissions[0].namespace",
            "and nothing beyond them",
            world.until_reason::<HarborRobot>("all", "InvalidSpec").await,
        ),
    ];
    for (field, but, message) in refusals {
        assert_eq!(message, format!("{field}: {allowed}, {but}: {remedy}"));
    }
    world.until_reason::<HarborProject>("mine", "Ready").await;
    world.until_reason::<HarborRobot>("own", "Ready").await;
    let names = world.ask("GET", "/projects", Value::Null).await;
    let names: Vec<_> = names.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["default.mine", "library"]);
}

async fn server(world: &World, name: &str, default: bool) {
    world
        .create(json!({
            "kind": "HarborServerConfiguration", "metadata": {"name": name},
            "spec": {
                "serverURL": "https://harbor.example.com", "version": "v2.15.2", "default": default,
                "accessCredential": {"namespace": "default", "accessSecretRef": "acme-credentials"},
            },
        }))
        .await;
}

fn without_a_harbor(name: &str) -> Value {
    json!({"kind": "HarborProject", "metadata": {"name": name}, "spec": {"projectName": name}})
}

async fn harbor_of(world: &World, name: &str) -> Value {
    world.until_reason::<HarborProject>(name, "Ready").await;
    world.get::<HarborProject>(name).await["status"]["resolvedHarbor"]["name"].take()
}

#[tokio::test(start_paused = true)]
async fn an_object_that_names_no_harbor_is_in_the_oldest_default_and_stays_there() {
    let world = World::new().await;
    world.create(without_a_harbor("alpha")).await;
    let message = world.until_reason::<HarborProject>("alpha", "InvalidSpec").await;
    assert_eq!(
        message,
        "spec: names no Harbor, and there is no default; set harborRef or harborServerConfig, or have the administrator \
         set default: true in a HarborServerConfiguration"
    );

    server(&world, "first", true).await;
    assert_eq!(harbor_of(&world, "alpha").await, "first");
    tokio::time::sleep(Duration::from_secs(2)).await;
    server(&world, "another", true).await;
    let servers: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    let message = world.until_reason_of(servers.clone(), "another", "InvalidSpec").await;
    assert_eq!(
        message,
        "spec.default: HarborServerConfiguration first is the default already, and is older; set it to false in one of \
         the two"
    );

    let patch = Patch::Merge(json!({"spec": {"default": false}}));
    servers.patch("first", &PatchParams::default(), &patch).await.unwrap();
    world.until_reason_of(servers, "another", "Ready").await;
    world.create(without_a_harbor("beta")).await;
    assert_eq!(harbor_of(&world, "beta").await, "another");
    world.take_writes();
    world.merge::<HarborProject>("alpha", json!({"spec": {"metadata": {"public": true}}})).await;
    assert_eq!(harbor_of(&world, "alpha").await, "first", "it is not moved");
    assert_eq!(world.take_writes(), ["PUT /projects/alpha"]);
}

#[tokio::test(start_paused = true)]
async fn the_harbor_of_the_process_comes_before_the_default() {
    let mut world = World::without_operator(Version::new(15, 2)).await;
    server(&world, "other", true).await;
    world.default_harbor = Some("acme".into());
    world.start();
    world.create(without_a_harbor("alpha")).await;
    assert_eq!(harbor_of(&world, "alpha").await, "acme");
}

#[tokio::test(start_paused = true)]
async fn a_binding_does_not_set_the_password_of_a_robot_account_in_a_project_of_others() {
    let world = World::new().await;
    configure(&world, json!({"projectNameTemplate": "{namespace}.*"})).await;
    let robot = with_robot(&world).await;
    let rotate = json!({"metadata": {"annotations": {"goharbor.io/rotate-robot": "true"}}});
    world.create(binding(&robot, rotate)).await;

    let message = world.until_reason::<PullSecretBinding>("team", "InvalidSpec").await;
    let expected = "spec.projectId: HarborServerConfiguration acme allows namespace default projects called default.* \
                    only, not alpha";
    assert!(message.contains(expected), "{message}");
    let calls = world.take_calls();
    assert!(!calls.iter().any(|call| call.contains("PATCH")), "{calls:?}");
}
