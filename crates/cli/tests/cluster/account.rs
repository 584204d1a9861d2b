//! The service account of the operator, with exactly the permissions that `harbor-operator rbac` prints.

use envtest::ControlPlane;
use kube::config::Kubeconfig;
use serde_json::Value;
use std::process::Command;
use tempfile::NamedTempFile;

/// The name of the service account, as the API server knows it.
pub fn name(namespace: &str) -> String {
    format!("system:serviceaccount:{namespace}:harbor-operator")
}

/// The permissions of an operator in the namespace `home` to reconcile another namespace, or its own.
pub fn objects(namespace: &str, home: &str) -> Vec<Value> {
    printed(&["--namespace", namespace, "--operator-namespace", home])
}

/// What `harbor-operator rbac` prints.
pub fn printed(flags: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
        .args(["rbac", "--output", "json"])
        .args(flags)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut list: Value = serde_json::from_slice(&output.stdout).unwrap();
    list["items"].as_array_mut().unwrap().drain(..).collect()
}

/// A kubeconfig file with which a process is this user.
pub fn kubeconfig(plane: &ControlPlane, user: &str) -> NamedTempFile {
    let mut kubeconfig = Kubeconfig::read_from(plane.kubeconfig()).unwrap();
    for named in &mut kubeconfig.auth_infos {
        named.auth_info.get_or_insert_default().impersonate = Some(user.to_owned());
    }
    let file = NamedTempFile::new().unwrap();
    let text = serde_json::to_string(&kubeconfig).unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}
