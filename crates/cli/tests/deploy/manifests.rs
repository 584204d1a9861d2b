//! The plain manifests.

use crate::{deploy, documents, files, manifests, only};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::PathBuf};

#[test]
fn the_namespace_comes_before_what_is_in_it() {
    let objects = manifests();
    let namespace = objects.iter().position(|object| object["kind"] == "Namespace").unwrap();
    let first = objects.iter().position(|object| object["metadata"].get("namespace").is_some()).unwrap();
    assert!(namespace < first);
    let home = &objects[namespace]["metadata"]["name"];
    let homes: BTreeSet<_> =
        objects.iter().filter_map(|object| object["metadata"]["namespace"].as_str()).collect();
    assert_eq!(homes, BTreeSet::from([home.as_str().unwrap()]));
}

#[test]
fn kustomize_takes_the_files_that_kubectl_takes() {
    let kustomization = documents(&fs::read_to_string(deploy().join("Kustomization")).unwrap()).remove(0);
    let name = |file: &PathBuf| file.file_name().unwrap().to_str().unwrap().to_owned();
    let files: Vec<_> = files().iter().map(name).collect();
    assert_eq!(kustomization["resources"], json!(files));
}

#[test]
fn nothing_is_allowed_by_wildcard() {
    let objects = manifests();
    let rules = objects.iter().filter_map(|object| object["rules"].as_array()).flatten();
    let words =
        rules.flat_map(|rule| rule.as_object().unwrap().values()).flat_map(|all| all.as_array().unwrap());
    let words: Vec<_> = words.map(|word| word.as_str().unwrap()).collect();
    assert!(words.len() > 50);
    assert_eq!(words.iter().find(|word| word.contains('*')), None);
}

/// The conditions of the Pod Security Standard "restricted", where they concern us.
#[test]
fn the_pod_meets_the_restricted_standard_and_its_root_is_read_only() {
    let objects = manifests();
    let enforced = &only(&objects, "Namespace")["metadata"]["labels"]["pod-security.kubernetes.io/enforce"];
    assert_eq!(enforced, "restricted");
    let pod = &only(&objects, "Deployment")["spec"]["template"]["spec"];
    let expected = json!({
        "runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532,
        "seccompProfile": {"type": "RuntimeDefault"},
    });
    assert_eq!(pod["securityContext"], expected);
    let fields: BTreeSet<_> = pod.as_object().unwrap().keys().map(String::as_str).collect();
    for sharing in ["hostNetwork", "hostPID", "hostIPC", "volumes", "initContainers"] {
        assert!(!fields.contains(sharing), "{sharing}");
    }
    let [container] = &pod["containers"].as_array().unwrap()[..] else { panic!("one container") };
    let expected = json!({
        "allowPrivilegeEscalation": false,
        "readOnlyRootFilesystem": true,
        "capabilities": {"drop": ["ALL"]},
    });
    assert_eq!(container["securityContext"], expected);
    assert!(container["ports"].as_array().unwrap().iter().all(|port| port.get("hostPort").is_none()));
}

#[test]
fn probes_ask_where_something_listens() {
    let objects = manifests();
    let container = &only(&objects, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    let port = |name: &Value| {
        let ports = container["ports"].as_array().unwrap();
        ports.iter().find(|port| port["name"] == *name).map(|port| port["containerPort"].clone())
    };
    for (probe, path) in [("livenessProbe", "/healthz"), ("readinessProbe", "/readyz")] {
        let request = &container[probe]["httpGet"];
        assert_eq!((request["path"].as_str(), port(&request["port"])), (Some(path), Some(json!(5000))));
    }
    let metrics = &only(&objects, "Service")["spec"]["ports"][0];
    assert_eq!((&metrics["port"], port(&metrics["targetPort"])), (&json!(8080), Some(json!(8080))));
}
