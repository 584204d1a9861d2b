//! A component that has one of everything the engine must handle.

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{CustomResource, ResourceExt as _, core::ObjectMeta};
use plan::{Builder, ChildName, Children, Component, Desired, PlanError, Recipe, World};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What a test asks for.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "engine.test",
    version = "v1",
    kind = "Widget",
    namespaced,
    status = "api::v1beta1::ComponentStatus",
    scale = r#"{"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}"#
)]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
pub struct WidgetSpec {
    /// Goes into a ConfigMap the pods use.
    pub message: String,
    /// A Secret read while planning; its key `word` goes into the ConfigMap.
    pub reads: Option<String>,
    /// A Secret only the pods use, with its key `word`.
    pub uses: Option<String>,
    /// Replicas of the Deployment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<i32>,
    /// Names of further ConfigMaps.
    pub extras: Vec<String>,
    /// Whether planning panics.
    pub panics: bool,
    /// Leaves the Deployment without containers, so that the API server refuses it.
    pub no_containers: bool,
    /// The schema cannot say how small it must be, so that an object can be stored that does not decode.
    #[schemars(with = "i32")]
    pub tiny: i8,
}

pub struct WidgetComponent;

impl Component for WidgetComponent {
    type Owner = Widget;

    const NAME: &'static str = "widget";

    fn children() -> Children {
        Children::none().and::<ConfigMap>().and::<Secret>().and::<Deployment>()
    }

    #[allow(clippy::panic, reason = "a test asks for it")]
    fn desired(widget: &Widget, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let WidgetSpec { message, reads, uses, replicas, extras, panics, no_containers, .. } = &widget.spec;
        assert!(!panics, "as the test asked for");
        let name = ChildName::of(&widget.name_any(), Self::NAME)?;
        let read = match reads {
            Some(secret) => world.require::<Secret>(secret)?.data.unwrap_or_default().remove("word"),
            None => None,
        };
        let read = read.map(|bytes| String::from_utf8_lossy(&bytes.0).into_owned()).unwrap_or_default();
        let meta = |name: &str| ObjectMeta {
            name: Some(name.to_owned()),
            namespace: widget.namespace(),
            ..ObjectMeta::default()
        };
        let config = ConfigMap {
            metadata: meta(&name),
            data: Some([("message".to_owned(), message.clone()), ("word".to_owned(), read)].into()),
            ..ConfigMap::default()
        };
        let config = graph.add::<ConfigMap>(config, ());
        let token = Secret { metadata: meta(&format!("{name}-token")), ..Secret::default() };
        let token = graph.add::<Secret>(
            Desired::generated(token, [("token".to_owned(), Recipe::Alphanumeric { length: 16 })]),
            (),
        );
        for extra in extras {
            graph.add::<ConfigMap>(ConfigMap { metadata: meta(extra), ..ConfigMap::default() }, ());
        }
        let secret = |variable: &str, name: &str, key: &str| json!({"name": variable, "valueFrom": {"secretKeyRef": {"name": name, "key": key}}});
        let mut env = vec![secret("TOKEN", &format!("{name}-token"), "token")];
        env.extend(uses.iter().map(|uses| secret("WORD", uses, "word")));
        let container = json!({"name": "widget", "image": "example/widget:1", "env": env});
        let deployment: Deployment = serde_json::from_value(json!({
            "metadata": meta(&name),
            "spec": {
                "replicas": replicas,
                "selector": {"matchLabels": {"widget": &*name}},
                "template": {
                    "metadata": {"labels": {"widget": &*name}},
                    "spec": {
                        "containers": if *no_containers { vec![] } else { vec![container] },
                        "volumes": [{"name": "config", "configMap": {"name": &*name}}],
                    },
                },
            },
        }))
        .map_err(|error| PlanError::invalid("Deployment", error.to_string(), "correct the test"))?;
        graph.add::<Deployment>(deployment, (config, token));
        Ok(())
    }
}
