//! ConfigMaps as the rules need them.
//!
//! The operator lists all ConfigMaps of a cluster with their content, because what the annotation of a Namespace names may
//! change at any time. The decoder skips what rules do not need, however large it is.

use k8s_openapi::api::core::v1::ConfigMap;
use kube::{Resource, core::ObjectMeta};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;

/// The name, the version and the keys for rewriting of a ConfigMap.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct RulesMap {
    #[serde(deserialize_with = "metadata")]
    metadata: ObjectMeta,
    #[serde(default)]
    data: Option<Data>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Data {
    hsc: Option<String>,
    rewriting: Option<String>,
    rules: Option<String>,
}

fn metadata<'de, D: Deserializer<'de>>(from: D) -> Result<ObjectMeta, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        name: Option<String>,
        namespace: Option<String>,
        resource_version: Option<String>,
    }
    let Metadata { name, namespace, resource_version } = Metadata::deserialize(from)?;
    Ok(ObjectMeta { name, namespace, resource_version, ..ObjectMeta::default() })
}

impl RulesMap {
    /// The ConfigMap without everything else.
    pub fn config_map(&self) -> ConfigMap {
        let data = self
            .data
            .iter()
            .flat_map(|data| [("hsc", &data.hsc), ("rewriting", &data.rewriting), ("rules", &data.rules)]);
        let data = data.filter_map(|(key, value)| Some((key.to_owned(), value.clone()?)));
        ConfigMap { metadata: self.metadata.clone(), data: Some(data.collect()), ..ConfigMap::default() }
    }
}

impl Resource for RulesMap {
    type DynamicType = ();
    type Scope = <ConfigMap as Resource>::Scope;

    fn kind((): &()) -> Cow<'_, str> {
        ConfigMap::kind(&())
    }

    fn group((): &()) -> Cow<'_, str> {
        ConfigMap::group(&())
    }

    fn version((): &()) -> Cow<'_, str> {
        ConfigMap::version(&())
    }

    fn plural((): &()) -> Cow<'_, str> {
        ConfigMap::plural(&())
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}

#[cfg(test)]
mod tests {
    use super::RulesMap;
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    fn decoded(object: Value) -> ConfigMap {
        serde_json::from_value::<RulesMap>(object).unwrap().config_map()
    }

    fn config_map(object: Value) -> ConfigMap {
        serde_json::from_value(object).unwrap()
    }

    #[test]
    fn only_the_keys_for_rewriting_are_kept() {
        let large = "x".repeat(1000);
        let all = json!({ "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": "rules", "namespace": "team", "resourceVersion": "7", "uid": "u",
                "labels": { "a": large }, "annotations": { "a": large },
                "managedFields": [{ "manager": "kubectl", "fieldsV1": { "f:data": {} } }] },
            "binaryData": { "large": "eA==" }, "immutable": true,
            "data": { "hsc": "main", "rules": "docker.io=>hub", "large": large } });
        let kept = json!({ "metadata": { "name": "rules", "namespace": "team", "resourceVersion": "7" },
            "data": { "hsc": "main", "rules": "docker.io=>hub" } });
        assert_eq!(decoded(all), config_map(kept));
    }

    #[test]
    fn a_config_map_without_data_has_no_keys() {
        let kept = || config_map(json!({ "metadata": { "name": "rules" }, "data": {} }));
        assert_eq!(decoded(json!({ "metadata": { "name": "rules" }, "data": null })), kept());
        assert_eq!(decoded(json!({ "metadata": { "name": "rules" } })), kept());
    }
}
