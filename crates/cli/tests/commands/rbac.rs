use crate::run::{Folder, documents};
use serde_json::{Value, json};

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
    assert_eq!(objects[1]["rules"], printed("rbac")[1]["rules"]);
    let account = json!([{"kind": "ServiceAccount", "name": "harbor-operator", "namespace": "home"}]);
    for binding in objects.iter().filter(|object| object["kind"] == "RoleBinding") {
        assert_eq!(binding["subjects"], account);
        assert_eq!(binding["roleRef"]["name"], binding["metadata"]["name"]);
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
fn the_page_adds_nothing_but_to_list_events_and_to_get_what_is_made_by_users_only() {
    let rules = |arguments: &str| printed(arguments)[1]["rules"].as_array().unwrap().clone();
    let (without, with) = (rules("rbac"), rules("rbac --page"));
    let rule = |group: &str, resource: &str, verbs: &[&str]| json!({"apiGroups": [group], "resources": [resource], "verbs": verbs});
    let added: Vec<_> = with.iter().filter(|rule| !without.contains(rule)).cloned().collect();
    let expected =
        [rule("", "events", &["list"]), rule("goharbor.io", "harborclusters", &["get", "list", "watch"])];
    assert_eq!(added, expected);
    let replaced: Vec<_> = without.iter().filter(|rule| !with.contains(rule)).cloned().collect();
    assert_eq!(replaced, [rule("goharbor.io", "harborclusters", &["list", "watch"])]);
    let namespaced = printed("rbac --page --namespace a");
    assert_eq!(*namespaced[1]["rules"].as_array().unwrap(), with);
}
