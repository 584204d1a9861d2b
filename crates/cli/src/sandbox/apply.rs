//! Applies objects as `kubectl apply --server-side` would.

use crate::{
    error::Error,
    object::{DEFAULT_NAMESPACE, Object},
};
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client,
    api::{Patch, PatchParams, ValidationDirective},
    core::{ApiResource, DynamicObject, GroupVersionKind, Status},
    discovery::{self, Scope},
    runtime::{WatchStreamExt as _, conditions, wait::Condition as _, watcher},
};
use plan::ObjectKey;
use std::{collections::HashMap, pin::pin};

/// The field manager of whoever applies by hand, so that `kubectl apply --server-side` goes on where we began.
const MANAGER: &str = "kubectl";

/// An object that was applied.
#[derive(Debug)]
pub struct Applied {
    /// Which object.
    pub key: ObjectKey,
    /// Objects of its kind, where it is.
    pub api: Api<DynamicObject>,
}

/// Applies objects and remembers the kinds it has met.
pub struct Applier {
    client: Client,
    kinds: HashMap<GroupVersionKind, (ApiResource, Scope)>,
}

impl Applier {
    /// One that knows no kinds yet.
    pub fn new(client: Client) -> Self {
        Self { client, kinds: HashMap::new() }
    }

    /// Applies an object; after a definition, the kind it defines can be used.
    pub async fn apply(&mut self, mut object: Object) -> Result<Applied, Error> {
        let (resource, scope) = self.kind(&object).await?;
        let api = match scope {
            Scope::Cluster => {
                object.key = object.key.within("");
                Api::all_with(self.client.clone(), &resource)
            }
            Scope::Namespaced => {
                object = object.in_namespace();
                Api::namespaced_with(self.client.clone(), &object.key.namespace, &resource)
            }
        };
        let mut params = PatchParams::apply(MANAGER);
        params.field_validation = Some(ValidationDirective::Strict);
        let name = &object.key.name;
        if let Err(error) = api.patch(name, &params, &Patch::Apply(&object.json)).await {
            return Err(refused(&object, &error));
        }
        if resource.group == "apiextensions.k8s.io" && resource.kind == "CustomResourceDefinition" {
            self.until_established(&object).await?;
        }
        Ok(Applied { key: object.key, api })
    }

    async fn kind(&mut self, object: &Object) -> Result<(ApiResource, Scope), Error> {
        let kind = GroupVersionKind::gvk(&object.key.group, &object.version, &object.key.kind);
        if let Some(known) = self.kinds.get(&kind) {
            return Ok(known.clone());
        }
        let found = discovery::pinned_kind(&self.client, &kind).await;
        let (resource, capabilities) = found.map_err(|error| match &error {
            kube::Error::Discovery(_) => unknown(object, &kind),
            kube::Error::Api(status) if status.code == 404 => unknown(object, &kind),
            _ => refused(object, &error),
        })?;
        let found = (resource, capabilities.scope);
        self.kinds.insert(kind, found.clone());
        Ok(found)
    }

    async fn until_established(&self, object: &Object) -> Result<(), Error> {
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let established = conditions::is_crd_established();
        let states = watcher::watch_object(api, &object.key.name).default_backoff();
        let mut states = pin!(states.into_stream().filter_map(async |state| state.ok()));
        while let Some(definition) = states.next().await {
            if established.matches_object(definition.as_ref()) {
                return Ok(());
            }
        }
        Err(Error::input(object.place(), "is not served", "look at its status"))
    }
}

fn unknown(object: &Object, kind: &GroupVersionKind) -> Error {
    let problem = format!("the cluster does not know the kind {} in {}", kind.kind, kind.api_version());
    let remedy = "correct apiVersion and kind, or give its CustomResourceDefinition in an earlier --apply";
    Error::input(object.place(), problem, remedy)
}

/// What the API server's answer means for whoever wrote the file.
fn refused(object: &Object, error: &kube::Error) -> Error {
    let kube::Error::Api(status) = error else {
        return Error::input(object.place(), format!("cannot be applied ({error})"), "try again");
    };
    let namespace = if object.key.namespace.is_empty() { DEFAULT_NAMESPACE } else { &object.key.namespace };
    match status.code {
        404 if is_missing_namespace(status) => {
            let remedy = format!("give a Namespace called {namespace} in an earlier --apply");
            Error::input(object.place(), format!("the namespace {namespace} does not exist"), remedy)
        }
        409 => {
            let remedy = "remove the fields from the file, or change them with the tool that owns them";
            Error::input(object.place(), &status.message, remedy)
        }
        _ => Error::input(object.place(), &status.message, "correct the object"),
    }
}

fn is_missing_namespace(status: &Status) -> bool {
    status.details.as_ref().is_some_and(|details| details.kind == "namespaces")
}
