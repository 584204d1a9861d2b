//! Creates pods from templates, and identifies templates by a hash.

use crate::{kind::Kind, write::owned_by};
use kube::{ResourceExt as _, core::DynamicObject};
use rand::RngExt as _;
use serde_json::{Value, json};

/// The name of the node of all pods. There is no Node object.
pub(crate) const NODE: &str = "sandbox";

/// The characters that Kubernetes uses for generated names. They cannot form words.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// A random suffix of five characters.
pub(crate) fn suffix() -> String {
    let mut random = rand::rng();
    (0..5).map(|_| char::from(LETTERS[random.random_range(0..LETTERS.len())])).collect()
}

/// A short hash of a template.
pub(crate) fn hash(template: &Value) -> String {
    // FNV-1a, as in Kubernetes, but with another input, so the hashes differ.
    let number = template
        .to_string()
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    number.to_string().bytes().map(|digit| char::from(LETTERS[usize::from(digit) % LETTERS.len()])).collect()
}

/// A new pod of a workload.
pub(crate) fn pod(kind: Kind, owner: &DynamicObject, name: &str, template: &Value, labels: Value) -> Value {
    let mut all = template["metadata"]["labels"].clone();
    if let (Some(all), Value::Object(more)) = (all.as_object_mut(), &labels) {
        all.extend(more.clone());
    } else {
        all = labels;
    }
    let mut spec = template["spec"].clone();
    if let Some(fields) = spec.as_object_mut() {
        fields.insert("nodeName".to_owned(), NODE.into());
    }
    json!({
        "metadata": {
            "name": name,
            "namespace": owner.namespace(),
            "labels": all,
            "annotations": template["metadata"]["annotations"],
            "ownerReferences": owned_by(kind, owner),
        },
        "spec": spec,
    })
}

/// Whether a pod is ready to serve.
pub(crate) fn is_ready(pod: &DynamicObject) -> bool {
    crate::condition::holds(&pod.data["status"]["conditions"], "Ready")
}

#[cfg(test)]
mod tests {
    use super::hash;
    use serde_json::json;

    #[test]
    fn a_template_is_named_by_what_it_says() {
        let template = json!({"spec": {"containers": [{"image": "a"}]}});
        assert_eq!(hash(&template), hash(&template.clone()));
        assert_ne!(hash(&template), hash(&json!({"spec": {"containers": [{"image": "b"}]}})));
    }
}
