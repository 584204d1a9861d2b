//! The defaults of a process: offline commands with the same flags show the same.

use crate::harbor::{Cluster, inputs, minimal};
use k8s_openapi::api::{apps::v1::Deployment, networking::v1::NetworkPolicy};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::process::{Child, Command};

const FLAGS: [&str; 5] =
    ["--image-repository", "mirror.example/team", "--image-tag-suffix", "-dev", "--network-policies"];

fn start(cluster: &Cluster) -> Child {
    let alone = ["--namespace", &cluster.name, "--health-address", "off", "--metrics-address", "off"];
    cluster.process().args(alone).args(FLAGS).spawn().unwrap()
}

/// The images of a Deployment by its name, and the names of network policies.
type Found = (BTreeMap<String, Vec<String>>, Vec<String>);

async fn applied(cluster: &Cluster) -> Found {
    let mut images = BTreeMap::new();
    for name in cluster.names::<Deployment>().await {
        let template = cluster.get::<Deployment>(&name).await.spec.unwrap().template;
        let containers = template.spec.unwrap().containers;
        images.insert(name, containers.into_iter().filter_map(|container| container.image).collect());
    }
    (images, cluster.names::<NetworkPolicy>().await)
}

async fn rendered(file: &str) -> Found {
    let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
        .args(["render", "--recursive", "--output", "json", "-f", file])
        .args(FLAGS)
        .output()
        .await
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (mut images, mut policies) = (BTreeMap::new(), Vec::new());
    for object in list["items"].as_array().unwrap() {
        let name = object["metadata"]["name"].as_str().unwrap().to_owned();
        match object["kind"].as_str().unwrap() {
            "Deployment" => {
                let containers = object["spec"]["template"]["spec"]["containers"].as_array().unwrap();
                let image = |container: &Value| container["image"].as_str().unwrap().to_owned();
                images.insert(name, containers.iter().map(image).collect());
            }
            "NetworkPolicy" => policies.push(name),
            _ => {}
        }
    }
    policies.sort();
    (images, policies)
}

#[tokio::test]
async fn render_and_plan_with_the_flags_of_the_operator_show_what_it_applies() {
    let cluster = Cluster::new().await;
    let _operator = start(&cluster);
    cluster.apply(vec![minimal()]).await;
    cluster.until_ready("acme").await;

    let mut objects: Vec<_> = inputs().into_iter().chain([minimal()]).collect();
    for object in &mut objects {
        object["metadata"]["namespace"] = json!(cluster.name);
    }
    let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
    std::fs::write(file.path(), json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string())
        .unwrap();
    let file = file.path().to_str().unwrap();

    let rendered = rendered(file).await;
    assert_eq!(rendered, applied(&cluster).await);
    let is_mirrored = |image: &String| image.starts_with("mirror.example/team/") && image.ends_with("-dev");
    assert!(rendered.0.values().flatten().all(is_mirrored), "{rendered:?}");
    assert!(!rendered.1.is_empty());

    let ran = cluster.run(&[&["plan", "-f", file][..], &FLAGS].concat()).await;
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "No changes.\n"), "{}", ran.err);
    let ran = cluster.run(&["plan", "-f", file]).await;
    assert_eq!(ran.code, Some(2), "without its flags it plans for another operator: {}", ran.err);
}
