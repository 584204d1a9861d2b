//! Definitions that also serve v1alpha3.
//!
//! The schema of v1alpha3 follows from that of v1beta1: the fields that v1alpha3 has, in their old places. It requires
//! nothing, has no defaults and no rules, since objects that are stored must be readable, and what v1beta1 asks for is
//! checked when they are written in v1beta1. It has no descriptions: with them, the definition would be too large for
//! `kubectl apply`.

use super::{Version, fields, harborcluster, v1alpha3};
use crate::crds::below;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceConversion, CustomResourceDefinition, CustomResourceDefinitionVersion, JSONSchemaProps,
    JSONSchemaPropsOrArray, ServiceReference, WebhookClientConfig, WebhookConversion,
};

/// The path under which a webhook converts.
pub const CONVERSION_PATH: &str = "/convert";

/// Where the webhook that converts is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConversionWebhook {
    /// Behind a Service.
    Service {
        /// The namespace of the Service.
        namespace: String,
        /// The name of the Service.
        name: String,
    },
    /// At a URL, without the path.
    Url(String),
}

/// The definitions, of which those of [`kinds`](super::kinds) also serve v1alpha3. The API server asks the webhook to
/// convert; without one, v1alpha3 cannot be served.
pub fn serve_v1alpha3(
    mut definitions: Vec<CustomResourceDefinition>,
    webhook: &ConversionWebhook,
) -> Vec<CustomResourceDefinition> {
    for definition in &mut definitions {
        let kind = definition.spec.names.kind.clone();
        let current = definition.spec.versions.iter().find(|version| version.name == Version::V1beta1.name());
        if let Some(fields) = v1alpha3::spec(&kind)
            && let Some(old) = current.map(|current| v1alpha3_of(&kind, current, fields))
        {
            definition.spec.versions.insert(0, old);
            definition.spec.conversion = Some(conversion(webhook));
        }
    }
    definitions
}

fn v1alpha3_of(
    kind: &str,
    current: &CustomResourceDefinitionVersion,
    fields: &[fields::Field],
) -> CustomResourceDefinitionVersion {
    let mut old = current.clone();
    Version::V1alpha3.name().clone_into(&mut old.name);
    old.storage = false;
    old.deprecated = Some(true);
    let warning = format!(
        "{} {kind} is deprecated; use {}, and convert manifests with `harbor-operator convert`",
        Version::V1alpha3.api_version(),
        Version::V1beta1.api_version()
    );
    old.deprecation_warning = Some(warning);
    let root = old.schema.as_mut().and_then(|schema| schema.open_api_v3_schema.as_mut());
    if let Some(root) = root {
        relax(root);
        if let Some(spec) = root.properties.as_mut().and_then(|properties| properties.get_mut("spec")) {
            if kind == "HarborCluster" {
                harborcluster::lower_schema(spec);
            }
            fields::restrict_schema(spec, fields);
        }
    }
    old
}

/// Admits everything of the right type. Only the keys of lists stay required: a definition without them is refused.
fn relax(schema: &mut JSONSchemaProps) {
    schema.description = None;
    schema.required = None;
    schema.default = None;
    schema.x_kubernetes_validations = None;
    for (_, below) in below(schema) {
        relax(below);
    }
    if let Some(keys) = &schema.x_kubernetes_list_map_keys
        && let Some(JSONSchemaPropsOrArray::Schema(items)) = &mut schema.items
    {
        items.required = Some(keys.clone());
    }
}

fn conversion(webhook: &ConversionWebhook) -> CustomResourceConversion {
    let client_config = match webhook.clone() {
        ConversionWebhook::Service { namespace, name } => {
            let path = Some(CONVERSION_PATH.to_owned());
            let service = ServiceReference { namespace, name, path, port: None };
            WebhookClientConfig { service: Some(service), ..WebhookClientConfig::default() }
        }
        ConversionWebhook::Url(url) => WebhookClientConfig {
            url: Some(format!("{}{CONVERSION_PATH}", url.trim_end_matches('/'))),
            ..WebhookClientConfig::default()
        },
    };
    CustomResourceConversion {
        strategy: "Webhook".to_owned(),
        webhook: Some(WebhookConversion {
            client_config: Some(client_config),
            conversion_review_versions: vec!["v1".to_owned()],
        }),
    }
}
