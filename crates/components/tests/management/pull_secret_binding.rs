//! PullSecretBinding.

use crate::{
    secrecy::assert_nowhere,
    world::{INTERVAL, World, settled},
};
use api::v1beta1::{HarborServerConfiguration, PullSecretBinding};
use harborserver::Version;
use k8s_openapi::api::{
    core::v1::{Secret, ServiceAccount},
    events::v1::Event,
};
use kube::{
    Api,
    api::{ListParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

const PASSWORD: &str = "Password-of-the-robot-1";

/// A robot account of the project `alpha`, by its numbers.
pub struct Robot {
    pub project: String,
    pub id: String,
}

/// A project with a robot account, and the ServiceAccount `builder`.
pub async fn with_robot(world: &World) -> Robot {
    world.ask("POST", "/projects", json!({"project_name": "alpha"})).await;
    let access = json!([
        {"resource": "repository", "action": "pull"}, {"resource": "project", "action": "read"},
    ]);
    let permissions = json!([{"kind": "project", "namespace": "alpha", "access": access}]);
    let robot = json!({"name": "ci", "level": "project", "duration": -1, "permissions": permissions});
    let created = world.ask("POST", "/robots", robot).await;
    let project = world.ask("GET", "/projects/alpha", Value::Null).await;
    service_account(world, "builder", json!([{"name": "of-others"}])).await;
    Robot { project: project["project_id"].to_string(), id: created["id"].to_string() }
}

pub async fn service_account(world: &World, name: &str, secrets: Value) {
    let object = json!({"metadata": {"name": name}, "imagePullSecrets": secrets});
    let object: ServiceAccount = serde_json::from_value(object).unwrap();
    world.api::<ServiceAccount>().create(&PostParams::default(), &object).await.unwrap();
}

/// A binding of the robot account to the ServiceAccount `builder`, with changes.
pub fn binding(robot: &Robot, changes: Value) -> Value {
    let mut binding = json!({
        "kind": "PullSecretBinding", "metadata": {"name": "team"},
        "spec": {
            "harborServerConfig": "acme", "serviceAccount": "builder",
            "projectId": robot.project, "robotId": robot.id,
        },
    });
    json_patch::merge(&mut binding, &changes);
    binding
}

/// With permission to set a new password.
fn rotating(robot: &Robot) -> Value {
    binding(robot, json!({"metadata": {"annotations": {"goharbor.io/rotate-robot": "true"}}}))
}

async fn new() -> (World, Robot) {
    let world = World::new().await;
    let robot = with_robot(&world).await;
    settled().await;
    world.take_calls();
    (world, robot)
}

async fn ready() -> (World, Robot) {
    let (world, robot) = new().await;
    world.create(rotating(&robot)).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    settled().await;
    (world, robot)
}

/// The pull secrets of the ServiceAccount `builder`.
pub async fn pull_secrets(world: &World) -> Vec<String> {
    let account = world.get::<ServiceAccount>("builder").await;
    let items = account["imagePullSecrets"].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

/// The login in a pull secret, for the host of the Harbor.
pub async fn login(world: &World, secret: &str) -> Value {
    let config = world.secret_values(secret).await.remove(".dockerconfigjson").unwrap();
    serde_json::from_str::<Value>(&config).unwrap()["auths"]["harbor.example.com"].take()
}

/// Whether a pull secret gets into the project `alpha`.
pub async fn logs_in(world: &World, secret: &str) -> bool {
    let login = login(world, secret).await;
    let (username, password) = (login["username"].as_str().unwrap(), login["password"].as_str().unwrap());
    world.status_for(username, password, "/projects/alpha").await == 200
}

#[tokio::test(start_paused = true)]
async fn b21_a_password_is_not_replaced_silently_and_the_condition_says_what_to_write() {
    let (world, robot) = new().await;
    world.create(binding(&robot, json!({}))).await;
    let message = world.until_reason::<PullSecretBinding>("team", "InvalidSpec").await;
    let command = "kubectl -n default annotate pullsecretbinding team goharbor.io/rotate-robot=true";
    assert!(message.contains(command) && message.starts_with("spec.secretRef: is not set"), "{message}");
    settled().await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    assert_eq!(pull_secrets(&world).await, ["of-others"]);
    let status = world.get::<PullSecretBinding>("team").await["status"].take();
    assert_eq!([&status["status"], &status["reason"]], [&json!("error"), &json!("InvalidSpec")]);
    assert_eq!(status["message"], message);
}

#[tokio::test(start_paused = true)]
async fn b21_with_permission_the_robot_account_gets_a_password_that_logs_in() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = World::with_version(version).await;
        let robot = with_robot(&world).await;
        settled().await;
        world.take_calls();
        world.create(rotating(&robot)).await;
        world.until_reason::<PullSecretBinding>("team", "Ready").await;
        assert_eq!(world.take_writes(), [format!("PATCH /robots/{}", robot.id)], "{version}");
        assert_eq!(world.get::<Secret>("team-pull").await["type"], "kubernetes.io/dockerconfigjson");
        assert!(logs_in(&world, "team-pull").await, "{version}");
        assert_eq!(pull_secrets(&world).await, ["of-others", "team-pull"]);
        settled().await;
        let status = world.get::<PullSecretBinding>("team").await["status"].take();
        assert_eq!([&status["status"], &status["secretName"]], [&json!("ready"), &json!("team-pull")]);
    }
}

#[tokio::test(start_paused = true)]
async fn with_a_given_password_nothing_is_written_to_harbor() {
    let (world, robot) = new().await;
    let body = json!({"secret": PASSWORD});
    world.ask("PATCH", &format!("/robots/{}", robot.id), body).await;
    world.take_calls();
    let given = binding(&robot, json!({"spec": {"secretRef": {"name": "robot"}}}));
    world.create(given).await;
    let message = world.until_reason::<PullSecretBinding>("team", "DependencyMissing").await;
    assert!(message.contains("Secret default/robot"), "{message}");
    world.secret("robot", &[("password", PASSWORD)]).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    assert_eq!(login(&world, "team-pull").await["password"], PASSWORD);
    assert!(logs_in(&world, "team-pull").await);
    assert_eq!(world.take_writes(), Vec::<String>::new());

    world.merge::<Secret>("robot", json!({"stringData": {"password": "Another-password-2"}})).await;
    settled().await;
    assert_eq!(login(&world, "team-pull").await["password"], "Another-password-2");
}

/// The hosts that the pull secret is for.
async fn hosts(world: &World) -> Vec<String> {
    let config = world.secret_values("team-pull").await.remove(".dockerconfigjson").unwrap();
    let config: Value = serde_json::from_str(&config).unwrap();
    config["auths"].as_object().unwrap().keys().cloned().collect()
}

#[tokio::test(start_paused = true)]
async fn credentials_are_for_the_bare_host() {
    let (world, _) = ready().await;
    assert_eq!(hosts(&world).await, ["harbor.example.com"]);
    assert_eq!(login(&world, "team-pull").await["username"], "robot$alpha+ci");
}

#[tokio::test(start_paused = true)]
async fn credentials_are_also_for_the_host_that_rewritten_images_name() {
    let (world, _) = ready().await;
    let servers: Api<HarborServerConfiguration> = Api::all(world.client.clone());
    let patch = Patch::Merge(json!({"spec": {"serverURL": "http://10.0.0.1:8080/"}}));
    servers.patch("acme", &PatchParams::default(), &patch).await.unwrap();
    settled().await;
    assert_eq!(hosts(&world).await, ["10.0.0.1:8080", "harbor.example.com"]);
    assert!(logs_in(&world, "team-pull").await);
}

#[tokio::test(start_paused = true)]
async fn b20_deletion_needs_neither_the_harbor_nor_the_service_account() {
    for has_account in [true, false] {
        let (world, _) = ready().await;
        world.take_calls();
        world.is_down.store(true, Ordering::SeqCst);
        world.delete::<Secret>("acme-credentials").await;
        if !has_account {
            world.delete::<ServiceAccount>("builder").await;
        }
        world.delete::<PullSecretBinding>("team").await;
        world.until_gone::<PullSecretBinding>("team").await;
        if has_account {
            assert_eq!(pull_secrets(&world).await, ["of-others"]);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn deletion_deletes_neither_the_robot_account_nor_a_project_that_an_annotation_names() {
    let (world, robot) = new().await;
    let mut object = rotating(&robot);
    object["metadata"]["annotations"]["goharbor.io/project"] = "alpha".into();
    world.create(object).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    settled().await;
    world.take_calls();
    world.delete::<PullSecretBinding>("team").await;
    world.until_gone::<PullSecretBinding>("team").await;
    settled().await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    world.ask("GET", &format!("/robots/{}", robot.id), Value::Null).await;
}

#[tokio::test(start_paused = true)]
async fn deletion_gives_the_entry_of_the_service_account_back_and_leaves_those_of_others() {
    let (world, _) = ready().await;
    world.delete::<PullSecretBinding>("team").await;
    world.until_gone::<PullSecretBinding>("team").await;
    assert_eq!(pull_secrets(&world).await, ["of-others"]);
    let account = world.get::<ServiceAccount>("builder").await;
    assert_eq!(account["metadata"].get("ownerReferences"), None);
}

#[tokio::test(start_paused = true)]
async fn the_service_account_is_neither_owned_nor_labelled() {
    let (world, _) = ready().await;
    let metadata = world.get::<ServiceAccount>("builder").await["metadata"].take();
    let fields = ["ownerReferences", "labels", "annotations", "finalizers"];
    assert_eq!(fields.map(|field| metadata.get(field)), [None; 4]);
}

#[tokio::test(start_paused = true)]
async fn a_binding_of_another_service_account_gives_the_first_one_back() {
    let (world, _) = ready().await;
    service_account(&world, "other", Value::Null).await;
    world.merge::<PullSecretBinding>("team", json!({"spec": {"serviceAccount": "other"}})).await;
    settled().await;
    assert_eq!(pull_secrets(&world).await, ["of-others"]);
    let other = world.get::<ServiceAccount>("other").await;
    assert_eq!(other["imagePullSecrets"], json!([{"name": "team-pull"}]));
}

#[tokio::test(start_paused = true)]
async fn a_missing_service_account_is_named_and_its_creation_wakes_the_binding() {
    let (world, robot) = new().await;
    let mut object = rotating(&robot);
    object["spec"]["serviceAccount"] = "late".into();
    world.create(object).await;
    let message = world.until_reason::<PullSecretBinding>("team", "DependencyMissing").await;
    assert_eq!(message, "ServiceAccount default/late does not exist; create it");
    assert!(logs_in(&world, "team-pull").await, "the Secret does not wait");
    settled().await;
    service_account(&world, "late", Value::Null).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let late = world.get::<ServiceAccount>("late").await;
    assert_eq!(late["imagePullSecrets"], json!([{"name": "team-pull"}]));
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    assert_eq!(world.get::<PullSecretBinding>("team").await["status"]["status"], "ready");
}

#[tokio::test(start_paused = true)]
async fn what_others_do_to_the_service_account_stays_but_for_the_entry() {
    let (world, _) = ready().await;
    let change = json!({"imagePullSecrets": [{"name": "new"}], "metadata": {"labels": {"team": "a"}}});
    world.merge::<ServiceAccount>("builder", change).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(pull_secrets(&world).await, ["new", "team-pull"]);
    let account = world.get::<ServiceAccount>("builder").await;
    assert_eq!(account["metadata"]["labels"], json!({"team": "a"}));
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_deleted_comes_back_and_works() {
    let (world, _) = ready().await;
    for name in ["team-pull", "team-pull-password"] {
        world.delete::<Secret>(name).await;
        settled().await;
        assert!(logs_in(&world, "team-pull").await, "after {name} was deleted");
    }
}

#[tokio::test(start_paused = true)]
async fn two_bindings_share_a_service_account_and_give_back_their_own_entry() {
    let (world, robot) = new().await;
    world.create(rotating(&robot)).await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    let password = world.secret_values("team-pull-password").await.remove("password").unwrap();
    world.secret("copy", &[("password", &password)]).await;
    let second = json!({"metadata": {"name": "second"}, "spec": {"secretRef": {"name": "copy"}}});
    world.create(binding(&robot, second)).await;
    world.until_reason::<PullSecretBinding>("second", "Ready").await;
    assert_eq!(pull_secrets(&world).await, ["of-others", "team-pull", "second-pull"]);
    world.delete::<PullSecretBinding>("team").await;
    world.until_gone::<PullSecretBinding>("team").await;
    settled().await;
    assert_eq!(pull_secrets(&world).await, ["of-others", "second-pull"]);
    world.until_reason::<PullSecretBinding>("second", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn one_event_says_that_earlier_pods_lack_the_secret() {
    let (world, _) = ready().await;
    tokio::time::sleep(INTERVAL * 3).await;
    let events: Api<Event> = Api::all(world.client.clone());
    let events = events.list(&ListParams::default()).await.unwrap().items;
    let amended: Vec<_> = events.iter().filter(|event| event.reason.as_deref() == Some("Amended")).collect();
    let [event] = amended.as_slice() else { panic!("{amended:#?}") };
    let note = event.note.as_deref().unwrap();
    let expected = "ServiceAccount default/builder: added {\"name\":\"team-pull\"} to imagePullSecrets; pods that were \
                    created before do not use it";
    assert!(note.starts_with(expected), "{note}");
    assert_eq!(event.series, None);
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_binding_costs_lists_of_harbor_only_and_a_restart_writes_nothing() {
    let (mut world, _) = ready().await;
    world.take_calls();
    world.take_requests();
    tokio::time::sleep(INTERVAL * 3).await;
    // All others are watches.
    let of_objects = |request: &String| request.contains("/namespaces/");
    let requests: Vec<_> = world.take_requests().into_iter().filter(of_objects).collect();
    assert_eq!(requests, Vec::<String>::new());
    world.restart().await;
    tokio::time::sleep(INTERVAL).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    let writes = world.take_requests().into_iter().filter(|request| !request.starts_with("GET"));
    assert_eq!(writes.collect::<Vec<_>>(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn a_harbor_robot_is_bound_with_its_own_secret() {
    let (world, _) = new().await;
    let spec = json!({"harborServerConfig": "acme", "serviceAccount": "builder", "robotRef": "puller"});
    world.create(json!({"kind": "PullSecretBinding", "metadata": {"name": "team"}, "spec": spec})).await;
    let message = world.until_reason::<PullSecretBinding>("team", "DependencyMissing").await;
    assert!(message.contains("HarborRobot default/puller"), "{message}");
    let access = json!([
        {"resource": "repository", "action": "pull"}, {"resource": "project", "action": "read"},
    ]);
    world
        .create(json!({
            "kind": "HarborRobot", "metadata": {"name": "puller"},
            "spec": {
                "harborServerConfig": "acme", "robotName": "puller", "level": "project",
                "projectName": "alpha", "secret": {},
                "permissions": [{"kind": "project", "access": access}],
            },
        }))
        .await;
    world.until_reason::<PullSecretBinding>("team", "Ready").await;
    assert_eq!(pull_secrets(&world).await, ["of-others", "puller"]);
    assert!(logs_in(&world, "puller").await);
    assert_eq!(
        world.secret_names().await,
        ["puller", "puller-robot"],
        "the binding has no Secret of its own"
    );
    world.delete::<PullSecretBinding>("team").await;
    world.until_gone::<PullSecretBinding>("team").await;
    assert_eq!(pull_secrets(&world).await, ["of-others"]);
    assert!(logs_in(&world, "puller").await, "the Secret of the HarborRobot stays");
}

#[tokio::test(start_paused = true)]
async fn a_robot_account_that_does_not_exist_or_is_disabled_is_named() {
    let (world, robot) = new().await;
    let mut object = rotating(&robot);
    object["spec"]["robotId"] = "4711".into();
    world.create(object).await;
    let message = world.until_reason::<PullSecretBinding>("team", "InvalidSpec").await;
    let expected = format!("the project with the id {} has no robot account with the id 4711", robot.project);
    assert!(message.contains(&expected), "{message}");
    world.merge::<PullSecretBinding>("team", json!({"spec": {"robotId": "four"}})).await;
    let message = world.until_reason::<PullSecretBinding>("team", "InvalidSpec").await;
    assert!(message.contains("spec.robotId: \"four\" is no id"), "{message}");

    let path = format!("/robots/{}", robot.id);
    let mut disabled = world.ask("GET", &path, Value::Null).await;
    disabled["disable"] = true.into();
    world.ask("PUT", &path, disabled).await;
    world.merge::<PullSecretBinding>("team", json!({"spec": {"robotId": robot.id}})).await;
    tokio::time::sleep(INTERVAL * 2).await;
    let message = world.until_reason::<PullSecretBinding>("team", "InvalidSpec").await;
    assert!(message.contains("the robot account robot$alpha+ci is disabled"), "{message}");
}

#[tokio::test(start_paused = true)]
async fn the_password_is_in_secrets_only() {
    let (world, _) = ready().await;
    let password = login(&world, "team-pull").await["password"].as_str().unwrap().to_owned();
    assert_nowhere::<PullSecretBinding>(&world, "team", &password).await;
    assert!(!world.get::<ServiceAccount>("builder").await.to_string().contains(&password));
}
