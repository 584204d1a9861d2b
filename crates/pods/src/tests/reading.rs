//! The requests, at an API server in memory.

use super::*;
use crate::{Standing, Unseen, permissions, read};
use apiserver::{Access, ApiServer, LOG_ANNOTATIONS, User};
use k8s_openapi::api::{
    apps::v1::{Deployment, ReplicaSet},
    core::v1::{Namespace, Pod},
    rbac::v1::{Role, RoleBinding},
};
use kube::{
    Api, Client, Resource,
    api::{Patch, PatchParams, PostParams},
    core::NamespaceResourceScope,
};
use plan::ObjectKey;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tower::ServiceBuilder;

/// A server with the namespace `ns`, and the requests that were sent to it.
pub(super) struct Cluster {
    server: ApiServer,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Cluster {
    pub(super) async fn empty() -> Self {
        let server = ApiServer::builder().access(Access::Rbac).without_controllers().build().unwrap();
        let cluster = Self { server, requests: Arc::default() };
        let namespace = json!({"metadata": {"name": "ns"}});
        let namespaces = Api::<Namespace>::all(cluster.admin());
        namespaces.create(&PostParams::default(), &serde_json::from_value(namespace).unwrap()).await.unwrap();
        cluster
    }

    /// A client whose requests are not noted.
    pub(super) fn admin(&self) -> Client {
        Client::new(self.server.acting_as(User::admin()), "ns")
    }

    /// With the Deployment `core` and one pod of it.
    async fn with(container: Value) -> Self {
        let cluster = Self::empty().await;
        let admin = cluster.admin();
        let mut pod = pod("a", "1", container);
        let template = json!({"metadata": {"labels": {"app": "core"}}, "spec": pod["spec"]});
        let spec = json!({"selector": {"matchLabels": {"app": "core"}}, "template": template});
        let annotations = json!({"deployment.kubernetes.io/revision": "1"});
        let metadata = json!({"name": "core", "annotations": annotations});
        let core = create::<Deployment>(&admin, json!({"metadata": metadata, "spec": spec})).await;
        let labels = json!({"app": "core"});
        let metadata = json!({"name": "core-a", "labels": labels, "annotations": annotations, "ownerReferences": owned_by(&core)});
        let set = create::<ReplicaSet>(&admin, json!({"metadata": metadata, "spec": spec})).await;
        pod["metadata"]["ownerReferences"] = owned_by(&set);
        pod["metadata"]["annotations"][format!("{LOG_ANNOTATIONS}core")] = "a\nb\nc\nd\ne\nf\n".into();
        create_pod(&admin, pod).await;
        cluster
    }

    /// A client of this user, whose requests are noted.
    pub(super) fn client(&self, user: User) -> Client {
        let requests = Arc::clone(&self.requests);
        let note = move |request: http::Request<kube::client::Body>| {
            let path = request.uri().path();
            requests.lock().unwrap().push(path.rsplit("/ns/").next().unwrap().to_owned());
            request
        };
        Client::new(ServiceBuilder::new().map_request(note).service(self.server.acting_as(user)), "ns")
    }

    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

pub(super) async fn create<K>(client: &Client, object: Value) -> K
where
    K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
        + Clone
        + std::fmt::Debug
        + DeserializeOwned
        + Serialize,
{
    let api = Api::<K>::namespaced(client.clone(), "ns");
    api.create(&PostParams::default(), &serde_json::from_value(object).unwrap()).await.unwrap()
}

/// A pod with its status.
pub(super) async fn create_pod(client: &Client, mut pod: Value) {
    let status = pod["status"].take();
    let name = create::<Pod>(client, pod).await.metadata.name.unwrap();
    let pods = Api::<Pod>::namespaced(client.clone(), "ns");
    let status = Patch::Merge(json!({"status": status}));
    pods.patch_status(&name, &PatchParams::default(), &status).await.unwrap();
}

/// The references to this owner.
pub(super) fn owned_by<K: Resource<DynamicType = ()>>(owner: &K) -> Value {
    json!([owner.controller_owner_ref(&()).unwrap()])
}

fn asked(standing: Standing) -> BTreeMap<ObjectKey, Standing> {
    [(ObjectKey::of::<Deployment>("ns", "core"), standing)].into()
}

fn log(report: &crate::Report) -> Vec<String> {
    let about = report.workloads.values().next().unwrap();
    about.pods[0].containers[0].log.clone()
}

#[tokio::test]
async fn a_workload_that_is_ready_takes_one_list_of_pods_beside_its_own() {
    let cluster = Cluster::with(running()).await;
    let report = read(&cluster.client(User::admin()), &asked(Standing::Ready), now()).await;
    assert_eq!(cluster.take(), ["deployments", "pods"]);
    assert_eq!((report.workloads.len(), report.unseen), (1, [].into()));

    let report = read(&cluster.client(User::admin()), &BTreeMap::new(), now()).await;
    assert_eq!((cluster.take(), report), (Vec::new(), crate::Report::default()));
}

#[tokio::test]
async fn many_pods_are_read_in_pages_and_pods_of_others_are_not_read() {
    let cluster = Cluster::with(running()).await;
    let admin = cluster.admin();
    for number in 2..=25 {
        let mut pod = pod("a", &number.to_string(), running());
        pod.as_object_mut().unwrap().remove("status");
        create::<Pod>(&admin, pod.clone()).await;
        pod["metadata"]["name"] = format!("other-{number}").into();
        pod["metadata"]["labels"] = json!({"app": "other"});
        create::<Pod>(&admin, pod).await;
    }
    let report = read(&cluster.client(User::admin()), &asked(Standing::Ready), now()).await;
    assert_eq!(cluster.take(), ["deployments", "pods", "pods"]);
    assert_eq!(report.workloads.values().next().unwrap().pods.len(), 25);
}

#[tokio::test]
async fn of_a_workload_that_is_not_ready_events_and_the_end_of_a_log_are_read() {
    let cluster = Cluster::with(crashing()).await;
    let report = read(&cluster.client(User::admin()), &asked(Standing::Unready), now()).await;
    assert_eq!(cluster.take(), ["deployments", "pods", "replicasets", "events", "pods/core-a-1/log"]);
    assert_eq!(log(&report), ["b", "c", "d", "e", "f"]);
    assert_eq!(report.unseen, [].into());
}

#[tokio::test]
async fn a_refused_log_is_a_gap_that_names_the_permission_and_the_permissions_suffice() {
    let cluster = Cluster::with(crashing()).await;
    let admin = cluster.client(User::admin());
    let list = |group: &str, resource: &str| json!({"apiGroups": [group], "resources": [resource], "verbs": ["list"]});
    let mut rules = vec![list("apps", "deployments"), list("", "pods"), list("", "events")];
    rules.extend(permissions().iter().map(|rule| json!(rule)));
    let bind = async |user: &str, rules: &[Value]| {
        create::<Role>(&admin, json!({"metadata": {"name": user}, "rules": rules})).await;
        let role = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user});
        let subject = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user});
        create::<RoleBinding>(
            &admin,
            json!({"metadata": {"name": user}, "roleRef": role, "subjects": [subject]}),
        )
        .await;
    };
    bind("all", &rules).await;
    let without = |resource: &str| {
        let is_other = |rule: &&Value| !rule["resources"].as_array().unwrap().contains(&resource.into());
        rules.iter().filter(is_other).cloned().collect::<Vec<_>>()
    };
    bind("no-logs", &without("pods/log")).await;
    bind("no-pods", &without("pods")).await;
    bind("nothing", &[]).await;
    let reported = async |user: &str| {
        let client = cluster.client(User::authenticated(user, []));
        read(&client, &asked(Standing::Unready), now()).await
    };
    let gaps = |report: &crate::Report| {
        report
            .unseen
            .iter()
            .map(|Unseen { resource, forbidden, .. }| (*resource, *forbidden))
            .collect::<Vec<_>>()
    };
    let report = reported("all").await;
    assert_eq!((gaps(&report), log(&report).len()), (vec![], 5));
    let report = reported("no-logs").await;
    assert_eq!((gaps(&report), log(&report).len()), (vec![("pods/log", true)], 0));
    let said = report.unseen.first().unwrap().to_string();
    assert!(
        said.starts_with(
            "without permission to get pods/log in namespace ns: pods \"core-a-1\" is forbidden"
        ),
        "{said}"
    );
    let report = reported("no-pods").await;
    assert_eq!(gaps(&report), [("pods", true)]);
    let report = reported("nothing").await;
    assert_eq!((gaps(&report), report.workloads.len()), (vec![("deployments", true)], 0));
}
