use super::{
    Access, Authorizer, Decision, Grant, Question, Review, RoleKind, Roles, ServiceAccounts, Target,
    TokenTarget, Tokens, User, authenticate, confirm_no_escalation, impersonated, review,
};
use crate::failure::Failure;
use crate::serve::ClientCertificate;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;

/// Roles, bindings and service accounts as they would be stored.
#[derive(Default)]
struct World(Vec<Arc<Value>>);

impl World {
    fn with(mut self, kind: &str, namespace: &str, name: &str, mut rest: Value) -> Self {
        rest["kind"] = kind.into();
        rest["metadata"]["name"] = name.into();
        rest["metadata"]["uid"] = format!("uid-of-{name}").into();
        if !namespace.is_empty() {
            rest["metadata"]["namespace"] = namespace.into();
        }
        self.0.push(Arc::new(rest));
        self
    }

    fn role(self, namespace: &str, name: &str, rules: Value) -> Self {
        let kind = if namespace.is_empty() { "ClusterRole" } else { "Role" };
        self.with(kind, namespace, name, json!({ "rules": rules }))
    }

    fn bind(self, namespace: &str, role: (&str, &str), subject: Value) -> Self {
        let kind = if namespace.is_empty() { "ClusterRoleBinding" } else { "RoleBinding" };
        let name = format!("bind-{}", role.1);
        self.with(
            kind,
            namespace,
            &name,
            json!({ "roleRef": { "kind": role.0, "name": role.1 }, "subjects": [subject] }),
        )
    }

    fn authorizer(&self) -> Authorizer<'_> {
        Authorizer { access: Access::Rbac, roles: self }
    }

    fn find(&self, kind: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let mut objects = self.of(kind, namespace).into_iter();
        objects.find(|object| object["metadata"]["name"] == name)
    }

    fn of(&self, kind: &str, namespace: &str) -> Vec<Arc<Value>> {
        let here = |object: &&Arc<Value>| {
            object["kind"] == kind
                && object["metadata"]["namespace"].as_str().unwrap_or_default() == namespace
        };
        self.0.iter().filter(here).cloned().collect()
    }
}

impl Roles for World {
    fn object(&self, kind: RoleKind, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.find(&format!("{kind:?}"), namespace, name)
    }

    fn objects(&self, kind: RoleKind, namespace: &str) -> Vec<Arc<Value>> {
        self.of(&format!("{kind:?}"), namespace)
    }
}

impl ServiceAccounts for World {
    fn service_account(&self, namespace: &str, name: &str) -> Option<Arc<Value>> {
        self.find("ServiceAccount", namespace, name)
    }

    fn bound(&self, plural: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let kind = match plural {
            "pods" => "Pod",
            "secrets" => "Secret",
            _ => "Node",
        };
        self.find(kind, namespace, name)
    }
}

fn jane() -> User {
    User::authenticated("jane", [])
}

fn to_jane() -> Value {
    json!({ "kind": "User", "name": "jane" })
}

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

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
        .collect()
}

fn told(failure: Failure) -> (u16, String) {
    (failure.code.as_u16(), failure.message)
}

#[test]
fn a_role_is_good_for_its_namespace_and_a_cluster_role_for_all() {
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
fn everybody_discovers_and_only_masters_do_the_rest() {
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
fn who_may_not_is_told_what_and_where() {
    let world = World::default().bind("ns", ("ClusterRole", "gone"), to_jane());
    let refused = |question: Question<'_>| {
        world.authorizer().authorize(&jane(), &question).map_err(told).expect_err("jane may nothing")
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
fn nobody_grants_more_than_they_hold() {
    let held = json!([{ "verbs": ["get", "list"], "apiGroups": [""], "resources": ["pods"] }]);
    let world = World::default().role("", "held", held).bind("", ("ClusterRole", "held"), to_jane()).role(
        "",
        "more",
        json!([{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }]),
    );
    let grant = |rules: Value| {
        let role = json!({ "metadata": { "name": "new" }, "rules": rules });
        confirm_no_escalation(&world.authorizer(), &jane(), &grant_of(RoleKind::Role, "a", &role))
            .map_err(told)
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
        confirm_no_escalation(&world.authorizer(), &jane(), &grant).map_err(told)
    };
    assert_eq!(bind("held"), Ok(()));
    assert_eq!(bind("more").map_err(|(code, _)| code), Err(403));
    assert_eq!(bind("gone"), Err((404, "clusterroles.rbac.authorization.k8s.io \"gone\" not found".into())));
}

#[test]
fn who_holds_escalate_or_bind_grants_anything() {
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
    let confirmed =
        |grant: Grant<'_>| confirm_no_escalation(&world.authorizer(), &jane(), &grant).map_err(told);
    assert_eq!(confirmed(grant_of(RoleKind::ClusterRole, "", &role)), Ok(()));
    assert_eq!(confirmed(grant_of(RoleKind::ClusterRoleBinding, "", &binding)), Ok(()));
    assert_eq!(confirmed(grant_of(RoleKind::Role, "a", &role)).map_err(|(code, _)| code), Err(403));
}

#[test]
fn certificates_tokens_and_silence_say_who_somebody_is() {
    let tokens = Tokens::new([("t0ken".to_owned(), jane())]);
    let world = World::default();
    let who = |access, pairs: &[(&'static str, &'static str)], certificate: Option<&ClientCertificate>| {
        authenticate(access, &headers(pairs), certificate, &tokens, &world, Timestamp::UNIX_EPOCH)
            .map_err(told)
    };
    let joe = ClientCertificate { common_name: "joe".into(), organizations: vec!["team".into()] };

    assert_eq!(who(Access::Rbac, &[], Some(&joe)), Ok(User::authenticated("joe", ["team".to_owned()])));
    assert_eq!(who(Access::Rbac, &[("authorization", "Bearer t0ken")], None), Ok(jane()));
    assert_eq!(
        who(Access::Rbac, &[("authorization", "Bearer other")], None),
        Err((401, "Unauthorized".into()))
    );
    assert_eq!(who(Access::Rbac, &[], None), Ok(User::anonymous()));
    assert_eq!(who(Access::Open, &[], None), Ok(User::admin()));
    assert_eq!(who(Access::Open, &[("authorization", "Bearer other")], None), Ok(User::admin()));
}

#[test]
fn impersonation_needs_the_verb_and_keeps_what_is_asked_for() {
    let rules = json!([
        { "verbs": ["impersonate"], "apiGroups": [""], "resources": ["users", "groups", "serviceaccounts"] },
        { "verbs": ["impersonate"], "apiGroups": ["authentication.k8s.io"], "resources": ["userextras/*"] },
        { "verbs": ["impersonate"], "apiGroups": ["authentication.k8s.io"], "resources": ["userextras/a/b"] },
    ]);
    let world = World::default().role("", "actor", rules).bind("", ("ClusterRole", "actor"), to_jane());
    let act = |user: &User, pairs: &[(&'static str, &'static str)]| {
        impersonated(&headers(pairs), user, &world.authorizer()).map_err(told)
    };

    assert_eq!(act(&jane(), &[]), Ok(None));
    let mut joe = User::authenticated("joe", ["team".to_owned()]);
    joe.extra.insert("a/b".into(), vec!["1".into()]);
    let asked =
        [("impersonate-user", "joe"), ("impersonate-group", "team"), ("impersonate-extra-a%2fb", "1")];
    assert_eq!(act(&jane(), &asked), Ok(Some(joe)));
    assert_eq!(
        act(&jane(), &[("impersonate-user", "system:serviceaccount:a:builder")]),
        Ok(Some(User::service_account("a", "builder")))
    );
    assert_eq!(
        act(&User::authenticated("joe", []), &[("impersonate-user", "jane")]),
        Err((
            403,
            "users \"jane\" is forbidden: User \"joe\" cannot impersonate resource \"users\" in API group \"\" at the \
             cluster scope"
                .into()
        ))
    );
    assert_eq!(
        act(&jane(), &[("impersonate-group", "team")]),
        Err((400, "requested [{Group  team    }] without impersonating a user".into()))
    );
}

#[test]
fn a_service_account_is_its_token_while_both_live() {
    let world = World::default().with("ServiceAccount", "a", "builder", json!({}));
    let tokens = Tokens::default();
    let now: Timestamp = "2026-01-02T03:04:05Z".parse().expect("a time");
    let target = TokenTarget { namespace: "a", name: "builder" };
    let request = json!({ "spec": { "expirationSeconds": 600, "audiences": [] } });
    let answer = tokens.issue(target, &request, &world, now).expect("a token");

    assert_eq!(answer["status"]["expirationTimestamp"], "2026-01-02T03:14:05Z");
    let token = answer["status"]["token"].as_str().expect("a token");
    assert_eq!(token.split('.').count(), 3);
    let user = tokens.user(token, &world, now).expect("a user");
    assert_eq!(
        (user.name.as_str(), user.groups.join(" "), user.uid.as_str()),
        (
            "system:serviceaccount:a:builder",
            "system:serviceaccounts system:serviceaccounts:a system:authenticated".to_owned(),
            "uid-of-builder"
        )
    );
    let later: Timestamp = "2026-01-02T03:14:05Z".parse().expect("a time");
    assert_eq!(tokens.user(token, &world, later), Err("invalid bearer token"));
    assert_eq!(tokens.user(token, &World::default(), now), Err("invalid bearer token"));
}

#[test]
fn a_token_request_is_checked() {
    let world = World::default().with("ServiceAccount", "a", "builder", json!({}));
    let issue = |name: &str, request: Value| {
        let target = TokenTarget { namespace: "a", name };
        Tokens::default().issue(target, &request, &world, Timestamp::UNIX_EPOCH).map(drop).map_err(told)
    };
    assert_eq!(issue("other", json!({})), Err((404, "serviceaccounts \"other\" not found".into())));
    assert_eq!(
        issue("builder", json!({ "spec": { "expirationSeconds": 1 } })),
        Err((
            422,
            "TokenRequest.authentication.k8s.io \"\" is invalid: spec.expirationSeconds: Invalid value: 1: may not \
             specify a duration less than 10 minutes"
                .into()
        ))
    );
    let reference = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "name": "x" });
    assert_eq!(
        issue("builder", json!({ "spec": { "boundObjectRef": reference } })),
        Err((400, "cannot bind token to object of type apps/v1, Kind=Deployment".into()))
    );
}

fn answer(world: &World, user: &User, namespace: &str, body: Value) -> Result<Value, (u16, String)> {
    let tokens = Tokens::new([("t0ken".to_owned(), jane())]);
    let kind = Review::of_kind(body["kind"].as_str().expect("a kind")).expect("a review");
    review(kind, namespace, &body, user, &world.authorizer(), (&tokens, world), Timestamp::UNIX_EPOCH)
        .map(|answer| answer["status"].clone())
        .map_err(told)
}

#[test]
fn access_reviews_say_whether_and_why() {
    let rules = json!([{ "verbs": ["get"], "apiGroups": [""], "resources": ["pods"] }]);
    let world = World::default().role("a", "reader", rules).bind("a", ("Role", "reader"), to_jane());
    let pods = json!({ "namespace": "a", "verb": "get", "resource": "pods" });
    let secrets = json!({ "namespace": "a", "verb": "get", "resource": "secrets" });
    let why = r#"RBAC: allowed by RoleBinding "bind-reader/a" of Role "reader" to User "jane""#;

    let own = |attributes: &Value| json!({ "kind": "SelfSubjectAccessReview", "spec": { "resourceAttributes": attributes } });
    assert_eq!(answer(&world, &jane(), "", own(&pods)), Ok(json!({ "allowed": true, "reason": why })));
    assert_eq!(answer(&world, &jane(), "", own(&secrets)), Ok(json!({ "allowed": false })));
    assert_eq!(answer(&world, &User::admin(), "", own(&secrets)), Ok(json!({ "allowed": true })));

    let others = json!({
        "kind": "LocalSubjectAccessReview",
        "metadata": { "namespace": "a" },
        "spec": { "user": "jane", "resourceAttributes": pods },
    });
    assert_eq!(answer(&world, &User::admin(), "a", others), Ok(json!({ "allowed": true, "reason": why })));
    assert_eq!(
        answer(&world, &jane(), "", json!({ "kind": "SubjectAccessReview", "spec": {} })),
        Err((
            422,
            ".authorization.k8s.io \"\" is invalid: [spec: Invalid value: null: exactly one of \
             nonResourceAttributes or resourceAttributes must be specified, spec.user: Invalid value: \"\": at least \
             one of user or group must be specified]"
                .into()
        ))
    );
}

#[test]
fn a_rules_review_lists_what_somebody_may() {
    let rules =
        json!([{ "verbs": ["get"], "apiGroups": [""], "resources": ["pods"], "resourceNames": ["x"] }]);
    let world = World::default().role("a", "reader", rules.clone()).bind("a", ("Role", "reader"), to_jane());
    let body = json!({ "kind": "SelfSubjectRulesReview", "spec": { "namespace": "a" } });
    let status = answer(&world, &jane(), "", body.clone()).expect("an answer");
    let last = status["resourceRules"].as_array().and_then(|rules| rules.last());
    assert_eq!((last, &status["incomplete"]), (Some(&rules[0]), &json!(false)));
    assert_eq!(status["nonResourceRules"].as_array().map(Vec::len), Some(2));
}

#[test]
fn token_and_self_reviews_say_who_somebody_is() {
    let world = World::default();
    let info = json!({ "username": "jane", "groups": ["system:authenticated"] });
    assert_eq!(
        answer(&world, &jane(), "", json!({ "kind": "SelfSubjectReview" })),
        Ok(json!({ "userInfo": info }))
    );
    let token =
        |token: &str| json!({ "kind": "TokenReview", "spec": { "token": token, "audiences": ["x"] } });
    assert_eq!(
        answer(&world, &User::admin(), "", token("t0ken")),
        Ok(json!({ "authenticated": true, "user": info, "audiences": ["x"] }))
    );
    assert_eq!(
        answer(&world, &User::admin(), "", token("other")),
        Ok(json!({ "user": {}, "error": "invalid bearer token" }))
    );
}
