use super::{World, code_and_message, jane, to_jane};
use crate::access::authorize::Decision;
use crate::access::{Access, Authorizer, Grant, Question, RoleKind, Target, User, confirm_no_escalation};
use serde_json::{Value, json};

fn on<'a>(
    verb: &'a str,
    group: &'a str,
    resource: &'a str,
    namespace: &'a str,
    name: &'a str,
) -> Question<'a> {
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    Question { verb, target: Target::Resource { group, resource, subresource, namespace, name } }
}

fn allowed(world: &World, user: &User, question: Question<'_>) -> bool {
    matches!(world.authorizer().decide(user, &question), Decision::Allowed(_))
}

#[test]
fn a_role_applies_to_its_namespace_and_a_cluster_role_to_all() {
    let rules = json!([{ "verbs": ["get", "list"], "apiGroups": ["apps"], "resources": ["deployments"] }]);
    let world = World::default().role("a", "reader", rules.clone()).role("", "reader", rules);
    let local = World(world.0.clone()).bind("a", ("Role", "reader"), to_jane());
    let everywhere = World(world.0).bind("", ("ClusterRole", "reader"), to_jane());

    assert!(allowed(&local, &jane(), on("get", "apps", "deployments", "a", "x")));
    assert!(!allowed(&local, &jane(), on("get", "apps", "deployments", "b", "x")));
    assert!(!allowed(&local, &jane(), on("list", "apps", "deployments", "", "")));
    assert!(!allowed(&local, &jane(), on("delete", "apps", "deployments", "a", "x")));
    assert!(!allowed(&local, &jane(), on("get", "", "deployments", "a", "x")));
    assert!(allowed(&everywhere, &jane(), on("get", "apps", "deployments", "b", "x")));
    assert!(!allowed(
        &everywhere,
        &User::authenticated("joe", []),
        on("get", "apps", "deployments", "b", "x")
    ));
}

#[test]
fn resources_subresources_and_names_match_as_they_are_written() {
    let allows = |resources: Value, names: Value, resource: &'static str, name: &'static str| {
        let rule =
            json!({ "verbs": ["*"], "apiGroups": ["*"], "resources": resources, "resourceNames": names });
        let world = World::default().role("", "r", json!([rule])).bind("", ("ClusterRole", "r"), to_jane());
        allowed(&world, &jane(), on("get", "apps", resource, "a", name))
    };
    assert!(allows(json!(["*"]), json!([]), "deployments/status", "x"));
    assert!(allows(json!(["deployments/status"]), json!([]), "deployments/status", "x"));
    assert!(allows(json!(["*/status"]), json!([]), "deployments/status", "x"));
    assert!(!allows(json!(["deployments"]), json!([]), "deployments/status", "x"));
    assert!(!allows(json!(["*/status"]), json!([]), "deployments", "x"));
    assert!(allows(json!(["deployments"]), json!(["x"]), "deployments", "x"));
    assert!(!allows(json!(["deployments"]), json!(["x"]), "deployments", "y"));
    assert!(!allows(json!(["deployments"]), json!(["x"]), "deployments", ""));
}

#[test]
fn groups_and_service_accounts_are_subjects_too() {
    let rules = json!([{ "verbs": ["get"], "apiGroups": [""], "resources": ["pods"] }]);
    let account = json!({ "kind": "ServiceAccount", "name": "builder" });
    let world = World::default()
        .role("a", "of-account", rules.clone())
        .bind("a", ("Role", "of-account"), account)
        .role("a", "of-group", rules)
        .bind("a", ("Role", "of-group"), json!({ "kind": "Group", "name": "team" }));

    let question = on("get", "", "pods", "a", "x");
    assert!(allowed(&world, &User::service_account("a", "builder"), question));
    assert!(!allowed(&world, &User::service_account("b", "builder"), question));
    assert!(allowed(&world, &User::authenticated("joe", ["team".to_owned()]), question));
}

#[test]
fn an_aggregated_role_allows_what_the_roles_it_selects_allow() {
    let mut part = json!({ "rules": [{ "verbs": ["get"], "apiGroups": [""], "resources": ["pods"] }] });
    part["metadata"]["labels"] = json!({ "part-of": "sum" });
    let sum =
        json!({ "aggregationRule": { "clusterRoleSelectors": [{ "matchLabels": { "part-of": "sum" } }] } });
    let world = World::default()
        .with("ClusterRole", "", "part", part)
        .with("ClusterRole", "", "sum", sum)
        .bind("", ("ClusterRole", "sum"), to_jane());
    assert!(allowed(&world, &jane(), on("get", "", "pods", "a", "x")));
    assert!(!allowed(&world, &jane(), on("get", "", "secrets", "a", "x")));
}

#[test]
fn all_users_can_discover_and_only_masters_can_do_the_rest() {
    let world = World::default();
    let path = |path| Question { verb: "get", target: Target::Path(path) };
    assert!(allowed(&world, &jane(), path("/apis/apps/v1")));
    assert!(!allowed(&world, &jane(), path("/metrics")));
    assert!(allowed(&world, &User::anonymous(), path("/version")));
    assert!(!allowed(&world, &User::anonymous(), path("/apis")));
    assert!(allowed(
        &world,
        &jane(),
        on("create", "authorization.k8s.io", "selfsubjectaccessreviews", "", "")
    ));
    assert!(allowed(&world, &User::admin(), path("/metrics")));
    let open = Authorizer { access: Access::Open, roles: &world };
    assert_eq!(open.decide(&User::anonymous(), &path("/metrics")), Decision::Allowed(String::new()));
}

#[test]
fn a_refusal_names_the_verb_and_the_resource() {
    let world = World::default().bind("ns", ("ClusterRole", "gone"), to_jane());
    let refused = |question: Question<'_>| {
        world
            .authorizer()
            .authorize(&jane(), &question)
            .map_err(code_and_message)
            .expect_err("jane may nothing")
    };
    assert_eq!(
        refused(on("delete", "apps", "deployments", "ns", "x")),
        (
            403,
            "deployments.apps \"x\" is forbidden: User \"jane\" cannot delete resource \"deployments\" in API group \
             \"apps\" in the namespace \"ns\": RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found"
                .into()
        )
    );
    assert_eq!(
        refused(on("list", "", "nodes", "", "")),
        (
            403,
            "nodes is forbidden: User \"jane\" cannot list resource \"nodes\" in API group \"\" at the cluster scope"
                .into()
        )
    );
    assert_eq!(
        refused(Question { verb: "get", target: Target::Path("/metrics") }),
        (403, "forbidden: User \"jane\" cannot get path \"/metrics\"".into())
    );
}

fn grant_of<'a>(kind: RoleKind, namespace: &'static str, object: &'a Value) -> Grant<'a> {
    Grant { kind, namespace, requested: "", object, old: None }
}

#[test]
fn users_grant_only_permissions_that_they_hold() {
    let held = json!([{ "verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"] }]);
    let world = World::default().role("", "held", held).bind("", ("ClusterRole", "held"), to_jane()).role(
        "",
        "more",
        json!([{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }]),
    );
    let grant = |rules: Value| {
        let role = json!({ "metadata": { "name": "new" }, "rules": rules });
        confirm_no_escalation(&world.authorizer(), &jane(), &grant_of(RoleKind::Role, "a", &role))
            .map_err(code_and_message)
    };
    assert_eq!(grant(json!([{ "verbs": ["get"], "apiGroups": [""], "resources": ["pods"] }])), Ok(()));
    assert_eq!(
        grant(json!([
            { "verbs": ["get", "delete", "watch"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["x"] },
            { "verbs": ["get"], "nonResourceURLs": ["/metrics"] },
        ])),
        Err((
            403,
            "roles.rbac.authorization.k8s.io \"new\" is forbidden: user \"jane\" (groups=[\"system:authenticated\"]) \
             is attempting to grant RBAC permissions not currently held:\n\
             {APIGroups:[\"\"], Resources:[\"pods\"], ResourceNames:[\"x\"], Verbs:[\"delete\" \"watch\"]}\n\
             {NonResourceURLs:[\"/metrics\"], Verbs:[\"get\"]}"
                .into()
        ))
    );

    let bind = |name: &str| {
        let binding = json!({
            "metadata": { "name": "new" },
            "roleRef": { "kind": "ClusterRole", "name": name },
        });
        let grant = grant_of(RoleKind::ClusterRoleBinding, "", &binding);
        confirm_no_escalation(&world.authorizer(), &jane(), &grant).map_err(code_and_message)
    };
    assert_eq!(bind("held"), Ok(()));
    assert_eq!(bind("more").map_err(|(code, _)| code), Err(403));
    assert_eq!(
        bind("gone"),
        Err((404, "clusterrolebindings.rbac.authorization.k8s.io \"gone\" not found".into()))
    );
}

#[test]
fn users_with_escalate_or_bind_grant_anything() {
    let rules = json!([{
        "verbs": ["escalate", "bind"],
        "apiGroups": ["rbac.authorization.k8s.io"],
        "resources": ["clusterroles"],
    }]);
    let all = json!([{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }]);
    let world = World::default()
        .role("", "granter", rules)
        .bind("", ("ClusterRole", "granter"), to_jane())
        .role("", "all", all.clone());
    let role = json!({ "metadata": { "name": "new" }, "rules": all });
    let binding =
        json!({ "metadata": { "name": "new" }, "roleRef": { "kind": "ClusterRole", "name": "all" } });
    let confirmed = |grant: Grant<'_>| {
        confirm_no_escalation(&world.authorizer(), &jane(), &grant).map_err(code_and_message)
    };
    assert_eq!(confirmed(grant_of(RoleKind::ClusterRole, "", &role)), Ok(()));
    assert_eq!(confirmed(grant_of(RoleKind::ClusterRoleBinding, "", &binding)), Ok(()));
    assert_eq!(confirmed(grant_of(RoleKind::Role, "a", &role)).map_err(|(code, _)| code), Err(403));
}
