//! Calls the configured webhooks for a change.

use crate::{
    access::User,
    admission::{self, Attributes, Equivalent, Operation, Webhooks},
    failure::Failure,
    kinds::Resource,
    server::Shared,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// The configured webhooks, and the handler of their calls.
pub(crate) struct Hooks {
    webhooks: Arc<dyn Webhooks>,
    mutating: Vec<Arc<Value>>,
    validating: Vec<Arc<Value>>,
    namespace: Option<Arc<Value>>,
    equivalents: Vec<Equivalent>,
}

/// A change that webhooks review.
pub(crate) struct Request<'a> {
    pub resource: &'a Resource,
    pub subresource: Option<&'a str>,
    pub namespace: Option<&'a str>,
    pub name: &'a str,
    pub operation: Operation,
    pub user: &'a User,
    pub old: Option<&'a Value>,
    pub dry_run: bool,
}

impl Hooks {
    /// None if no webhook is configured.
    pub fn configured(server: &Shared, request: &Request<'_>) -> Option<Self> {
        let webhooks = Arc::clone(&server.webhooks);
        let state = server.state();
        let configurations = |plural: &str| -> Vec<Arc<Value>> {
            state.store.objects("admissionregistration.k8s.io", plural, None).cloned().collect()
        };
        let (mutating, validating) = (
            configurations("mutatingwebhookconfigurations"),
            configurations("validatingwebhookconfigurations"),
        );
        if mutating.is_empty() && validating.is_empty() {
            return None;
        }
        let name = request.namespace.or(request.resource.is("", "namespaces").then_some(request.name));
        let namespace = name.and_then(|name| {
            state
                .store
                .objects("", "namespaces", None)
                .find(|other| other["metadata"]["name"] == name)
                .cloned()
        });
        let own = request.resource;
        let same = |other: &&Arc<Resource>| {
            other.storage_group == own.storage_group
                && other.storage_plural == own.storage_plural
                && (other.group != own.group || other.version != own.version)
        };
        let equivalents = state.kinds.iter().filter(same).map(|other| Equivalent {
            group: other.group.clone(),
            version: other.version.clone(),
            kind: other.kind.clone(),
            plural: other.plural.clone(),
        });
        let equivalents = equivalents.collect();
        Some(Self { webhooks, mutating, validating, namespace, equivalents })
    }

    /// The object after the mutating webhooks, and their warnings.
    pub async fn mutate(
        &self,
        request: &Request<'_>,
        object: Value,
    ) -> Result<(Value, Vec<String>), Failure> {
        let options = options(request);
        let write = self.attributes(request, &options);
        let (mutated, warnings) =
            admission::mutate(&*self.webhooks, &self.mutating, &write, Some(object.clone())).await?;
        Ok((mutated.unwrap_or(object), warnings))
    }

    /// The warnings of the validating webhooks, or the first refusal.
    pub async fn validate(
        &self,
        request: &Request<'_>,
        object: Option<&Value>,
    ) -> Result<Vec<String>, Failure> {
        let options = options(request);
        let write = self.attributes(request, &options);
        admission::validate(&*self.webhooks, &self.validating, &write, object).await
    }

    fn attributes<'a>(&'a self, request: &'a Request<'a>, options: &'a Value) -> Attributes<'a> {
        Attributes {
            operation: request.operation,
            group: &request.resource.group,
            version: &request.resource.version,
            kind: &request.resource.kind,
            plural: &request.resource.plural,
            subresource: request.subresource.unwrap_or_default(),
            namespace: request.namespace.unwrap_or_default(),
            name: request.name,
            user: request.user,
            old: request.old,
            dry_run: request.dry_run,
            options,
            namespace_labels: self.namespace.as_ref().map(|namespace| &namespace["metadata"]["labels"]),
            equivalents: &self.equivalents,
        }
    }
}

fn options(request: &Request<'_>) -> Value {
    let kind = match request.operation {
        Operation::Create => "CreateOptions",
        Operation::Update => "UpdateOptions",
        Operation::Delete => "DeleteOptions",
    };
    let mut options = json!({"kind": kind, "apiVersion": "meta.k8s.io/v1"});
    if request.dry_run {
        options["dryRun"] = json!(["All"]);
    }
    options
}
