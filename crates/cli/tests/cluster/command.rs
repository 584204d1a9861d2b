//! The binary, with a kubeconfig.

use crate::world::World;
use plan::{
    Change, ObjectKey,
    diff::{ChangeType, Shown, Side},
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    process::Stdio,
};
use tokio::process::Command;

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl World {
    /// Runs `harbor-operator` with these arguments, in this namespace.
    pub async fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in(&self.name, arguments).await
    }

    /// The same in another namespace.
    pub async fn run_in(&self, namespace: &str, arguments: &[&str]) -> Ran {
        self.run_anywhere(&[arguments, &["--namespace", namespace]].concat()).await
    }

    /// The same without a flag for the namespace.
    pub async fn run_anywhere(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_harbor-operator"))
            .args(arguments)
            .env("KUBECONFIG", self.plane.kubeconfig())
            .env("HARBOR_OPERATOR_DIGEST_KEY_NAMESPACE", &self.name)
            .output()
            .await
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// `harbor-operator run` with the permissions of this namespace's operator, without output. It is killed when dropped.
    pub fn process(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harbor-operator"));
        command.arg("run").env("KUBECONFIG", self.operators_kubeconfig());
        command.env("HARBOR_OPERATOR_DIGEST_KEY_NAMESPACE", &self.name);
        command.stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
        command
    }

    /// Plans to apply these objects.
    pub async fn plan(&self, objects: Vec<Value>) -> Ran {
        self.plan_with(&[], objects).await
    }

    /// The same with more flags.
    pub async fn plan_with(&self, flags: &[&str], mut objects: Vec<Value>) -> Ran {
        for object in &mut objects {
            object["metadata"]["namespace"] = json!(self.name);
        }
        let file = tempfile::Builder::new().suffix(".json").tempfile().unwrap();
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
        std::fs::write(file.path(), list.to_string()).unwrap();
        self.run(&[&["plan", "-f", file.path().to_str().unwrap()], flags].concat()).await
    }

    /// Every object of this namespace that may belong to a Harbor.
    pub async fn everything(&self) -> BTreeMap<ObjectKey, Value> {
        let kinds = "deployments,services,configmaps,secrets,ingresses,networkpolicies,persistentvolumeclaims,\
                     certificates.cert-manager.io,harbors,cores,registries,registrycontrollers,portals,jobservices,\
                     exporters.goharbor.io,trivies";
        let list = self.kubectl(&["get", kinds, "-o", "json"]).await;
        let mut list: Value = serde_json::from_str(&list).unwrap();
        let items = list["items"].as_array_mut().unwrap().iter_mut().map(Value::take);
        items.map(|object| (key(&object), object)).collect()
    }
}

fn key(object: &Value) -> ObjectKey {
    let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
    ObjectKey::new(group, text("/kind"), text("/metadata/namespace"), text("/metadata/name"))
}

/// The changes between two states, each object as `plan` shows it.
pub fn changes(before: &BTreeMap<ObjectKey, Value>, after: &BTreeMap<ObjectKey, Value>) -> BTreeSet<String> {
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).collect();
    let change = |key: &&ObjectKey| {
        Change::between((*key).clone(), before.get(*key).cloned(), after.get(*key).cloned())
    };
    keys.iter().filter_map(change).map(|change| block(&change)).collect()
}

fn block(change: &Change) -> String {
    let sign = match change.change_type() {
        ChangeType::Created => '+',
        ChangeType::Changed => '~',
        ChangeType::Deleted => '-',
    };
    let mut lines = vec![format!("{sign} {}", change.key)];
    lines.extend(change.text().into_iter().map(|shown| match shown {
        Shown::Gap => "    …".to_owned(),
        Shown::Line(Side::Both, line) => format!("    {line}"),
        Shown::Line(Side::Before, line) => format!("-   {line}"),
        Shown::Line(Side::After, line) => format!("+   {line}"),
    }));
    lines.join("\n")
}

/// The objects that `plan` shows, without the pods and the summary.
pub fn planned(out: &str) -> BTreeSet<String> {
    let blocks = out.trim_end().split("\n\n").filter(|block| block.starts_with(['+', '~', '-']));
    blocks.map(str::to_owned).collect()
}
