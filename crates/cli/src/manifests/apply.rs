//! Applies objects as `kubectl apply` does.

use super::{
    object::{DEFAULT_NAMESPACE, Object},
    refusal,
};
use crate::output::Error;
use api::names::LAST_APPLIED_ANNOTATION;
use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client, ResourceExt as _,
    api::{Patch, PatchParams, ValidationDirective},
    core::{ApiResource, DynamicObject, GroupVersionKind},
    discovery::{self, Scope},
    runtime::{WatchStreamExt as _, conditions, wait::Condition as _, watcher},
};
use plan::{ObjectKey, Parts};
use serde_json::{Map, Value};
use std::{collections::HashMap, pin::pin};

/// Default field manager of kubectl, so that users can continue with `kubectl apply --server-side`.
const MANAGER: &str = "kubectl";
/// Field manager of `kubectl apply` on the client side.
const CLIENT_SIDE_MANAGER: &str = "kubectl-client-side-apply";

/// Why objects are applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To create or change them.
    #[cfg(feature = "sandbox")]
    Apply,
    /// To see the changes.
    DryRun {
        /// The namespace of objects that name none.
        namespace: String,
        /// The field manager.
        manager: String,
        /// Whether to take over fields of other managers.
        force: bool,
    },
}

/// An object that was applied.
#[derive(Debug)]
pub struct Applied {
    /// Which object.
    pub key: ObjectKey,
    /// The API of its kind, in its namespace.
    #[cfg(feature = "sandbox")]
    pub api: Api<DynamicObject>,
}

/// Applies objects, and caches the discovery of their kinds.
pub struct Applier {
    client: Client,
    purpose: Purpose,
    kinds: HashMap<GroupVersionKind, (ApiResource, Scope)>,
}

impl Applier {
    /// An applier without cached kinds.
    pub fn new(client: Client, purpose: Purpose) -> Self {
        Self { client, purpose, kinds: HashMap::new() }
    }

    /// Applies an object. Waits until the API server serves the kind of a definition.
    pub async fn apply(&mut self, mut object: Object) -> Result<Applied, Error> {
        let (resource, scope) = self.kind(&object).await?;
        let api: Api<DynamicObject> = match &scope {
            Scope::Cluster => {
                object.key = object.key.within("");
                Api::all_with(self.client.clone(), &resource)
            }
            Scope::Namespaced => {
                object = object.in_namespace(self.purpose.namespace());
                Api::namespaced_with(self.client.clone(), &object.key.namespace, &resource)
            }
        };
        addressable(&object, &scope)?;
        if let Err(error) = self.patch(&api, &object).await {
            return Err(refusal::explain(&object, &self.purpose, &error));
        }
        if self.purpose.is_real()
            && resource.group == "apiextensions.k8s.io"
            && resource.kind == "CustomResourceDefinition"
        {
            self.until_established(&object).await?;
        }
        Ok(Applied {
            key: object.key,
            #[cfg(feature = "sandbox")]
            api,
        })
    }

    async fn patch(&self, api: &Api<DynamicObject>, object: &Object) -> kube::Result<DynamicObject> {
        let name = &object.key.name;
        let (manager, force) = match &self.purpose {
            #[cfg(feature = "sandbox")]
            Purpose::Apply => (MANAGER, false),
            Purpose::DryRun { manager, force, .. } => (manager.as_str(), *force),
        };
        let strict = Some(ValidationDirective::Strict);
        if !self.purpose.is_real()
            && manager == MANAGER
            && let Some(last) = api.get_opt(name).await?.and_then(|stored| last_applied(&stored))
        {
            let patch = patch_of_apply(&last, &object.json);
            let manager = Some(CLIENT_SIDE_MANAGER.into());
            let params =
                PatchParams { field_manager: manager, field_validation: strict, ..PatchParams::default() };
            return api.patch(name, &params, &Patch::Merge(&patch)).await;
        }
        let params = PatchParams { force, field_validation: strict, ..PatchParams::apply(manager) };
        api.patch(name, &params, &Patch::Apply(&object.json)).await
    }

    async fn kind(&mut self, object: &Object) -> Result<(ApiResource, Scope), Error> {
        let kind = GroupVersionKind::gvk(&object.key.group, &object.version, &object.key.kind);
        if let Some(known) = self.kinds.get(&kind) {
            return Ok(known.clone());
        }
        let found = discovery::pinned_kind(&self.client, &kind).await;
        let (resource, capabilities) = found.map_err(|error| match &error {
            kube::Error::Discovery(_) => refusal::unserved(object, &kind, &self.purpose),
            kube::Error::Api(status) if status.code == 404 => refusal::unserved(object, &kind, &self.purpose),
            error => refusal::explain(object, &self.purpose, error),
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
        Err(Error::input(object.place(), "is not served", "check its status"))
    }
}

impl Purpose {
    /// The namespace of objects that name none.
    pub fn namespace(&self) -> &str {
        match self {
            #[cfg(feature = "sandbox")]
            Self::Apply => DEFAULT_NAMESPACE,
            Self::DryRun { namespace, .. } if namespace.is_empty() => DEFAULT_NAMESPACE,
            Self::DryRun { namespace, .. } => namespace,
        }
    }

    /// Whether objects are written.
    pub fn is_real(&self) -> bool {
        match self {
            #[cfg(feature = "sandbox")]
            Self::Apply => true,
            Self::DryRun { .. } => false,
        }
    }
}

/// The object as `kubectl apply` applied it last.
fn last_applied(stored: &DynamicObject) -> Option<Value> {
    serde_json::from_str(stored.annotations().get(LAST_APPLIED_ANNOTATION)?).ok()
}

/// The patch of `kubectl apply`: the wanted fields, and null for fields that it applied before and that are gone. It never
/// removes all annotations, because it adds one.
fn patch_of_apply(last: &Value, wanted: &Value) -> Value {
    let mut wanted = wanted.clone();
    let annotations = &mut wanted["metadata"]["annotations"];
    if annotations.is_null() {
        *annotations = Value::Object(Map::new());
    }
    three_way(last, &wanted)
}

fn three_way(last: &Value, wanted: &Value) -> Value {
    let (Value::Object(last), Value::Object(wanted)) = (last, wanted) else { return wanted.clone() };
    let mut patch = Map::new();
    for name in last.keys().filter(|name| !wanted.contains_key(*name)) {
        patch.insert(name.clone(), Value::Null);
    }
    for (name, value) in wanted {
        let was = last.get(name).unwrap_or(&Value::Null);
        patch.insert(name.clone(), three_way(was, value));
    }
    Value::Object(patch)
}

/// Refuses a name that is no single segment of a URL, so that a request cannot go to another object. The API server checks
/// the rest: names of roles may contain colons.
fn addressable(object: &Object, scope: &Scope) -> Result<(), Error> {
    let Parts { namespace, name, .. } = &*object.key;
    let is_segment = |text: &str| {
        !matches!(text, "" | "." | "..")
            && text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '/' | '\\' | '%' | '?' | '#'))
    };
    if !is_segment(name) {
        let remedy = "use lower-case letters, digits, dashes and dots";
        return Err(Error::input(object.place(), "metadata.name is not a valid name", remedy));
    }
    if *scope == Scope::Namespaced && !plan::is_namespace(namespace) {
        let problem = format!("{namespace:?} is not a valid namespace");
        return Err(Error::input(object.place(), problem, "correct metadata.namespace, or the kubeconfig's"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Object, Scope, addressable, patch_of_apply, three_way};
    use crate::manifests::read_file;
    use serde_json::json;

    #[test]
    fn a_path_is_not_the_name_of_an_object_in_a_file() {
        let applied = |namespace: &str, name: &str, scope| {
            let metadata = json!({"name": name, "namespace": namespace});
            let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": metadata});
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), object.to_string()).unwrap();
            let document = read_file(file.path()).unwrap().remove(0);
            addressable(&Object::all(document).unwrap()[0], &scope).map_err(|error| error.to_string())
        };
        for name in ["../../victim/secrets/creds", "..", "a/b", "a?b", "a#b", "a%2fb", "a b", "a\\b", "ä"] {
            assert!(applied("ns", name, Scope::Namespaced).is_err(), "{name}");
            assert!(applied(name, "a", Scope::Namespaced).is_err(), "{name}");
        }
        assert_eq!(applied("ns", "sh.helm.release", Scope::Namespaced), Ok(()));
        assert_eq!(applied("", "system:aggregate-to-view", Scope::Cluster), Ok(()));
    }

    #[test]
    fn a_field_that_was_applied_before_and_is_gone_is_removed() {
        let last = json!({"spec": {"a": 1, "gone": 2, "deep": {"x": 1, "y": 2}}, "annotations": null});
        let wanted = json!({"spec": {"a": 3, "deep": {"x": 1}, "list": [1]}});
        let expected = json!({
            "spec": {"a": 3, "gone": null, "deep": {"x": 1, "y": null}, "list": [1]}, "annotations": null,
        });
        assert_eq!(three_way(&last, &wanted), expected);
    }

    #[test]
    fn annotations_of_others_stay() {
        let last = json!({"metadata": {"annotations": {"a": "1"}, "labels": {}}});
        let expected = json!({"metadata": {"annotations": {"a": null}, "labels": null}});
        assert_eq!(patch_of_apply(&last, &json!({"metadata": {}})), expected);
    }
}
