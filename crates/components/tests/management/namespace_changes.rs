//! Changes of a Namespace: of its annotations, its deletion, and what came of it in Harbor.

use crate::{
    namespace::{NAME, annotate, made, namespaces, new, own_project, pull_secrets, until_bound},
    pull_secret_binding::{Robot, logs_in, service_account, with_robot},
    world::{World, settled},
};
use api::v1beta1::{HarborProject, HarborRobot, HarborServerConfiguration, PullSecretBinding};
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

/// Asks for pull secrets of a robot account of the project `alpha`.
fn named_project(robot: &Robot) -> Value {
    json!({
        "goharbor.io/harbor": "acme", "goharbor.io/project": "alpha", "goharbor.io/robot": robot.id,
        "goharbor.io/rotate-robot": "true", "goharbor.io/service-account": "builder",
    })
}

/// The names of the projects in Harbor.
async fn projects(world: &World) -> Vec<String> {
    let projects = world.ask("GET", "/projects", Value::Null).await;
    let names = projects.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

/// The robot accounts of a project.
async fn robots(world: &World, project: &str) -> Vec<Value> {
    let project = world.ask("GET", &format!("/projects/{project}"), Value::Null).await["project_id"].clone();
    let path = format!("/robots?q=Level%3Dproject%2CProjectID%3D{project}");
    world.ask("GET", &path, Value::Null).await.as_array().unwrap().clone()
}

#[tokio::test(start_paused = true)]
async fn a_project_and_a_robot_account_that_exist_are_named() {
    let world = new().await;
    let robot = with_robot(&world).await;
    annotate(&world, named_project(&robot)).await;
    until_bound(&world).await;
    assert_eq!(made(&world).await, [format!("PullSecretBinding {NAME}")]);
    let secret = format!("{NAME}-pull");
    assert_eq!(pull_secrets(&world, "builder").await, ["of-others".to_owned(), secret.clone()]);
    assert!(logs_in(&world, &secret).await);
}

#[tokio::test(start_paused = true)]
async fn the_password_of_a_robot_account_comes_from_a_secret_of_the_namespace() {
    let world = new().await;
    let robot = with_robot(&world).await;
    world.ask("PATCH", &format!("/robots/{}", robot.id), json!({"secret": "Password-of-the-robot-1"})).await;
    world.secret("robot", &[("password", "Password-of-the-robot-1")]).await;
    let mut annotations = named_project(&robot);
    annotations["goharbor.io/rotate-robot"] = Value::Null;
    annotations["goharbor.io/robot-password-secret"] = "robot".into();
    world.take_writes();
    annotate(&world, annotations).await;
    until_bound(&world).await;
    assert!(logs_in(&world, &format!("{NAME}-pull")).await);
    assert_eq!(world.take_writes(), Vec::<String>::new(), "the robot account is left alone");
}

#[tokio::test(start_paused = true)]
async fn new_15_another_robot_account_or_service_account_takes_effect_in_the_same_binding() {
    let world = new().await;
    let robot = with_robot(&world).await;
    annotate(&world, named_project(&robot)).await;
    until_bound(&world).await;
    let access =
        json!([{"resource": "repository", "action": "pull"}, {"resource": "project", "action": "read"}]);
    let permissions = json!([{"kind": "project", "namespace": "alpha", "access": access}]);
    let other = json!({"name": "other", "level": "project", "duration": -1, "permissions": permissions});
    let other = world.ask("POST", "/robots", other).await["id"].to_string();
    service_account(&world, "other", json!([])).await;
    annotate(&world, json!({"goharbor.io/robot": other, "goharbor.io/service-account": "other"})).await;
    tokio::time::sleep(crate::world::INTERVAL * 2).await;
    until_bound(&world).await;
    assert_eq!(world.get::<PullSecretBinding>(NAME).await["spec"]["robotId"], *other);
    let secret = format!("{NAME}-pull");
    let login = crate::pull_secret_binding::login(&world, &secret).await;
    assert_eq!(login["username"], "robot$alpha+other");
    assert_eq!(pull_secrets(&world, "builder").await, ["of-others"]);
    assert_eq!(pull_secrets(&world, "other").await, [secret]);
}

#[tokio::test(start_paused = true)]
async fn new_15_another_project_takes_effect_and_the_one_before_stays_in_harbor() {
    let world = new().await;
    annotate(&world, own_project()).await;
    until_bound(&world).await;
    let robot = with_robot(&world).await;
    annotate(&world, named_project(&robot)).await;
    world.until_gone::<HarborRobot>(NAME).await;
    world.until_gone::<HarborProject>(NAME).await;
    until_bound(&world).await;
    assert_eq!(made(&world).await, [format!("PullSecretBinding {NAME}")]);
    assert_eq!(pull_secrets(&world, "default").await, Vec::<String>::new());
    assert_eq!(pull_secrets(&world, "builder").await, ["of-others".to_owned(), format!("{NAME}-pull")]);
    assert_eq!(projects(&world).await, ["alpha", "default", "library"]);
    assert_eq!(robots(&world, "default").await, Vec::<Value>::new());

    annotate(
        &world,
        json!({
            "goharbor.io/project": "*", "goharbor.io/robot": null, "goharbor.io/rotate-robot": null,
        }),
    )
    .await;
    until_bound(&world).await;
    assert_eq!(made(&world).await.len(), 3);
    assert_eq!(pull_secrets(&world, "builder").await, ["of-others", NAME]);
    assert_eq!(robots(&world, "default").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn another_harbor_takes_effect_and_another_default_moves_nothing() {
    let world = new().await;
    let servers: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    let make_default = async |name: &str, default: bool| {
        let patch = json!({"spec": {"default": default}});
        servers.patch(name, &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    };
    // Another name for the same Harbor: the robot account must be gone before it is created again.
    let spec = servers.get("acme").await.unwrap().spec;
    let other = json!({"kind": "HarborServerConfiguration", "metadata": {"name": "other"}, "spec": spec});
    world.create(other).await;
    make_default("acme", true).await;
    annotate(&world, json!({"goharbor.io/project": "*"})).await;
    until_bound(&world).await;
    let harbor = async || world.get::<PullSecretBinding>(NAME).await["spec"]["harborServerConfig"].clone();
    assert_eq!(harbor().await, "acme");
    let uid = world.get::<HarborRobot>(NAME).await["metadata"]["uid"].clone();

    make_default("acme", false).await;
    make_default("other", true).await;
    settled().await;
    annotate(&world, json!({"goharbor.io/robot-access": "push"})).await;
    until_bound(&world).await;
    assert_eq!(
        (harbor().await, &world.get::<HarborRobot>(NAME).await["metadata"]["uid"]),
        (json!("acme"), &uid)
    );

    annotate(&world, json!({"goharbor.io/harbor": "other"})).await;
    until_bound(&world).await;
    assert_eq!(harbor().await, "other");
    world.until_reason::<HarborRobot>(NAME, "Ready").await;
    assert_eq!(pull_secrets(&world, "default").await, [NAME]);
    assert_eq!(robots(&world, "default").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_project_is_named_after_the_template_and_access_can_be_extended() {
    let world = new().await;
    let servers: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    let patch = json!({"spec": {"projectNameTemplate": "{namespace}.*"}});
    servers.patch("acme", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    annotate(&world, own_project()).await;
    until_bound(&world).await;
    assert_eq!(projects(&world).await, ["default.default", "library"]);
    let access = async || {
        let robots = robots(&world, "default.default").await;
        let access = robots[0]["permissions"][0]["access"].as_array().unwrap();
        access.iter().map(|it| it["action"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(access().await, ["pull"]);
    annotate(&world, json!({"goharbor.io/robot-access": "push"})).await;
    until_bound(&world).await;
    assert_eq!(access().await, ["pull", "push"]);
}

#[tokio::test(start_paused = true)]
async fn what_is_deleted_by_hand_comes_back() {
    let world = new().await;
    annotate(&world, own_project()).await;
    until_bound(&world).await;
    world.delete::<PullSecretBinding>(NAME).await;
    settled().await;
    until_bound(&world).await;
    assert_eq!(pull_secrets(&world, "default").await, [NAME]);
}

#[tokio::test(start_paused = true)]
async fn a_namespace_that_is_being_deleted_is_left_alone() {
    let world = new().await;
    let annotations = own_project();
    let namespace = json!({"metadata": {
        "name": "team", "annotations": annotations, "finalizers": ["example.com/later"],
    }});
    let namespace: Namespace = serde_json::from_value(namespace).unwrap();
    namespaces(&world).create(&PostParams::default(), &namespace).await.unwrap();
    settled().await;
    let projects: Api<HarborProject> = Api::namespaced(world.client.clone(), "team");
    assert!(projects.get_opt(NAME).await.unwrap().is_some());
    namespaces(&world).delete("team", &DeleteParams::default()).await.unwrap();
    settled().await;
    assert_eq!(projects.get_opt(NAME).await.unwrap(), None, "Kubernetes has deleted it");
    world.take_requests();
    tokio::time::sleep(crate::world::INTERVAL).await;
    let writes = world.take_requests().into_iter().filter(|it| !it.starts_with("GET "));
    assert_eq!(writes.collect::<Vec<_>>(), Vec::<String>::new());
}
