//! Objects reduced to their metadata.

use serde_json::{Value, json};

/// An object as `PartialObjectMetadata` of this version of `meta.k8s.io`.
pub(crate) fn partial(object: &Value, version: &str) -> Value {
    let metadata = object.get("metadata").cloned().unwrap_or_else(|| json!({}));
    let api_version = format!("meta.k8s.io/{version}");
    json!({"kind": "PartialObjectMetadata", "apiVersion": api_version, "metadata": metadata})
}

/// Objects as a `PartialObjectMetadataList` with the metadata of the list they come from.
pub(crate) fn partial_list<'o>(
    objects: impl IntoIterator<Item = &'o Value>,
    list_metadata: Value,
    version: &str,
) -> Value {
    let items: Vec<Value> = objects.into_iter().map(|object| partial(object, version)).collect();
    json!({
        "kind": "PartialObjectMetadataList",
        "apiVersion": format!("meta.k8s.io/{version}"),
        "metadata": list_metadata,
        "items": items,
    })
}

#[cfg(test)]
mod tests {
    use super::partial_list;
    use serde_json::json;

    #[test]
    fn a_metadata_list_keeps_metadata_and_nothing_else() {
        let secret = json!({"metadata": {"name": "key", "labels": {"a": "b"}}, "data": {"key": "c2VjcmV0"}});
        assert_eq!(
            partial_list([&secret], json!({"resourceVersion": "7"}), "v1"),
            json!({
                "kind": "PartialObjectMetadataList",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": {"resourceVersion": "7"},
                "items": [{
                    "kind": "PartialObjectMetadata",
                    "apiVersion": "meta.k8s.io/v1",
                    "metadata": {"name": "key", "labels": {"a": "b"}},
                }],
            })
        );
    }
}
