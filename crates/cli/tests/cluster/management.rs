//! Objects inside a Harbor that the operator process reaches over the network, with TLS.

use crate::{
    team::{CLASS, Team, delete_server_configuration, is_ready, until_gone},
    world::World,
};
use api::v1beta1::{
    HarborConfiguration, HarborProject, HarborProjectMember, HarborRobot, HarborTask, PullSecretBinding,
};
use envtest::TIMEOUT;
use k8s_openapi::api::core::v1::{Namespace, Secret, ServiceAccount};
use kube::{
    Api,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    runtime::wait::await_condition,
};
use serde_json::{Value, json};
use tokio::time::timeout;

const FINALIZER: &str = "goharbor.io/external";
const OLD_FINALIZER: &str = "harborproject.goharbor.io/finalizer";

#[tokio::test]
async fn objects_of_a_team_are_created_changed_and_deleted_in_a_harbor_behind_a_certificate() {
    let team = Team::new().await;
    let anna = json!({
        "username": "anna", "email": "anna@example.com", "realname": "Anna", "password": "Harbor12345",
    });
    team.harbor.ask("POST", "/users", anna).await;
    let old = json!({"finalizers": [OLD_FINALIZER]});
    team.create_with::<HarborProject>("team", old, json!({"projectName": "team", "storageQuota": "1Gi"}))
        .await;
    let member = json!({"projectName": "team", "name": "anna", "type": "user", "role": "developer"});
    team.create::<HarborProjectMember>("anna", member).await;
    let access =
        json!([{"resource": "project", "action": "read"}, {"resource": "repository", "action": "pull"}]);
    let robot = json!({
        "robotName": "ci", "level": "project", "projectRef": "team", "secret": {"name": "pull"},
        "permissions": [{"kind": "project", "access": access}],
    });
    team.create::<HarborRobot>("ci", robot).await;
    team.create::<HarborConfiguration>("main", json!({"configuration": {"tokenExpiration": 45}})).await;
    team.create::<HarborTask>("gc", json!({"garbageCollection": {"dryRun": true}})).await;

    let project = team.until_ready::<HarborProject>("team").await;
    assert!(json!(project["metadata"]["finalizers"]).as_array().unwrap().contains(&json!(FINALIZER)));
    team.until_ready::<HarborProjectMember>("anna").await;
    team.until_ready::<HarborRobot>("ci").await;
    team.until_ready::<HarborConfiguration>("main").await;
    let task = team.until_ready::<HarborTask>("gc").await;
    assert_eq!(task["status"]["state"], "Success");
    let pull = team.world.get::<Secret>("pull").await;
    assert_eq!(pull.type_.as_deref(), Some("kubernetes.io/dockerconfigjson"));
    let values = pull.data.unwrap();
    let text = |key: &str| String::from_utf8(values[key].0.clone()).unwrap();
    let (username, password) = (text("username"), text("password"));
    let (status, _) = team.harbor.ask_as(&username, &password, "GET", "/projects/team", Value::Null).await;
    assert_eq!(status, 200);

    team.change::<HarborProject>("team", json!({"metadata": {"public": true}})).await;
    team.change::<HarborProjectMember>("anna", json!({"role": "guest"})).await;
    team.change::<HarborConfiguration>("main", json!({"configuration": {"tokenExpiration": 50}})).await;
    let project = team.harbor.ask("GET", "/projects/team", Value::Null).await;
    assert_eq!(project["metadata"]["public"], "true");
    let members = team.harbor.ask("GET", "/projects/team/members?entityname=anna", Value::Null).await;
    assert_eq!(members[0]["role_name"], "guest");
    let settings = team.harbor.ask("GET", "/configurations", Value::Null).await;
    assert_eq!(settings["token_expiration"]["value"], 50);

    team.delete::<HarborTask>("gc").await;
    team.delete::<HarborConfiguration>("main").await;
    team.delete::<HarborRobot>("ci").await;
    team.world.until_gone::<Secret>("pull").await;
    team.delete::<HarborProjectMember>("anna").await;
    team.delete::<HarborProject>("team").await;
    let projects = team.harbor.ask("GET", "/projects", Value::Null).await;
    let names: Vec<_> = projects.as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["library"]);
    delete_server_configuration(&team.world).await;
}

#[tokio::test]
async fn a_namespace_with_a_project_can_be_deleted_when_its_harbor_and_its_configuration_are_gone() {
    let team = Team::new().await;
    let namespace = team.world.plane.create_namespace("team").await.unwrap();
    let projects: Api<HarborProject> = Api::namespaced(team.world.plane.client(), &namespace);
    let project = json!({
        "metadata": {"name": "team", "annotations": {CLASS: team.world.name}},
        "spec": {"projectName": "team", "harborServerConfig": team.world.name},
    });
    projects.create(&PostParams::default(), &serde_json::from_value(project).unwrap()).await.unwrap();
    let ready = |object: Option<&HarborProject>| object.is_some_and(is_ready);
    timeout(TIMEOUT, await_condition(projects.clone(), "team", ready))
        .await
        .expect("it becomes ready")
        .unwrap();

    let Team { world, harbor, operator: _operator, .. } = team;
    harbor.stop().await;
    delete_server_configuration(&world).await;
    let namespaces: Api<Namespace> = Api::all(world.plane.client());
    namespaces.delete(&namespace, &DeleteParams::default()).await.unwrap();
    until_gone(namespaces, &namespace).await;
}

#[tokio::test]
async fn an_annotated_namespace_gets_a_project_and_a_pull_secret_and_can_be_deleted() {
    let team = Team::with(&["--bind-namespaces"]).await;
    let Team { world, harbor, .. } = &team;
    let (client, namespace) = (world.plane.client(), world.plane.create_namespace("bound").await.unwrap());
    let accounts: Api<ServiceAccount> = Api::namespaced(client.clone(), &namespace);
    let account = serde_json::from_value(json!({"metadata": {"name": "builder"}})).unwrap();
    accounts.create(&PostParams::default(), &account).await.unwrap();
    let annotations = json!({
        CLASS: world.name, "goharbor.io/harbor": world.name, "goharbor.io/project": "*",
        "goharbor.io/service-account": "builder",
    });
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let patch = json!({"metadata": {"annotations": annotations}});
    namespaces.patch(&namespace, &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();

    let bindings: Api<PullSecretBinding> = Api::namespaced(client.clone(), &namespace);
    let ready = |object: Option<&PullSecretBinding>| object.is_some_and(is_ready);
    timeout(TIMEOUT, await_condition(bindings, "4k8s", ready)).await.expect("it becomes ready").unwrap();
    let account = accounts.get("builder").await.unwrap();
    assert_eq!(json!(account.image_pull_secrets), json!([{"name": "4k8s"}]));
    let secrets: Api<Secret> = Api::namespaced(client, &namespace);
    let values = secrets.get("4k8s").await.unwrap().data.unwrap();
    let text = |key: &str| String::from_utf8(values[key].0.clone()).unwrap();
    let (username, password) = (text("username"), text("password"));
    let repositories = format!("/projects/{namespace}/repositories");
    let status = harbor.ask_as(&username, &password, "GET", &repositories, Value::Null).await.0;
    assert_eq!(status, 403, "Harbor knows the robot account, which may pull and do nothing else");
    commands_show_what_the_operator_does_for_a_namespace(world, &namespace).await;

    namespaces.delete(&namespace, &DeleteParams::default()).await.unwrap();
    until_gone(namespaces, &namespace).await;
    assert_eq!(harbor.ask_as(&username, &password, "GET", &repositories, Value::Null).await.0, 401);
    harbor.ask("GET", &format!("/projects/{namespace}"), Value::Null).await;
    delete_server_configuration(world).await;
}

async fn commands_show_what_the_operator_does_for_a_namespace(world: &World, namespace: &str) {
    let ran =
        world.run_in(namespace, &["status", &format!("namespace/{namespace}"), "--bind-namespaces"]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let place = |text: &str| ran.out.find(text).unwrap_or_else(|| panic!("no {text}: {}", ran.out));
    let root = place(&format!("Namespace {namespace}"));
    assert!(["HarborProject", "HarborRobot", "PullSecretBinding"].iter().all(|child| place(child) > root));
    let ran = world.run_in(namespace, &["status", "--bind-namespaces"]).await;
    assert!(ran.out.contains("Namespace") && !ran.out.contains("HarborRobot"), "{}", ran.out);
    let ran = world.run_in(namespace, &["status"]).await;
    assert!(!ran.out.contains("Namespace ") && ran.out.contains("HarborRobot"), "{}", ran.out);

    let plan = async |namespace: &str, annotation: (&str, &str)| {
        let (key, value) = annotation;
        let object = json!({
            "apiVersion": "v1", "kind": "Namespace",
            "metadata": {"name": namespace, "annotations": {key: value, CLASS: world.name}},
        });
        let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
        std::fs::write(file.path(), object.to_string()).unwrap();
        let path = file.path().to_str().unwrap();
        let flags = ["plan", "-f", path, "--bind-namespaces", "--class", &world.name, "--force-conflicts"];
        world.run_in(namespace, &flags).await
    };
    let ran = plan(namespace, ("goharbor.io/robot-access", "push")).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.out.contains(&format!("~ HarborRobot {namespace}/4k8s")), "{}", ran.out);
    let ran = plan(namespace, ("goharbor.io/project", "*")).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "No changes.\n"), "{}", ran.err);
    let ran = plan("new-team", ("goharbor.io/project", "*")).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let expected = "warning: Namespace new-team: does not exist yet, so nothing can be tried in it";
    assert!(ran.err.contains(expected), "{}", ran.err);
}

#[tokio::test]
async fn names_that_harbor_would_refuse_are_refused_by_a_server_of_any_version() {
    let world = World::new().await;
    let params = PostParams { dry_run: true, ..PostParams::default() };
    for (name, is_accepted) in [("team", true), ("Team", false), ("a--b", false), ("../admin", false)] {
        let project = json!({
            "metadata": {"name": "team"}, "spec": {"projectName": name, "harborServerConfig": "harbor"},
        });
        let project: HarborProject = serde_json::from_value(project).unwrap();
        let refused = match world.api().create(&params, &project).await {
            Ok(_) => None,
            Err(kube::Error::Api(status)) => {
                status.details.map(|it| it.causes.into_iter().map(|it| it.field))
            }
            Err(error) => panic!("{error}"),
        };
        let refused: Option<Vec<_>> = refused.map(Iterator::collect);
        let expected = (!is_accepted).then(|| vec!["spec.projectName".to_owned()]);
        assert_eq!(refused, expected, "{name}");
    }
}
