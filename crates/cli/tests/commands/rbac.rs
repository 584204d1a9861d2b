use crate::run::{Folder, documents};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn printed(arguments: &str) -> Vec<Value> {
    let ran = Folder::empty().run(arguments);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    documents(&ran.stdout)
}

/// Kind, namespace and name.
fn names(objects: &[Value]) -> Vec<String> {
    let name = |object: &Value| {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        format!("{} {}/{}", text("/kind"), text("/metadata/namespace"), text("/metadata/name"))
    };
    objects.iter().map(name).collect()
}

#[test]
fn the_whole_cluster_takes_a_cluster_role() {
    let objects = printed("rbac");
    assert_eq!(
        names(&objects),
        [
            "ServiceAccount harbor-operator-ns/harbor-operator",
            "ClusterRole /harbor-operator",
            "ClusterRoleBinding /harbor-operator",
            "Role harbor-operator-ns/harbor-operator-leader-election",
            "RoleBinding harbor-operator-ns/harbor-operator-leader-election",
            "Role harbor-operator-ns/harbor-operator-digest-key",
            "RoleBinding harbor-operator-ns/harbor-operator-digest-key",
        ]
    );
}

#[test]
fn the_annotations_of_namespaces_take_a_cluster_role_of_their_own_which_writes_no_namespace() {
    let objects = printed("rbac --bind-namespaces");
    assert_eq!(objects[..7], printed("rbac"), "the other roles are as without it");
    assert_eq!(
        names(&objects[7..]),
        [
            "ClusterRole /harbor-operator-bind-namespaces",
            "ClusterRoleBinding /harbor-operator-bind-namespaces"
        ]
    );
    let manage = ["create", "delete", "get", "list", "patch", "watch"];
    assert_eq!(
        objects[7]["rules"],
        json!([
            {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["list", "watch"]},
            {
                "apiGroups": ["goharbor.io"],
                "resources": ["harborprojects", "harborrobots", "pullsecretbindings"],
                "verbs": manage,
            },
        ])
    );
    let ran = Folder::empty().run("rbac --bind-namespaces --namespace a");
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
}

#[test]
fn chosen_namespaces_take_a_role_in_each_and_nothing_elsewhere() {
    let objects = printed("rbac --namespace b --namespace a --namespace b --operator-namespace home");
    assert_eq!(
        names(&objects),
        [
            "ServiceAccount home/harbor-operator",
            "Role a/harbor-operator",
            "RoleBinding a/harbor-operator",
            "Role b/harbor-operator",
            "RoleBinding b/harbor-operator",
            "Role home/harbor-operator-leader-election",
            "RoleBinding home/harbor-operator-leader-election",
            "Role home/harbor-operator-digest-key",
            "RoleBinding home/harbor-operator-digest-key",
        ]
    );
    // Only what lives in no namespace is missing.
    let mut everywhere = printed("rbac")[1]["rules"].clone();
    let rules = everywhere.as_array_mut().unwrap();
    let is_cluster_wide =
        |resource: &str| resource == "namespaces" || resource.starts_with("harborserverconfigurations");
    for resources in rules.iter_mut().filter_map(|rule| rule["resources"].as_array_mut()) {
        resources.retain(|it| !is_cluster_wide(it.as_str().unwrap()));
    }
    rules.retain(|rule| rule["resources"] != json!([]));
    assert_eq!(objects[1]["rules"], everywhere);
    let account = json!([{"kind": "ServiceAccount", "name": "harbor-operator", "namespace": "home"}]);
    for binding in objects.iter().filter(|object| object["kind"] == "RoleBinding") {
        assert_eq!(binding["subjects"], account);
        assert_eq!(binding["roleRef"]["name"], binding["metadata"]["name"]);
    }
}

#[test]
fn nothing_is_cluster_wide_in_chosen_namespaces() {
    for object in printed("rbac --namespace a --namespace b --page") {
        assert!(object["metadata"]["namespace"].is_string(), "{object}");
        assert!(!object["kind"].as_str().unwrap().starts_with("Cluster"), "{object}");
    }
}

#[test]
fn the_lease_is_the_one_that_the_flags_of_run_name() {
    let leases = |arguments: &str| {
        let objects = printed(arguments);
        let role =
            objects.iter().find(|object| object["metadata"]["name"] == "harbor-operator-leader-election");
        role.unwrap()["rules"].clone()
    };
    let expected = |name: &str| {
        let all = json!({"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"]});
        let mut one = all.clone();
        one["resourceNames"] = json!([name]);
        one["verbs"] = json!(["get", "list", "update", "watch"]);
        json!([all, one])
    };
    assert_eq!(leases("rbac"), expected("harbor-operator"));
    assert_eq!(leases("rbac --lease-name mine --class blue"), expected("mine-blue"));
}

#[test]
fn to_review_clients_of_the_metrics_is_allowed_if_asked_for() {
    let added = |arguments: &str| {
        printed(&format!("{arguments} --metrics-auth"))[printed(arguments).len()..].to_vec()
    };
    for arguments in ["rbac", "rbac --namespace a"] {
        let objects = added(arguments);
        let expected = [
            "ClusterRole /harbor-operator-metrics-auth",
            "ClusterRoleBinding /harbor-operator-metrics-auth",
            "ClusterRole /harbor-operator-metrics-reader",
        ];
        assert_eq!(names(&objects), expected);
        let rule = |group: &str, resource: &str| json!({"apiGroups": [group], "resources": [resource], "verbs": ["create"]});
        let reviews = [
            rule("authentication.k8s.io", "tokenreviews"),
            rule("authorization.k8s.io", "subjectaccessreviews"),
        ];
        assert_eq!(objects[0]["rules"], json!(reviews));
        assert_eq!(objects[2]["rules"], json!([{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}]));
    }
}

#[test]
fn of_secrets_in_its_own_namespace_the_operator_may_read_the_digest_key_only() {
    let objects = printed("rbac --namespace a --operator-namespace home");
    let role = objects
        .iter()
        .find(|it| it["kind"] == "Role" && it["metadata"]["name"] == "harbor-operator-digest-key");
    let expected = json!([
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["harbor-operator-digest-key"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
    ]);
    assert_eq!(role.unwrap()["rules"], expected);
}

#[test]
fn the_page_may_read_logs_by_a_role_of_its_own() {
    let rules = json!([
        {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
        {"apiGroups": ["apps"], "resources": ["replicasets"], "verbs": ["list"]},
    ]);
    for (arguments, expected) in [
        ("rbac --page", &["ClusterRole /", "ClusterRoleBinding /"][..]),
        ("rbac --page -n a -n b", &["Role a/", "RoleBinding a/", "Role b/", "RoleBinding b/"]),
    ] {
        let objects = printed(arguments);
        let added: Vec<_> =
            objects.into_iter().filter(|it| it["metadata"]["name"] == "harbor-operator-page-logs").collect();
        let expected: Vec<_> = expected.iter().map(|it| format!("{it}harbor-operator-page-logs")).collect();
        assert_eq!(names(&added), expected);
        assert!(added.iter().step_by(2).all(|role| role["rules"] == rules), "{added:?}");
    }
}

#[test]
fn the_page_adds_nothing_but_to_list_events_and_to_get_what_is_made_by_users_only() {
    let rules = |arguments: &str| printed(arguments)[1]["rules"].as_array().unwrap().clone();
    let (without, with) = (rules("rbac"), rules("rbac --page"));
    // Verbs by resource.
    let verbs = |rules: &[Value]| {
        let of_rule = |rule: &Value| {
            let resources = rule["resources"].as_array().unwrap().clone();
            let verbs = rule["verbs"].as_array().unwrap().clone();
            let pairs = resources.into_iter().flat_map(move |resource| {
                verbs
                    .clone()
                    .into_iter()
                    .map(move |verb| format!("{} {}", verb.as_str().unwrap(), resource.as_str().unwrap()))
            });
            pairs.collect::<Vec<_>>()
        };
        rules.iter().flat_map(of_rule).collect::<BTreeSet<_>>()
    };
    let added: Vec<_> = verbs(&with).difference(&verbs(&without)).cloned().collect();
    let made_by_users = [
        "harborclusters",
        "harborconfigurations",
        "harborpreheatinstances",
        "harborprojectmembers",
        "harborprojects",
        "harborregistryendpoints",
        "harborreplications",
        "harborrobots",
        "harborscanners",
        "harborserverconfigurations",
        "harbortasks",
        "harborusergroups",
        "harborusers",
        "pullsecretbindings",
    ];
    let expected: Vec<_> = made_by_users
        .map(|kind| format!("get {kind}"))
        .into_iter()
        .chain(["list events".to_owned()])
        .collect();
    assert_eq!(added, expected);
    assert_eq!(verbs(&without).difference(&verbs(&with)).count(), 0);
}
