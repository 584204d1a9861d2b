//! The pods of objects of other operators: found by owner references, whatever is between.

use super::{
    reading::{Cluster, create, create_pod, owned_by},
    *,
};
use crate::{Standing, WorkloadReport, read};
use apiserver::User;
use k8s_openapi::api::{
    apps::v1::{Deployment, ReplicaSet, StatefulSet},
    batch::v1::Job,
    core::v1::Event,
    rbac::v1::{Role, RoleBinding},
};
use kube::{Client, Resource};
use plan::ObjectKey;
use progress::Tally;
use std::collections::BTreeMap;

/// An object of another operator. It is not read, so its kind need not be installed.
fn tenant() -> ObjectKey {
    ObjectKey::new("minio.min.io", "Tenant", "ns", "store")
}

fn of_tenant() -> Value {
    json!([{"apiVersion": "minio.min.io/v2", "kind": "Tenant", "name": "store", "uid": "t", "controller": true}])
}

fn asked(standing: Standing) -> BTreeMap<ObjectKey, Standing> {
    [(tenant(), standing)].into()
}

/// A pod with this name, owners and status of its container.
fn owned(name: &str, owners: &Value, container: &Value) -> Value {
    let mut pod = pod("a", "1", container.clone());
    pod["metadata"] = json!({"name": name, "namespace": "ns", "ownerReferences": owners});
    pod
}

fn metadata(name: &str, owners: &Value) -> Value {
    json!({"name": name, "ownerReferences": owners})
}

/// The spec of a workload.
fn spec() -> Value {
    let labels = json!({"app": "store"});
    let containers = json!([{"name": "core", "image": "core:1"}]);
    let template = json!({"metadata": {"labels": labels}, "spec": {"containers": containers}});
    json!({"selector": {"matchLabels": labels}, "serviceName": "store", "template": template})
}

async fn set(admin: &Client, name: &str, owners: &Value) -> StatefulSet {
    create(admin, json!({"metadata": metadata(name, owners), "spec": spec()})).await
}

fn names(about: &WorkloadReport) -> Vec<&str> {
    about.pods.iter().map(|pod| &*pod.name).collect()
}

#[tokio::test]
async fn pods_that_an_object_owns_itself_take_one_list() {
    let cluster = Cluster::empty().await;
    let admin = cluster.admin();
    create_pod(&admin, owned("store-1", &of_tenant(), &running())).await;
    create_pod(&admin, owned("store-2", &of_tenant(), &crashing())).await;
    create_pod(&admin, owned("alone", &json!([]), &crashing())).await;
    let report = read(&cluster.client(User::admin()), &asked(Standing::Ready), now()).await;
    assert_eq!(cluster.take(), ["pods"]);
    let about = report.about(&tenant()).unwrap();
    assert_eq!((names(about), about.tally), (vec!["store-2", "store-1"], Some(Tally { ready: 1, all: 2 })));
    assert_eq!(report.tally(|_| true), about.tally);
}

#[tokio::test]
async fn pods_are_found_through_sets_deployments_and_jobs_and_each_kind_is_listed_once() {
    let cluster = Cluster::empty().await;
    let admin = cluster.admin();
    let servers = set(&admin, "store-servers", &of_tenant()).await;
    create_pod(&admin, owned("store-servers-0", &owned_by(&servers), &running())).await;
    create_pod(&admin, owned("store-servers-1", &owned_by(&servers), &running())).await;
    let others = set(&admin, "others", &json!([])).await;
    create_pod(&admin, owned("others-0", &owned_by(&others), &crashing())).await;
    let console: Deployment =
        create(&admin, json!({"metadata": metadata("console", &of_tenant()), "spec": spec()})).await;
    let replicas = json!({"metadata": metadata("console-a", &owned_by(&console)), "spec": spec()});
    let replicas: ReplicaSet = create(&admin, replicas).await;
    let mut pod = owned("console-a-1", &owned_by(&replicas), &running());
    pod["metadata"]["labels"] = json!({"app": "store", "pod-template-hash": "a"});
    create_pod(&admin, pod).await;
    let setup = json!({"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "core", "image": "core:1"}]}}});
    let setup: Job =
        create(&admin, json!({"metadata": metadata("setup", &of_tenant()), "spec": setup})).await;
    let mut pod = owned("setup-1", &owned_by(&setup), &container(json!({"terminated": {"exitCode": 0}}), 0));
    pod["status"]["phase"] = "Succeeded".into();
    create_pod(&admin, pod).await;

    let report = read(&cluster.client(User::admin()), &asked(Standing::Ready), now()).await;
    assert_eq!(
        cluster.take(),
        ["pods", "deployments", "jobs", "statefulsets"],
        "the name of a ReplicaSet says enough"
    );
    let about = report.about(&tenant()).unwrap();
    assert_eq!(names(about), ["console-a-1", "setup-1", "store-servers-0", "store-servers-1"]);
    assert_eq!(about.tally, Some(Tally { ready: 3, all: 3 }), "a step that is done serves nothing");
    assert_eq!(about.lines(now()), []);
}

#[tokio::test]
async fn a_pod_stands_below_the_nearest_object_that_is_shown() {
    let cluster = Cluster::empty().await;
    let admin = cluster.admin();
    let servers = set(&admin, "store-servers", &of_tenant()).await;
    create_pod(&admin, owned("store-servers-0", &owned_by(&servers), &crashing())).await;
    let shown = ObjectKey::of::<StatefulSet>("ns", "store-servers");
    let asked = [(tenant(), Standing::Unready), (shown.clone(), Standing::Unready)].into();
    let report = read(&cluster.client(User::admin()), &asked, now()).await;
    assert_eq!(cluster.take(), ["statefulsets", "pods", "events", "pods/store-servers-0/log"]);
    assert_eq!(names(report.about(&shown).unwrap()), ["store-servers-0"]);
    assert_eq!(names(report.about(&tenant()).unwrap()), [""; 0]);
}

#[tokio::test]
async fn a_set_that_cannot_create_its_pods_says_why_below_the_object() {
    let cluster = Cluster::empty().await;
    let admin = cluster.admin();
    set(&admin, "store-servers", &of_tenant()).await;
    let refused = "create Pod store-servers-0 failed: violates PodSecurity";
    let recently = now().to_string();
    create::<Event>(&admin, warning("StatefulSet", "store-servers", "FailedCreate", refused, &recently))
        .await;
    let report = read(&cluster.client(User::admin()), &asked(Standing::Unready), now()).await;
    assert_eq!(cluster.take(), ["pods", "statefulsets", "events"]);
    let lines = report.about(&tenant()).unwrap().lines(now());
    let said: Vec<_> = lines.iter().map(|line| &*line.text).collect();
    assert_eq!(said, [format!("FailedCreate (0s ago, 3 times): {refused}")]);
}

#[tokio::test]
async fn without_permission_to_list_what_is_between_the_report_says_so() {
    let cluster = Cluster::empty().await;
    let admin = cluster.admin();
    let servers = set(&admin, "store-servers", &of_tenant()).await;
    create_pod(&admin, owned("store-servers-0", &owned_by(&servers), &running())).await;
    let rules = json!([{"apiGroups": [""], "resources": ["pods", "events"], "verbs": ["list"]}]);
    create::<Role>(&admin, json!({"metadata": {"name": "some"}, "rules": rules})).await;
    let role = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "some"});
    let subject = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "some"});
    let binding = json!({"metadata": {"name": "some"}, "roleRef": role, "subjects": [subject]});
    create::<RoleBinding>(&admin, binding).await;
    let client = cluster.client(User::authenticated("some", []));
    let report = read(&client, &asked(Standing::Unready), now()).await;
    assert_eq!(names(report.about(&tenant()).unwrap()), [""; 0]);
    let said: Vec<_> = report.unseen.iter().map(ToString::to_string).collect();
    let expected = "without permission to list statefulsets in namespace ns: statefulsets.apps is forbidden";
    assert!(said.len() == 1 && said[0].starts_with(expected), "{said:?}");
}

#[tokio::test]
async fn pods_of_an_owner_that_was_deleted_are_not_those_of_its_successor() {
    let cluster = Cluster::empty().await;
    let admin = cluster.admin();
    let servers = set(&admin, "store-servers", &of_tenant()).await;
    create_pod(&admin, owned("current", &owned_by(&servers), &running())).await;
    let mut before = servers.controller_owner_ref(&()).unwrap();
    before.uid = "before".into();
    create_pod(&admin, owned("left-over", &json!([before]), &running())).await;
    let report = read(&cluster.client(User::admin()), &asked(Standing::Ready), now()).await;
    assert_eq!(names(report.about(&tenant()).unwrap()), ["current"]);
}

#[tokio::test]
async fn a_pod_that_the_operator_creates_itself_is_a_workload() {
    let cluster = Cluster::empty().await;
    create_pod(&cluster.admin(), owned("migration", &json!([]), &crashing())).await;
    let key = ObjectKey::new("", "Pod", "ns", "migration");
    let asked = [(key.clone(), Standing::Unready)].into();
    let report = read(&cluster.client(User::admin()), &asked, now()).await;
    assert_eq!(cluster.take(), ["pods", "events", "pods/migration/log"]);
    let about = report.about(&key).unwrap();
    assert_eq!((names(about), about.tally), (vec!["migration"], None));
}
