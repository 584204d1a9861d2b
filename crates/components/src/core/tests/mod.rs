//! Sentences about Core.

mod adoption;
#[path = "../../../tests/cases/mod.rs"]
mod cases;
mod environment;
mod pods;
mod refusals;
mod secrecy;

use super::Core;
use cases::{Case, base64};
use plan::Component;
use serde_json::Value;

/// Names of the golden cases, which together use everything a Core can be given.
const CASES: [&str; 6] = ["minimal", "tls", "full", "harbor-2.5", "harbor-2.15", "rediss"];

fn a_core() -> Case<Core> {
    Case::golden("minimal")
}

impl Case<Core> {
    fn with(mut self, secret: &str, key: &str, value: impl AsRef<[u8]>) -> Self {
        let secret = self.inputs.iter_mut().find(|input| input["metadata"]["name"] == secret).unwrap();
        secret["data"][key] = base64(value.as_ref());
        self
    }

    fn without(mut self, secret: &str) -> Self {
        self.inputs.retain(|input| input["metadata"]["name"] != secret);
        self
    }

    /// The object with one field of its JSON changed.
    fn set(mut self, pointer: &str, value: Value) -> Self {
        let mut json = serde_json::to_value(&self.owner).unwrap();
        let mut at = &mut json;
        for field in pointer.split('/').skip(1) {
            at = &mut at[field.replace("~1", "/")];
        }
        *at = value;
        self.owner = serde_json::from_value(json).unwrap();
        self
    }

    fn annotated(self, annotation: &str, value: &str) -> Self {
        let key = annotation.replace('/', "~1");
        self.set(&format!("/metadata/annotations/{key}"), value.into())
    }

    fn child(&self, kind: &str) -> Value {
        self.children().into_iter().find(|child| child["kind"] == kind).unwrap()
    }

    fn error(&self) -> String {
        self.plan().unwrap_err().to_string()
    }
}

#[test]
fn children_lists_every_kind_that_is_rendered() {
    let kinds = Core::children();
    let mut rendered: Vec<String> = Vec::new();
    for case in CASES {
        for (_, desired, _) in Case::<Core>::golden(case).plan().unwrap().graph.iter() {
            assert!(kinds.contains(&*desired.object), "{:?}", desired.object.key());
            rendered.push(desired.object.key().kind);
        }
    }
    rendered.sort();
    rendered.dedup();
    assert_eq!(rendered.len(), kinds.iter().count(), "{rendered:?}");
}

#[test]
fn only_the_deployment_waits_and_only_for_what_its_pods_mount() {
    let plan = Case::<Core>::golden("full").plan().unwrap();
    for (_, desired, after) in plan.graph.iter() {
        let after: Vec<String> = after.iter().map(|&id| plan.graph[id].object.key().kind).collect();
        let expected: &[&str] =
            if desired.object.key().kind == "Deployment" { &["ConfigMap", "Secret"] } else { &[] };
        assert_eq!(after, expected, "{:?}", desired.object.key());
    }
}

#[test]
fn two_passes_are_enough_to_read_everything() {
    let case = Case::<Core>::golden("full");
    let plan::Planned::Needs(first) = plan::plan::<Core>(&case.owner, &plan::Snapshot::new()) else {
        panic!("a plan was made without reading anything")
    };
    assert_eq!(first, case.plan().unwrap().reads);
}

#[test]
fn a09_the_network_policy_selects_the_pods_and_opens_the_ports_they_have() {
    let case = Case::<Core>::golden("full");
    let (policy, deployment) = (case.child("NetworkPolicy"), case.child("Deployment"));
    let labels = &deployment["spec"]["template"]["metadata"]["labels"];
    for (key, value) in policy["spec"]["podSelector"]["matchLabels"].as_object().unwrap() {
        assert_eq!(&labels[key], value);
    }
    let names = |list: &Value, field: &str| -> Vec<Value> {
        list.as_array().unwrap().iter().map(|port| port[field].clone()).collect()
    };
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(names(&policy["spec"]["ingress"][0]["ports"], "port"), names(&container["ports"], "name"));
}

#[test]
fn a_network_policy_is_made_only_where_it_is_asked_for() {
    let kinds = |case: Case<Core>| -> Vec<Value> {
        case.children().into_iter().map(|child| child["kind"].clone()).collect()
    };
    assert!(!kinds(a_core()).contains(&"NetworkPolicy".into()));
    assert!(
        !kinds(a_core().annotated("goharbor.io/network-policies", "false")).contains(&"NetworkPolicy".into())
    );
    assert!(
        kinds(a_core().annotated("goharbor.io/network-policies", "true")).contains(&"NetworkPolicy".into())
    );
}
