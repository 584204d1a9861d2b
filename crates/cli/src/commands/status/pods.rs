//! Counts pods as the status of Deployments tells them, for which no permission on Pods is needed.

use crate::tree::Node;
use k8s_openapi::api::apps::v1::Deployment;
use kube::{Api, Client, ResourceExt as _, api::ListParams};
use plan::ObjectKey;
use progress::Tally;
use std::collections::BTreeSet;

/// How many of the pods of all Deployments below an object are ready. `None` if there is no Deployment, or if the user may
/// not list Deployments.
pub async fn pods(client: &Client, root: &Node) -> Option<Tally> {
    let keys = deployments(root);
    let namespaces: BTreeSet<_> = keys.iter().map(|key| key.namespace.as_str()).collect();
    let mut found = Vec::new();
    for namespace in namespaces {
        let api: Api<Deployment> = Api::namespaced(client.clone(), namespace);
        found.extend(api.list(&ListParams::default()).await.ok()?.items);
    }
    let is_below = |it: &&Deployment| {
        keys.contains(&ObjectKey::of::<Deployment>(&it.namespace().unwrap_or_default(), &it.name_any()))
    };
    found
        .iter()
        .filter(is_below)
        .map(counted)
        .reduce(|one, other| Tally { ready: one.ready + other.ready, all: one.all + other.all })
}

fn deployments(root: &Node) -> BTreeSet<ObjectKey> {
    let mut found = BTreeSet::new();
    let mut ahead = vec![root];
    while let Some(node) = ahead.pop() {
        if node.key.group == "apps" && node.key.kind == "Deployment" {
            found.insert(node.key.clone());
        }
        ahead.extend(&node.children);
    }
    found
}

/// The pods of one Deployment. While pods are replaced, more may be ready than it wants.
fn counted(deployment: &Deployment) -> Tally {
    let wanted = deployment.spec.as_ref().map_or(0, |spec| spec.replicas.unwrap_or(1));
    let ready = deployment.status.as_ref().and_then(|status| status.ready_replicas).unwrap_or_default();
    let number = |replicas: i32| usize::try_from(replicas).unwrap_or_default();
    Tally { ready: number(ready.min(wanted)), all: number(wanted) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pods_are_counted_as_a_deployment_wants_them() {
        let pods =
            |spec, status| counted(&serde_json::from_value(json!({"spec": spec, "status": status})).unwrap());
        let spec = |replicas| json!({"replicas": replicas, "selector": {}, "template": {}});
        let tally = |ready, all| Tally { ready, all };
        assert_eq!(pods(spec(json!(3)), json!({"readyReplicas": 2})), tally(2, 3));
        assert_eq!(pods(spec(json!(1)), json!({"readyReplicas": 2})), tally(1, 1), "a rollout surges");
        assert_eq!(pods(spec(json!(null)), json!({})), tally(0, 1), "one is the default");
        assert_eq!(pods(spec(json!(0)), json!({})), tally(0, 0));
    }
}
