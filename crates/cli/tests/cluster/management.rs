//! Objects inside a Harbor that the operator process reaches over the network, with TLS.
//!
//! A HarborServerConfiguration is in no namespace, so the operator reconciles the whole cluster, which the tests share.
//! Each operator has a class of its own.

use crate::{account, logged::Process, world::World};
use api::v1beta1::{
    HarborConfiguration, HarborProject, HarborProjectMember, HarborRobot, HarborServerConfiguration,
    HarborTask, PullSecretBinding,
};
use envtest::{ControlPlane, HarborApi, Kind, TIMEOUT};
use k8s_openapi::api::core::v1::{Namespace, Secret, ServiceAccount};
use kube::{
    Api, Resource,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    runtime::wait::{await_condition, conditions},
};
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tokio::time::timeout;

const CLASS: &str = "goharbor.io/harbor-class";
const FINALIZER: &str = "goharbor.io/external";
const OLD_FINALIZER: &str = "harborproject.goharbor.io/finalizer";

/// A namespace, a Harbor, a HarborServerConfiguration with the name of the namespace, and an operator.
struct Team {
    world: World,
    harbor: HarborApi,
    _operator: Process,
    _kubeconfig: NamedTempFile,
}

impl Team {
    async fn new() -> Self {
        Self::with(&[]).await
    }

    /// With flags that `rbac` has, too.
    async fn with(flags: &[&str]) -> Self {
        let world = World::with_controller_manager(ControlPlane::with_controller_manager()).await;
        let harbor = HarborApi::start().await;
        let secret = |name: &str, values: Value| json!({"metadata": {"name": name}, "stringData": values});
        let credentials = json!({"accessKey": "admin", "accessSecret": HarborApi::PASSWORD});
        world.post_json::<Secret>(secret("harbor", credentials)).await;
        world.post_json::<Secret>(secret("authority", json!({"ca.crt": harbor.authority}))).await;
        let server = json!({
            "apiVersion": "goharbor.io/v1beta1", "kind": "HarborServerConfiguration",
            "metadata": {"name": world.name, "annotations": {CLASS: world.name}},
            "spec": {
                "serverURL": harbor.url, "version": "v2.15.2",
                "accessCredential": {"namespace": world.name, "accessSecretRef": "harbor"},
                "caRef": {"namespace": world.name, "name": "authority"},
            },
        });
        let kubeconfig = account::kubeconfig(&world.plane, &account::name(&world.name));
        world.apply_as_named(permissions(&world.name, flags)).await;
        let servers: Api<HarborServerConfiguration> = Api::all(world.plane.client());
        servers.create(&PostParams::default(), &serde_json::from_value(server).unwrap()).await.unwrap();
        let own = ["--class", &world.name, "--digest-key-namespace", &world.name];
        let operator = Process::start(kubeconfig.path(), &[&own, flags].concat());
        Self { world, harbor, _operator: operator, _kubeconfig: kubeconfig }
    }

    /// Creates an object of this operator's class, with more metadata.
    async fn create_with<K: Kind>(&self, name: &str, metadata: Value, spec: Value) {
        let mut object = json!({"metadata": metadata, "spec": spec});
        object["metadata"]["name"] = name.into();
        object["metadata"]["annotations"] = json!({CLASS: self.world.name});
        object["spec"]["harborServerConfig"] = self.world.name.clone().into();
        self.world.post_json::<K>(object).await;
    }

    async fn create<K: Kind>(&self, name: &str, spec: Value) {
        self.create_with::<K>(name, json!({}), spec).await;
    }

    async fn until_ready<K: Kind>(&self, name: &str) -> Value {
        json!(Box::pin(self.world.until::<K>(name, is_ready)).await)
    }

    async fn change<K: Kind>(&self, name: &str, spec: Value) {
        self.world.merge::<K>(name, json!({"spec": spec})).await;
        self.until_ready::<K>(name).await;
    }

    async fn delete<K: Kind>(&self, name: &str) {
        self.world.delete::<K>(name).await;
        self.world.until_gone::<K>(name).await;
    }
}

async fn delete_server_configuration(world: &World) {
    let servers: Api<HarborServerConfiguration> = Api::all(world.plane.client());
    servers.delete(&world.name, &DeleteParams::default()).await.unwrap();
    until_gone(servers, &world.name).await;
}

/// What `rbac` prints for the whole cluster, under names that no other test uses.
fn permissions(namespace: &str, flags: &[&str]) -> Vec<Value> {
    let mut objects = account::printed(&[&["--operator-namespace", namespace], flags].concat());
    let rename = |name: &mut Value| {
        *name = name.as_str().unwrap().replace("harbor-operator", namespace).into();
    };
    for object in &mut objects {
        if object["kind"].as_str().is_some_and(|kind| kind.starts_with("Cluster")) {
            rename(&mut object["metadata"]["name"]);
        }
        if object["kind"] == "ClusterRoleBinding" {
            rename(&mut object["roleRef"]["name"]);
        }
    }
    objects
}

fn is_ready<K: Kind>(object: &K) -> bool {
    let object = json!(object);
    let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
    conditions
        .filter(|it| it["type"] == "Ready" && it["status"] == "True")
        .any(|it| it["observedGeneration"] == object["metadata"]["generation"])
}

async fn until_gone<K>(api: Api<K>, name: &str)
where
    K: Resource<DynamicType = ()> + Clone + std::fmt::Debug + serde::de::DeserializeOwned + Send + 'static,
{
    let Some(object) = api.get_opt(name).await.unwrap() else { return };
    let uid = object.meta().uid.clone().unwrap();
    let gone = await_condition(api, name, conditions::is_deleted(&uid));
    timeout(TIMEOUT, gone).await.unwrap_or_else(|_| panic!("{name} is gone in time")).unwrap();
}

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

    let Team { world, harbor, _operator, .. } = team;
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

    namespaces.delete(&namespace, &DeleteParams::default()).await.unwrap();
    until_gone(namespaces, &namespace).await;
    assert_eq!(harbor.ask_as(&username, &password, "GET", &repositories, Value::Null).await.0, 401);
    harbor.ask("GET", &format!("/projects/{namespace}"), Value::Null).await;
    delete_server_configuration(world).await;
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
