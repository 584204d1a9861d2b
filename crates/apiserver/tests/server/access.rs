//! RBAC.

use crate::requests::Caller;
use apiserver::{Access, ApiServer, User};
use serde_json::{Value, json};
use std::time::Duration;

const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const BINDINGS: &str = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings";

struct World {
    server: ApiServer,
    admin: Caller,
    jane: Caller,
}

/// A server with an administrator and jane, who has no permissions yet.
fn world() -> World {
    let server = ApiServer::builder()
        .seed(1)
        .access(Access::Rbac)
        .token("admin", User::admin())
        .token("jane", User::authenticated("jane", ["crew".to_owned()]))
        .build()
        .unwrap();
    let (admin, jane) = (Caller::bearing(&server, "admin"), Caller::bearing(&server, "jane"));
    World { server, admin, jane }
}

impl World {
    /// Grants a subject a role with these rules.
    async fn grant(&self, role: &str, rules: Value, subject: Value) {
        self.admin.created(ROLES, &json!({"metadata": {"name": role}, "rules": rules})).await;
        self.admin.created(BINDINGS, &binding(role, &subject)).await;
    }
}

fn binding(role: &str, subject: &Value) -> Value {
    json!({
        "metadata": {"name": role},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role},
        "subjects": [subject],
    })
}

fn user(name: &str) -> Value {
    json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": name})
}

fn config_map(name: &str) -> Value {
    json!({"metadata": {"name": name}})
}

#[tokio::test]
async fn a_user_may_do_what_the_role_says_and_nothing_else() {
    let world = world();
    let World { admin, jane, .. } = &world;
    for name in ["a", "b"] {
        admin.created(CONFIG_MAPS, &config_map(name)).await;
    }
    let rules = json!([
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"], "resourceNames": ["a"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create"]},
        {"apiGroups": ["apps"], "resources": ["deployments/status"], "verbs": ["get"]},
    ]);
    world.grant("reader", rules, user("jane")).await;

    let status = |code: u16, message: &str, name: &str, kind: &str| {
        let mut details = json!({"kind": kind});
        if !name.is_empty() {
            details["name"] = name.into();
        }
        let answer = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": message, "reason": "Forbidden", "details": details, "code": code,
        });
        (code, answer)
    };
    assert_eq!(jane.get(&format!("{CONFIG_MAPS}/a")).await.0, 200);
    assert_eq!(
        jane.get(&format!("{CONFIG_MAPS}/b")).await,
        status(
            403,
            "configmaps \"b\" is forbidden: User \"jane\" cannot get resource \"configmaps\" in API group \"\" in the namespace \"default\"",
            "b",
            "configmaps"
        )
    );
    assert_eq!(
        jane.get("/api/v1/configmaps").await,
        status(
            403,
            "configmaps is forbidden: User \"jane\" cannot list resource \"configmaps\" in API group \"\" at the cluster scope",
            "",
            "configmaps"
        )
    );
    assert_eq!(jane.get(&format!("{CONFIG_MAPS}/a?watch=true")).await.0, 200, "a get is a get");
    jane.created(CONFIG_MAPS, &config_map("c")).await;
    let elsewhere = "/api/v1/namespaces/kube-system/configmaps";
    let deployment = "/apis/apps/v1/namespaces/default/deployments/d";
    let refused = [
        jane.get(CONFIG_MAPS).await,
        jane.get(&format!("{CONFIG_MAPS}?watch=true")).await,
        jane.create(elsewhere, &config_map("c")).await,
        jane.merge(&format!("{CONFIG_MAPS}/a"), &json!({})).await,
        jane.delete(&format!("{CONFIG_MAPS}/a"), &json!({})).await,
        jane.delete(CONFIG_MAPS, &json!({})).await,
        jane.get(deployment).await,
        jane.get(&format!("{deployment}/scale")).await,
        jane.get("/metrics").await,
    ];
    for (code, answer) in refused {
        assert_eq!((code, &answer["reason"]), (403, &json!("Forbidden")), "{answer}");
    }
    assert_eq!(jane.get(&format!("{deployment}/status")).await.0, 404, "allowed, and not there");
    assert_eq!(jane.get("/version").await.0, 200);
    assert_eq!(jane.get("/apis").await.0, 200);
    assert_eq!(admin.names(CONFIG_MAPS).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn a_user_who_may_list_one_name_lists_it_by_a_field_selector() {
    let world = world();
    let World { admin, jane, .. } = &world;
    for name in ["a", "b"] {
        admin.created(CONFIG_MAPS, &config_map(name)).await;
    }
    let rules = json!([
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"], "resourceNames": ["a"]},
    ]);
    world.grant("reader", rules, user("jane")).await;

    let listed = jane.names(&format!("{CONFIG_MAPS}?fieldSelector=metadata.name%3Da")).await;
    assert_eq!(listed, ["a"]);
    for selector in ["", "?fieldSelector=metadata.name%3Db", "?fieldSelector=metadata.name!%3Db"] {
        assert_eq!(jane.get(&format!("{CONFIG_MAPS}{selector}")).await.0, 403, "{selector}");
    }
    let watch = "fieldSelector=metadata.name%3Da&watch=true";
    assert_eq!(jane.get(&format!("{CONFIG_MAPS}?{watch}")).await.0, 403, "that is another verb");
}

#[tokio::test]
async fn an_unknown_token_is_refused_and_a_request_without_token_is_anonymous() {
    let world = world();
    let (code, answer) = Caller::bearing(&world.server, "guess").get(CONFIG_MAPS).await;
    assert_eq!((code, &answer["message"]), (401, &json!("Unauthorized")), "{answer}");
    let (code, answer) = Caller::of(&world.server).get(CONFIG_MAPS).await;
    assert_eq!(
        (code, answer["message"].as_str().unwrap()),
        (
            403,
            "configmaps is forbidden: User \"system:anonymous\" cannot list resource \"configmaps\" in API group \"\" in the namespace \"default\""
        )
    );
    assert_eq!(Caller::of(&world.server).get("/healthz").await.0, 200);
}

#[tokio::test(start_paused = true)]
async fn a_token_identifies_its_service_account_while_both_exist() {
    let world = world();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    let account = world.admin.created(accounts, &config_map("robot")).await;
    let subject = json!({"kind": "ServiceAccount", "name": "robot", "namespace": "default"});
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]);
    world.grant("robots", rules, subject).await;
    let request = json!({"spec": {"expirationSeconds": 600}});
    let issued = world.admin.created(&format!("{accounts}/robot/token"), &request).await;
    let token = issued["status"]["token"].as_str().unwrap();

    let robot = Caller::bearing(&world.server, token);
    assert_eq!(robot.get(CONFIG_MAPS).await.0, 200);
    let (code, answer) = robot.create(CONFIG_MAPS, &config_map("a")).await;
    assert_eq!(
        (code, answer["message"].as_str().unwrap()),
        (
            403,
            "configmaps is forbidden: User \"system:serviceaccount:default:robot\" cannot create resource \"configmaps\" in API group \"\" in the namespace \"default\""
        )
    );
    let review = json!({"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"});
    let myself = robot.created("/apis/authentication.k8s.io/v1/selfsubjectreviews", &review).await;
    let user_info = &myself["status"]["userInfo"];
    assert_eq!(user_info["uid"], account["metadata"]["uid"]);
    assert_eq!(
        user_info["groups"],
        json!(["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"])
    );

    tokio::time::advance(Duration::from_secs(601)).await;
    assert_eq!(robot.get(CONFIG_MAPS).await.0, 401, "it expired");
    let again = world.admin.created(&format!("{accounts}/robot/token"), &request).await;
    let robot = Caller::bearing(&world.server, again["status"]["token"].as_str().unwrap());
    assert_eq!(robot.get(CONFIG_MAPS).await.0, 200);
    world.admin.delete(&format!("{accounts}/robot"), &json!({})).await;
    world.admin.created(accounts, &config_map("robot")).await;
    assert_eq!(robot.get(CONFIG_MAPS).await.0, 401, "a new account with the same name is another one");
}

#[tokio::test]
async fn users_grant_only_permissions_that_they_hold() {
    let world = world();
    let rules = json!([
        {"apiGroups": ["rbac.authorization.k8s.io"], "resources": ["roles", "rolebindings"], "verbs": ["create", "patch"]},
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]},
    ]);
    world.grant("granter", rules, user("jane")).await;
    let role = |name: &str, verb: &str| {
        let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": [verb]}]);
        json!({"metadata": {"name": name}, "rules": rules})
    };
    world.jane.created(ROLES, &role("held", "get")).await;
    let (code, answer) = world.jane.create(ROLES, &role("more", "delete")).await;
    assert_eq!(
        (code, answer["message"].as_str().unwrap()),
        (
            403,
            "roles.rbac.authorization.k8s.io \"more\" is forbidden: user \"jane\" (groups=[\"crew\" \"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"\"], Resources:[\"configmaps\"], Verbs:[\"delete\"]}"
        )
    );
    let (code, _) = world
        .jane
        .merge(
            &format!("{ROLES}/held"),
            &json!({"rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]}),
        )
        .await;
    assert_eq!(code, 403, "nor by changing a role");
    world.admin.created(ROLES, &role("more", "delete")).await;
    world.jane.created(BINDINGS, &binding("held", &user("joe"))).await;
    let (code, _) = world.jane.create(BINDINGS, &binding("more", &user("jane"))).await;
    assert_eq!(code, 403, "nor by binding a role of another user");
    let cluster_admin = json!({
        "metadata": {"name": "all"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [user("jane")],
    });
    assert_eq!(world.jane.create(BINDINGS, &cluster_admin).await.0, 403);
}

#[tokio::test]
async fn impersonation_needs_permission() {
    let world = world();
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]);
    world.grant("lister", rules, user("jane")).await;
    let as_jane = world.admin.with("impersonate-user", "jane");
    assert_eq!(as_jane.get(CONFIG_MAPS).await.0, 200);
    let (code, answer) = as_jane.create(CONFIG_MAPS, &config_map("a")).await;
    assert_eq!(code, 403, "no longer an administrator: {answer}");
    let (code, answer) = world.jane.with("impersonate-user", "system:admin").get(CONFIG_MAPS).await;
    assert_eq!(
        (code, answer["message"].as_str().unwrap()),
        (
            403,
            "users \"system:admin\" is forbidden: User \"jane\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope"
        )
    );
    let (code, _) = world.jane.with("impersonate-group", "system:masters").get(CONFIG_MAPS).await;
    assert_eq!(code, 400, "a group alone is not a user");
}

#[tokio::test]
async fn an_apply_that_creates_an_object_needs_permission_to_create() {
    let world = world();
    let rule = |verbs: &[&str]| json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": verbs}]);
    world.grant("patcher", rule(&["patch"]), user("jane")).await;
    let apply = |name: &str| {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}).to_string();
        let path = format!("{CONFIG_MAPS}/{name}?fieldManager=jane");
        let jane = &world.jane;
        async move { jane.send("PATCH", &path, "application/apply-patch+yaml", object).await }
    };
    let (code, answer) = apply("a").await;
    let refused = "configmaps \"a\" is forbidden: User \"jane\" cannot create resource \"configmaps\" in API group \"\" in the namespace \"default\"";
    assert_eq!((code, answer["message"].as_str()), (403, Some(refused)));

    world.admin.created(CONFIG_MAPS, &config_map("b")).await;
    assert_eq!(apply("b").await.0, 200, "what is there is only patched");
    world.grant("creator", rule(&["create"]), user("jane")).await;
    assert_eq!(apply("a").await.0, 201);
}

#[tokio::test]
async fn protected_owner_references_need_their_own_permission() {
    let server = ApiServer::builder()
        .access(Access::Rbac)
        .protecting_owner_references()
        .token("admin", User::admin())
        .token("jane", User::authenticated("jane", []))
        .build()
        .unwrap();
    let (admin, jane) = (Caller::bearing(&server, "admin"), Caller::bearing(&server, "jane"));
    let world = World { server, admin, jane };
    let rule = |resource: &str, verbs: &[&str]| json!([{"apiGroups": [""], "resources": [resource], "verbs": verbs}]);
    world.grant("writer", rule("configmaps", &["create", "patch"]), user("jane")).await;
    let owner = world.admin.created(CONFIG_MAPS, &config_map("owner")).await;
    let child = |name: &str, blocks: bool| {
        let reference = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": blocks,
        });
        json!({"metadata": {"name": name, "ownerReferences": [reference]}})
    };
    assert_eq!(world.jane.create(CONFIG_MAPS, &child("free", false)).await.0, 201);
    let (code, answer) = world.jane.create(CONFIG_MAPS, &child("blocking", true)).await;
    let why =
        "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
    assert_eq!(code, 403);
    assert!(answer["message"].as_str().unwrap().contains(why), "{answer}");
    world.grant("blocker", rule("configmaps/finalizers", &["update"]), user("jane")).await;
    assert_eq!(world.jane.create(CONFIG_MAPS, &child("blocking", true)).await.0, 201);

    world.admin.created(CONFIG_MAPS, &config_map("found")).await;
    let found = format!("{CONFIG_MAPS}/found");
    assert_eq!(world.jane.merge(&found, &json!({"metadata": {"labels": {"a": "b"}}})).await.0, 200);
    let (code, answer) = world.jane.merge(&found, &child("found", false)).await;
    let why = "cannot set an ownerRef on a resource you can't delete";
    assert_eq!(code, 403);
    assert!(answer["message"].as_str().unwrap().contains(why), "{answer}");
    world.grant("deleter", rule("configmaps", &["delete"]), user("jane")).await;
    assert_eq!(world.jane.merge(&found, &child("found", false)).await.0, 200);
}
