//! ServiceAccounts of pods, where the server requires them as every cluster does.

use crate::requests::Caller;
use apiserver::ApiServer;
use serde_json::{Value, json};

const PODS: &str = "/api/v1/namespaces/default/pods";
const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

fn caller() -> Caller {
    Caller::of(&ApiServer::builder().service_accounts().build().unwrap())
}

fn pod(name: &str, fields: &Value) -> Value {
    let mut spec = json!({"containers": [{"name": "a", "image": "a"}]});
    for (field, value) in fields.as_object().unwrap() {
        spec[field] = value.clone();
    }
    json!({"metadata": {"name": name}, "spec": spec})
}

#[tokio::test]
async fn every_namespace_has_a_service_account_and_gets_it_back() {
    let caller = caller();
    caller.created("/api/v1/namespaces", &json!({"metadata": {"name": "team"}})).await;
    for namespace in ["default", "kube-system", "team"] {
        let accounts = format!("/api/v1/namespaces/{namespace}/serviceaccounts");
        assert_eq!(caller.names(&accounts).await, ["default"], "{namespace}");
    }
    let first = caller.object(&format!("{ACCOUNTS}/default")).await;
    caller.delete(&format!("{ACCOUNTS}/default"), &json!({})).await;
    let second = caller.object(&format!("{ACCOUNTS}/default")).await;
    assert_ne!(first["metadata"]["uid"], second["metadata"]["uid"]);
    caller.delete("/api/v1/namespaces/team", &json!({})).await;
    assert!(!caller.exists("/api/v1/namespaces/team").await, "its ServiceAccount goes with it");
}

#[tokio::test]
async fn a_pod_gets_the_pull_secrets_of_its_service_account() {
    let caller = caller();
    caller.merge(&format!("{ACCOUNTS}/default"), &json!({"imagePullSecrets": [{"name": "first"}]})).await;
    let other = json!({"metadata": {"name": "other"}, "imagePullSecrets": [{"name": "second"}]});
    caller.created(ACCOUNTS, &other).await;
    let stored = async |name: &str, fields: Value| {
        let spec = caller.created(PODS, &pod(name, &fields)).await["spec"].take();
        (spec["serviceAccountName"].clone(), spec["serviceAccount"].clone(), spec["imagePullSecrets"].clone())
    };
    let default = (json!("default"), json!("default"), json!([{"name": "first"}]));
    assert_eq!(stored("a", json!({})).await, default);
    let other = (json!("other"), json!("other"), json!([{"name": "second"}]));
    assert_eq!(stored("b", json!({"serviceAccountName": "other"})).await, other);
    let own = (json!("default"), json!("default"), json!([{"name": "mine"}]));
    assert_eq!(stored("c", json!({"imagePullSecrets": [{"name": "mine"}]})).await, own);
    let path = format!("{ACCOUNTS}/default");
    caller.merge(&path, &json!({"imagePullSecrets": null})).await;
    assert_eq!(stored("d", json!({})).await.2, Value::Null, "pods of before keep theirs");
}

#[tokio::test]
async fn a_pod_whose_service_account_does_not_exist_is_refused() {
    let (code, answer) = caller().create(PODS, &pod("a", &json!({"serviceAccountName": "nobody"}))).await;
    assert_eq!(code, 403);
    let expected = "pods \"a\" is forbidden: error looking up service account default/nobody: serviceaccount \"nobody\" \
                    not found";
    assert_eq!(answer["message"], expected);
}

#[tokio::test]
async fn a_static_pod_needs_no_service_account() {
    let mut object = pod("a", &json!({}));
    object["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "x"});
    let created = caller().created(PODS, &object).await;
    assert_eq!(created["spec"]["serviceAccountName"], Value::Null);
}

#[tokio::test]
async fn without_the_plugin_pods_and_namespaces_have_no_service_account() {
    let caller = Caller::of(&ApiServer::new());
    let created = caller.created(PODS, &pod("a", &json!({}))).await;
    assert_eq!(created["spec"]["serviceAccountName"], Value::Null);
    assert_eq!(caller.names(ACCOUNTS).await, Vec::<String>::new());
}
