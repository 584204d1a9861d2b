//! Tests of the registry.

mod adoption;
mod config;
mod pods;
mod refusals;
mod secrecy;
mod stores;

use super::Registry;
use crate::cases::Case;
use k8s_openapi::{
    ByteString,
    api::{
        apps::v1::Deployment,
        core::v1::{Container, PodSpec},
    },
};
use plan::ObjectKey;
use serde_json::Value;
use std::collections::BTreeMap;

/// Names of the golden cases, which together use every field of a Registry.
const CASES: [&str; 8] =
    ["minimal", "tls", "full", "harbor-2.5", "harbor-2.8", "harbor-2.9", "harbor-2.13", "harbor-2.15"];

fn a_registry() -> Case<Registry> {
    Case::golden("minimal")
}

impl Case<Registry> {
    /// With one field of the RegistryController changed.
    fn beside(mut self, pointer: &str, value: Value) -> Self {
        let found = self.inputs.iter_mut().find(|input| input["kind"] == "RegistryController");
        let mut at = found.unwrap();
        for field in pointer.split('/').skip(1) {
            at = &mut at[field.replace("~1", "/")];
        }
        *at = value;
        self
    }

    /// The child of this kind and name.
    fn named(&self, kind: &str, name: &str) -> Value {
        let found = |child: &Value| child["kind"] == kind && child["metadata"]["name"] == name;
        self.children().into_iter().find(found).unwrap()
    }

    /// The configuration file, parsed.
    fn config(&self) -> Value {
        let file = self.named("ConfigMap", "harbor-registry")["data"]["config.yml"].clone();
        serde_saphyr::from_str(file.as_str().unwrap()).unwrap()
    }

    /// A secret setting as the registry parses it: as YAML.
    fn setting(&self, name: &str) -> Value {
        let value = self.child("Secret")["data"][name].clone();
        let value: ByteString = serde_json::from_value(value).unwrap();
        serde_saphyr::from_str(std::str::from_utf8(&value.0).unwrap()).unwrap()
    }

    fn deployment(&self) -> Deployment {
        serde_json::from_value(self.child("Deployment")).unwrap()
    }

    fn pod(&self) -> PodSpec {
        self.deployment().spec.unwrap().template.spec.unwrap()
    }

    fn container(&self, name: &str) -> Container {
        self.pod().containers.into_iter().find(|container| container.name == name).unwrap()
    }

    /// The environment of a container: values or references.
    fn environment(&self, container: &str) -> BTreeMap<String, String> {
        let variables = self.container(container).env.unwrap_or_default();
        let value = |source: k8s_openapi::api::core::v1::EnvVarSource| {
            let key = source.secret_key_ref.unwrap();
            format!("{}/{}", key.name, key.key)
        };
        variables
            .into_iter()
            .map(|it| (it.name, it.value.unwrap_or_else(|| value(it.value_from.unwrap()))))
            .collect()
    }
}

#[test]
fn without_anything_secret_there_is_no_secret() {
    assert!(a_registry().children().iter().all(|child| child["kind"] != "Secret"));
}

#[test]
fn b08_a_change_of_the_registry_controller_concerns_the_registry() {
    let key = ObjectKey::of::<api::v1beta1::RegistryController>("registry", "harbor");
    assert!(a_registry().plan().unwrap().reads.contains(&key));
    let changed = a_registry().beside("/spec/image", "example/registryctl:mine".into());
    assert_eq!(changed.container("registryctl").image.unwrap(), "example/registryctl:mine");
}

#[test]
fn a09_the_network_policy_selects_the_pods_and_opens_the_ports_of_both_services() {
    for name in ["full", "tls"] {
        let case = Case::<Registry>::golden(name);
        let policy = case.child("NetworkPolicy");
        let labels = case.deployment().spec.unwrap().template.metadata.unwrap().labels.unwrap();
        for (key, value) in policy["spec"]["podSelector"]["matchLabels"].as_object().unwrap() {
            assert_eq!(labels[key], value.as_str().unwrap());
        }
        let list = |value: &Value, field: &str| -> Vec<String> {
            let items = value.as_array().unwrap().iter();
            items.map(|item| item[field].as_str().unwrap().to_owned()).collect()
        };
        let mut services: Vec<String> = ["harbor-registry", "harbor-registryctl"]
            .into_iter()
            .flat_map(|service| list(&case.named("Service", service)["spec"]["ports"], "targetPort"))
            .collect();
        let mut opened = list(&policy["spec"]["ingress"][0]["ports"], "port");
        services.sort();
        opened.sort();
        assert_eq!(opened, services, "{name}");
    }
}

#[test]
fn b09_nothing_called_after_the_registry_controller_is_a_network_policy() {
    let policies = Case::<Registry>::golden("full").children();
    let mut policies = policies.iter().filter(|child| child["kind"] == "NetworkPolicy");
    assert_eq!(policies.next().unwrap()["metadata"]["name"], "harbor-registry-ingress");
    assert_eq!(policies.next(), None);
}
