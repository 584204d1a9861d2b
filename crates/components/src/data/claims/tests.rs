//! Tests of claims, each for all components that mount some.

use crate::{
    cases::Case, chartmuseum::ChartMuseum, jobservice::JobService, registry::Registry, trivy::Trivy,
};
use k8s_openapi::api::apps::v1::Deployment;
use plan::{Absence, Component, Policy};
use serde_json::{Value, json};

/// With the claim `data` of these access modes, or without it.
fn claimed<C: Component>(mut case: Case<C>, modes: &[&str]) -> Case<C> {
    case.inputs.retain(|input| input["kind"] != "PersistentVolumeClaim");
    if !modes.is_empty() {
        case.inputs.push(json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"name": "data", "namespace": "registry"},
            "spec": {"accessModes": modes},
        }));
    }
    for input in case.inputs.iter_mut().filter(|input| input["kind"] == "RegistryController") {
        input["spec"]["resources"] = requests();
    }
    case.set("/spec/resources", requests())
}

/// The requests that an autoscaler needs.
fn requests() -> Value {
    json!({"requests": {"cpu": "100m"}})
}

/// A component whose pods mount that claim.
fn mounting<C: Component>(golden: &str, field: &str, modes: &[&str]) -> Case<C> {
    claimed(Case::golden(golden), modes).set(field, json!({"persistentVolumeClaim": {"claimName": "data"}}))
}

fn registry(modes: &[&str]) -> Case<Registry> {
    mounting("minimal", "/spec/storage/driver/filesystem/volumeSource", modes)
}

fn charts(modes: &[&str]) -> Case<ChartMuseum> {
    mounting("harbor-2.5", "/spec/chart/storage/filesystem/volumeSource", modes)
}

fn trivy(modes: &[&str]) -> Case<Trivy> {
    mounting("minimal", "/spec/storage/cache/volumeSource", modes)
}

fn jobs(modes: &[&str]) -> Case<JobService> {
    let volume = json!({"persistentVolumeClaim": {"claimName": "data"}});
    claimed(Case::golden("minimal"), modes).set("/spec/jobLoggers", json!({"files": [{"volume": volume}]}))
}

fn strategy<C: Component>(case: &Case<C>) -> String {
    let deployment: Deployment = serde_json::from_value(case.child("Deployment")).unwrap();
    deployment.spec.unwrap().strategy.unwrap().type_.unwrap()
}

#[test]
fn pods_give_a_claim_up_first_that_two_of_them_cannot_mount() {
    for modes in [&["ReadWriteOnce"][..], &["ReadWriteOncePod"], &["ReadWriteOnce", "ReadOnlyMany"]] {
        assert_eq!(strategy(&registry(modes)), "Recreate", "{modes:?}");
        assert_eq!(strategy(&charts(modes)), "Recreate", "{modes:?}");
        assert_eq!(strategy(&trivy(modes)), "Recreate", "{modes:?}");
        assert_eq!(strategy(&jobs(modes)), "Recreate", "{modes:?}");
    }
}

#[test]
fn pods_are_replaced_a_few_at_a_time_where_all_can_mount_the_claim() {
    for modes in [&["ReadWriteMany"][..], &["ReadWriteOnce", "ReadWriteMany"]] {
        assert_eq!(strategy(&registry(modes)), "RollingUpdate", "{modes:?}");
        assert_eq!(strategy(&charts(modes)), "RollingUpdate", "{modes:?}");
        assert_eq!(strategy(&jobs(modes)), "RollingUpdate", "{modes:?}");
    }
    assert_eq!(strategy(&trivy(&["ReadWriteMany"])), "Recreate", "scans would lock each other out");
    let asked = registry(&["ReadWriteMany"]).set("/spec/updateStrategyType", json!("Recreate"));
    assert_eq!(strategy(&asked), "Recreate");
}

#[test]
fn a_claim_that_is_only_read_may_be_read_by_all_pods() {
    let read = |modes: &[&str]| {
        let source = json!({"persistentVolumeClaim": {"claimName": "data", "readOnly": true}});
        registry(modes).set("/spec/storage/driver/filesystem/volumeSource", source)
    };
    assert_eq!(strategy(&read(&["ReadOnlyMany"])), "RollingUpdate");
    assert_eq!(strategy(&read(&["ReadWriteOnce"])), "Recreate");
}

#[test]
fn a_claim_that_does_not_exist_decides_nothing_and_is_asked_for() {
    let case = registry(&[]).set("/spec/replicas", json!(3));
    assert_eq!(strategy(&case), "RollingUpdate");
    let plan = case.plan().unwrap();
    let (_, claim, _) =
        plan.graph.iter().find(|(_, it, _)| it.object.key().kind == "PersistentVolumeClaim").unwrap();
    assert_eq!(claim.object.key().to_string(), "PersistentVolumeClaim registry/data");
    assert_eq!(claim.policy, Policy::Await { why: "create it".into(), absence: Absence::Passing });
}

#[test]
fn more_pods_than_can_mount_the_claim_are_refused() {
    let three = [("/spec/replicas", json!(3)), ("/spec/autoscaling", json!({"maxReplicas": 3}))];
    for (pointer, pods) in &three {
        let refused = |modes: &[&str]| {
            [
                registry(modes).set(pointer, pods.clone()).plan().err(),
                charts(modes).set(pointer, pods.clone()).plan().err(),
                trivy(modes).set(pointer, pods.clone()).plan().err(),
                jobs(modes).set(pointer, pods.clone()).plan().err(),
            ]
            .map(|error| error.map(|error| error.to_string()))
        };
        let field = if *pointer == "/spec/replicas" { "replicas" } else { "autoscaling.maxReplicas" };
        let expected = |which: &str| {
            format!(
                "spec.{field}: is 3, but all pods mount PersistentVolumeClaim registry/data, {which}; set it to 1, \
                 or use a claim that is ReadWriteMany"
            )
        };
        let node = expected("which only pods of one node can mount (ReadWriteOnce)");
        assert_eq!(refused(&["ReadWriteOnce"]), [0; 4].map(|_| Some(node.clone())));
        let pod = expected("which only one pod can mount (ReadWriteOncePod)");
        assert_eq!(refused(&["ReadWriteOncePod"]), [0; 4].map(|_| Some(pod.clone())));
        assert_eq!(refused(&["ReadWriteMany"]), [0; 4].map(|_| None));
    }
}

#[test]
fn one_pod_may_mount_any_claim() {
    for modes in [&["ReadWriteOnce"][..], &["ReadWriteOncePod"], &["ReadWriteMany"]] {
        assert_eq!(registry(modes).set("/spec/replicas", json!(1)).plan().err(), None);
        let scaled = registry(modes).set("/spec/autoscaling", json!({"maxReplicas": 1}));
        assert_eq!(scaled.set("/spec/replicas", Value::Null).plan().err(), None);
    }
}
