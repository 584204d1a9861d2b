//! PullSecretBindings of an operator process: the ServiceAccount gets the pull secret, and is given back as it was.

use crate::team::{Team, delete_server_configuration};
use api::v1beta1::PullSecretBinding;
use k8s_openapi::api::core::v1::{Secret, ServiceAccount};
use serde_json::{Value, json};

const PASSWORD: &str = "Password-of-the-robot-1";
/// The ServiceAccount, with a pull secret of a user.
const ACCOUNT: &str = "builder";
const OF_OTHERS: &str = "of-others";

/// A robot account of the project `alpha`, with a password that the operator does not know.
struct Robot {
    project: String,
    id: String,
    name: String,
}

impl Team {
    async fn robot(&self) -> Robot {
        let harbor = &self.harbor;
        harbor.ask("POST", "/projects", json!({"project_name": "alpha"})).await;
        let access = json!([
            {"resource": "repository", "action": "pull"}, {"resource": "project", "action": "read"},
        ]);
        let permissions = json!([{"kind": "project", "namespace": "alpha", "access": access}]);
        let robot = json!({"name": "ci", "level": "project", "duration": -1, "permissions": permissions});
        let created = harbor.ask("POST", "/robots", robot).await;
        let id = created["id"].to_string();
        harbor.ask("PATCH", &format!("/robots/{id}"), json!({"secret": PASSWORD})).await;
        let project = harbor.ask("GET", "/projects/alpha", Value::Null).await["project_id"].to_string();
        let account = json!({"metadata": {"name": ACCOUNT}, "imagePullSecrets": [{"name": OF_OTHERS}]});
        self.world.post_json::<ServiceAccount>(account).await;
        Robot { project, id, name: created["name"].as_str().unwrap().to_owned() }
    }

    /// Binds the robot account to the ServiceAccount, with more fields.
    async fn bind(&self, robot: &Robot, fields: Value) {
        let mut spec = json!({"serviceAccount": ACCOUNT, "projectId": robot.project, "robotId": robot.id});
        spec.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.create::<PullSecretBinding>("team", spec).await;
    }

    async fn pull_secrets(&self) -> Vec<String> {
        let account = self.world.get::<ServiceAccount>(ACCOUNT).await;
        account.image_pull_secrets.unwrap_or_default().into_iter().map(|it| it.name).collect()
    }

    /// The status of a request of the robot account with this password.
    async fn status_with(&self, robot: &Robot, password: &str) -> u16 {
        self.harbor.ask_as(&robot.name, password, "GET", "/projects/alpha", Value::Null).await.0
    }

    /// The password in the pull secret, for the host of the Harbor.
    async fn password(&self, robot: &Robot) -> String {
        let secret = self.world.get::<Secret>("team-pull").await;
        assert_eq!(secret.type_.as_deref(), Some("kubernetes.io/dockerconfigjson"));
        let config: Value = serde_json::from_slice(&secret.data.unwrap()[".dockerconfigjson"].0).unwrap();
        let login = &config["auths"][self.harbor.url.trim_start_matches("https://")];
        assert_eq!(login["username"], *robot.name);
        login["password"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_password_in_a_secret_becomes_a_pull_secret_and_the_service_account_is_given_back() {
    let team = Team::new().await;
    let robot = team.robot().await;
    let password = json!({"metadata": {"name": "robot"}, "stringData": {"password": PASSWORD}});
    team.world.post_json::<Secret>(password).await;
    team.bind(&robot, json!({"secretRef": {"name": "robot"}})).await;
    let bound = team.until_ready::<PullSecretBinding>("team").await;
    assert_eq!(bound["status"]["status"], "ready");
    assert_eq!(team.pull_secrets().await, [OF_OTHERS, "team-pull"]);
    assert_eq!(team.password(&robot).await, PASSWORD);
    assert_eq!(team.status_with(&robot, PASSWORD).await, 200, "Harbor still has it");

    let more = json!([{"name": OF_OTHERS}, {"name": "team-pull"}, {"name": "of-a-user"}]);
    team.world.merge::<ServiceAccount>(ACCOUNT, json!({"imagePullSecrets": more})).await;
    team.delete::<PullSecretBinding>("team").await;
    assert_eq!(team.pull_secrets().await, [OF_OTHERS, "of-a-user"]);
    team.world.until_gone::<Secret>("team-pull").await;
    delete_server_configuration(&team.world).await;
}

#[tokio::test]
async fn a_robot_account_that_may_be_rotated_gets_a_new_password_which_the_pull_secret_has() {
    let team = Team::new().await;
    let robot = team.robot().await;
    team.bind(&robot, json!({})).await;
    let refused = |it: &PullSecretBinding| {
        let object = json!(it);
        let conditions = object["status"]["conditions"].as_array().into_iter().flatten();
        conditions.into_iter().any(|it| it["type"] == "Ready" && it["reason"] == "InvalidSpec")
    };
    team.world.until::<PullSecretBinding>("team", refused).await;
    assert_eq!(team.pull_secrets().await, [OF_OTHERS]);
    assert_eq!(team.status_with(&robot, PASSWORD).await, 200, "no user has allowed a rotation");

    let allowed = json!({"metadata": {"annotations": {"goharbor.io/rotate-robot": "true"}}});
    team.world.merge::<PullSecretBinding>("team", allowed).await;
    team.until_ready::<PullSecretBinding>("team").await;
    assert_eq!(team.pull_secrets().await, [OF_OTHERS, "team-pull"]);
    let password = team.password(&robot).await;
    assert_eq!(team.status_with(&robot, &password).await, 200);
    assert_eq!(team.status_with(&robot, PASSWORD).await, 401);

    team.delete::<PullSecretBinding>("team").await;
    assert_eq!(team.pull_secrets().await, [OF_OTHERS]);
    delete_server_configuration(&team.world).await;
}
