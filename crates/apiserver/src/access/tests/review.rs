use super::{World, code_and_message, jane, to_jane};
use crate::access::{Review, Tokens, User, review};
use jiff::Timestamp;
use serde_json::{Value, json};

fn answer(world: &World, user: &User, namespace: &str, body: Value) -> Result<Value, (u16, String)> {
    let tokens = Tokens::new([("t0ken".to_owned(), jane())]);
    let kind = Review::of_kind(body["kind"].as_str().expect("a kind")).expect("a review");
    review(kind, namespace, &body, user, &world.authorizer(), (&tokens, world), Timestamp::UNIX_EPOCH)
        .map(|answer| answer["status"].clone())
        .map_err(code_and_message)
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
fn a_rules_review_lists_the_permissions_of_a_user() {
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
fn token_and_self_reviews_return_the_user() {
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
