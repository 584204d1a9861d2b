//! Permissions of the operator, one by one.

use crate::cluster::Cluster;
use serde_json::{Value, json};

/// A verb of a resource that the role allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    pub group: String,
    pub resource: String,
    pub verb: String,
}

impl Permission {
    /// Whether it is about what exists only while a version changes.
    pub fn is_of_upgrade(&self) -> bool {
        ["pods", "jobs", "cronjobs"].contains(&self.resource.as_str())
    }

    /// Removes this permission from the cluster roles.
    pub async fn withheld_from(&self, objects: &[Value], cluster: &Cluster) {
        let mut is_granted = false;
        for role in cluster_roles(objects) {
            let rules = role["rules"].as_array().unwrap().iter().flat_map(|rule| self.removed_from(rule));
            let mut less = role.clone();
            less["rules"] = rules.collect();
            is_granted |= less != *role;
            cluster.apply_object(&less).await;
        }
        assert!(is_granted, "{self:?} is granted");
    }

    /// A rule without this permission.
    fn removed_from(&self, rule: &Value) -> Vec<Value> {
        let Self { group, resource, verb } = self;
        let (mut others, mut of_resource) = (rule.clone(), rule.clone());
        of_resource["resources"] = json!([resource]);
        let is_granted = rule["apiGroups"] == json!([group])
            && take(&mut others["resources"], resource)
            && take(&mut of_resource["verbs"], verb);
        if !is_granted {
            return vec![rule.clone()];
        }
        let mut left = vec![others, of_resource];
        left.retain(|rule| rule["resources"] != json!([]) && rule["verbs"] != json!([]));
        left
    }
}

/// Removes a word from a list, and returns whether it was there.
pub fn take(words: &mut Value, word: &str) -> bool {
    let words = words.as_array_mut().unwrap();
    let before = words.len();
    words.retain(|it| it != word);
    words.len() < before
}

/// Restores the cluster role.
pub async fn give_back(objects: &[Value], cluster: &Cluster) {
    for role in cluster_roles(objects) {
        cluster.apply_object(role).await;
    }
}

fn cluster_roles(objects: &[Value]) -> impl Iterator<Item = &Value> {
    objects.iter().filter(|object| object["kind"] == "ClusterRole")
}

/// All permissions of the cluster role, one by one.
pub fn granted(objects: &[Value]) -> Vec<Permission> {
    let mut granted = Vec::new();
    for role in cluster_roles(objects) {
        for rule in role["rules"].as_array().unwrap() {
            let words = |field: &str| {
                let words = rule[field].as_array().unwrap().iter();
                words.map(|word| word.as_str().unwrap().to_owned()).collect::<Vec<_>>()
            };
            for (group, resource) in words("apiGroups").iter().flat_map(|group| {
                words("resources").into_iter().map(move |resource| (group.clone(), resource))
            }) {
                let permission = |verb| Permission { group: group.clone(), resource: resource.clone(), verb };
                granted.extend(words("verbs").into_iter().map(permission));
            }
        }
    }
    granted
}
