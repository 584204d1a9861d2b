//! Making pods from templates, and telling templates apart.

use crate::{kind::Kind, write::owned_by};
use kube::{ResourceExt as _, core::DynamicObject};
use rand::RngExt as _;
use serde_json::{Value, json};

/// The node all pods run on. There is no such object.
pub(crate) const NODE: &str = "sandbox";

/// What Kubernetes makes names of: nothing that could spell a word.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Five letters that nobody else has drawn.
pub(crate) fn suffix() -> String {
    let mut random = rand::rng();
    (0..5).map(|_| char::from(LETTERS[random.random_range(0..LETTERS.len())])).collect()
}

/// A short name of a template, the same for the same template.
pub(crate) fn hash(template: &Value) -> String {
    // FNV-1a, as Kubernetes uses; what it is fed with differs, and so do the names.
    let number = template
        .to_string()
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    number.to_string().bytes().map(|digit| char::from(LETTERS[usize::from(digit) % LETTERS.len()])).collect()
}

/// A pod of a workload, to be created.
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
