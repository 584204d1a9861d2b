use super::{World, code_and_message, jane, to_jane};
use crate::access::{Access, TokenTarget, Tokens, User, authenticate, impersonated};
use crate::serve::ClientCertificate;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use serde_json::{Value, json};

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    pairs
        .iter()
        .map(|&(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
        .collect()
}

#[test]
fn certificates_and_tokens_identify_users_and_other_requests_are_anonymous() {
    let tokens = Tokens::new([("t0ken".to_owned(), jane())]);
    let world = World::default();
    let who = |access, pairs: &[(&'static str, &'static str)], certificate: Option<&ClientCertificate>| {
        authenticate(access, &headers(pairs), certificate, &tokens, &world, Timestamp::UNIX_EPOCH)
            .map_err(code_and_message)
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
fn impersonation_needs_the_verb_and_keeps_the_requested_identity() {
    let rules = json!([
        { "verbs": ["impersonate"], "apiGroups": [""], "resources": ["users", "groups", "serviceaccounts"] },
        { "verbs": ["impersonate"], "apiGroups": ["authentication.k8s.io"], "resources": ["userextras/*"] },
        { "verbs": ["impersonate"], "apiGroups": ["authentication.k8s.io"], "resources": ["userextras/a/b"] },
    ]);
    let world = World::default().role("", "actor", rules).bind("", ("ClusterRole", "actor"), to_jane());
    let act = |user: &User, pairs: &[(&'static str, &'static str)]| {
        impersonated(&headers(pairs), user, &world.authorizer()).map_err(code_and_message)
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
fn a_service_account_token_is_valid_while_its_account_exists() {
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
        Tokens::default()
            .issue(target, &request, &world, Timestamp::UNIX_EPOCH)
            .map(drop)
            .map_err(code_and_message)
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
