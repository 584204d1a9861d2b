//! The objects that every cluster has from the start.

use crate::{clock::Clock, state::State, store::Key};
use serde_json::{Value, json};

/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

impl State {
    /// Creates the objects that every cluster has, unless they exist.
    pub(crate) fn bootstrap(&mut self, clock: &Clock) {
        for name in NAMESPACES {
            let namespace = json!({
                "apiVersion": "v1",
                "kind": "Namespace",
                "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name}},
                "spec": {"finalizers": ["kubernetes"]},
                "status": {"phase": "Active"},
            });
            self.create_if_missing("namespaces", None, namespace, clock);
        }
        let service = json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {
                "name": "kubernetes",
                "namespace": "default",
                "labels": {"component": "apiserver", "provider": "kubernetes"},
            },
            "spec": {
                "clusterIP": "10.0.0.1",
                "clusterIPs": ["10.0.0.1"],
                "internalTrafficPolicy": "Cluster",
                "ipFamilies": ["IPv4"],
                "ipFamilyPolicy": "SingleStack",
                "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
                "sessionAffinity": "None",
                "type": "ClusterIP",
            },
            "status": {"loadBalancer": {}},
        });
        self.create_if_missing("services", Some("default"), service, clock);
    }

    /// Creates the ServiceAccount that every namespace has, unless it exists.
    pub(crate) fn create_service_account(&mut self, namespace: &str, clock: &Clock) {
        let metadata = json!({"name": "default", "namespace": namespace});
        let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata});
        self.create_if_missing("serviceaccounts", Some(namespace), account, clock);
    }

    fn create_if_missing(&mut self, plural: &str, namespace: Option<&str>, mut object: Value, clock: &Clock) {
        let key = Key {
            group: "".into(),
            plural: plural.into(),
            namespace: namespace.unwrap_or_default().into(),
            name: object["metadata"]["name"].as_str().unwrap_or_default().into(),
        };
        if self.store.get(&key).is_none() {
            object["metadata"]["uid"] = self.uid().into();
            object["metadata"]["creationTimestamp"] = clock.stamp().into();
            self.commit(&key, Some(object));
        }
    }
}
