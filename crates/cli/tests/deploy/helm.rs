//! The real Helm.

use crate::{deploy, documents};
use serde_json::{Value, json};
use std::{
    env,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What Helm makes of the chart with these values: the objects, ordered by kind and name, or why there are none.
pub fn rendered(values: &Value) -> Result<Vec<Value>, String> {
    rendered_on(values, None)
}

/// The same for a cluster of this version of Kubernetes, or of the newest one that Helm knows.
pub fn rendered_on(values: &Value, kubernetes: Option<&str>) -> Result<Vec<Value>, String> {
    let mut answer = asked(values, kubernetes);
    if let Some(error) = answer["error"].as_str() {
        return Err(error.to_owned());
    }
    let rendered = answer["rendered"].as_object_mut().unwrap();
    rendered.retain(|path, _| !path.ends_with("NOTES.txt"));
    let mut objects: Vec<_> = rendered.values().flat_map(|text| documents(text.as_str().unwrap())).collect();
    objects.sort_by_key(name);
    Ok(objects)
}

/// What Helm has to say about the chart with these values, but for hints.
pub fn complaints(values: &Value) -> Vec<Value> {
    let answer = asked(values, None);
    let messages = answer["messages"].as_array().unwrap_or_else(|| panic!("{answer}"));
    messages.iter().filter(|message| message["severity"].as_u64() > Some(1)).cloned().collect()
}

/// Kind, namespace and name of an object.
pub fn name(object: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    format!("{} {}/{}", text(&object["kind"]), text(&metadata["namespace"]), text(&metadata["name"]))
}

fn asked(values: &Value, kubernetes: Option<&str>) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/deploy/helm.py");
    let mut child = Command::new(python())
        .arg(script)
        .arg(deploy().join("chart/harbor-operator"))
        .args(["harbor-operator", "harbor-operator-ns"])
        .args(kubernetes)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(values.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| json!({"error": error.to_string()}))
}

/// The Python that `hack/helm` made.
fn python() -> PathBuf {
    let cache = || {
        let home = env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        home.unwrap_or_else(|| PathBuf::from(env::var_os("HOME").unwrap()).join(".cache"))
    };
    let python = env::var_os("HELM_PYTHON")
        .map_or_else(|| cache().join("harbor-operator/helm/bin/python"), PathBuf::from);
    assert!(python.exists(), "no Helm at {}; run hack/helm", python.display());
    python
}
