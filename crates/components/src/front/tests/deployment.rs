use super::{Shown, plain, secured};
use api::v1beta1::component::ComponentSpec;
use serde_json::{Value, json};

fn deployment(shown: &Shown) -> Value {
    shown.front().unwrap().deployment().object.to_json().unwrap()
}

#[test]
fn the_deployment_is_as_written_down() {
    let expected: Value = serde_saphyr::from_str(include_str!("deployment.yaml")).unwrap();
    assert_eq!(deployment(&secured()), expected);
}

#[test]
fn without_tls_no_secret_is_mounted_and_one_port_is_open() {
    let pod = deployment(&plain())["spec"]["template"]["spec"].clone();
    let names = |list: &Value| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|item| item["name"].clone()).collect()
    };
    assert_eq!(names(&pod["volumes"]), ["config", "tmp"]);
    assert_eq!(names(&pod["containers"][0]["ports"]), ["http"]);
    assert_eq!(pod["containers"][0]["readinessProbe"]["httpGet"]["scheme"], "HTTP");
}

#[test]
fn a_portal_that_is_down_kills_no_front() {
    let container = deployment(&plain())["spec"]["template"]["spec"]["containers"][0].clone();
    let asked = &container["livenessProbe"]["httpGet"]["path"];
    let configuration = plain().front().unwrap().config_map().data.unwrap().remove("nginx.conf").unwrap();
    let answer = format!(
        "location = {} {{\n            access_log off;\n            return 204;",
        asked.as_str().unwrap()
    );
    assert!(configuration.contains(&answer), "{configuration}");
}

#[test]
fn the_user_decides_about_the_pods() {
    let pods: ComponentSpec = serde_json::from_value(json!({
        "image": "registry.example.com/mirror/nginx-photon:v2.15.0",
        "replicas": 2,
        "templateLabels": {"tier": "front"},
        "resources": {"limits": {"memory": "128Mi"}},
    }))
    .unwrap();
    let deployment = deployment(&Shown { pods, ..plain() });
    assert_eq!(deployment["spec"]["replicas"], 2);
    let template = &deployment["spec"]["template"];
    assert_eq!(template["metadata"]["labels"]["tier"], "front");
    let container = &template["spec"]["containers"][0];
    assert_eq!(container["image"], "registry.example.com/mirror/nginx-photon:v2.15.0");
    assert_eq!(container["resources"], json!({"limits": {"memory": "128Mi"}}));
}
