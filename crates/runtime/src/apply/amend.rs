//! JSON patches of an object in the version that the operator read.

use crate::{ReconcileError, error::Verb};
use kube::{
    Api,
    api::{Patch, PatchParams},
    core::DynamicObject,
};
use plan::ObjectKey;
use serde_json::{Value, json};

/// Patches an object as `manager` if its resource version still is `version`. Otherwise the API server answers with a
/// conflict, and the operator retries.
///
/// The patch replaces the version instead of testing it: the API server answers a failed test with 422, as if the
/// object were invalid.
pub(crate) async fn amend(
    api: &Api<DynamicObject>,
    (verb, key): (Verb, &ObjectKey),
    manager: &str,
    version: Option<&str>,
    operations: impl IntoIterator<Item = Value>,
) -> Result<DynamicObject, ReconcileError> {
    let unchanged = json!({"op": "replace", "path": "/metadata/resourceVersion", "value": version});
    let patch = serde_json::from_value(std::iter::once(unchanged).chain(operations).collect());
    let patch = patch.map_err(|error| ReconcileError::Bug(error.to_string()))?;
    let params = PatchParams { field_manager: Some(manager.to_owned()), ..PatchParams::default() };
    let patched = api.patch(&key.name, &params, &Patch::Json::<()>(patch)).await;
    patched.map_err(|error| ReconcileError::api(verb, key, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use apiserver::ApiServer;
    use kube::{Client, api::PostParams, core::ApiResource};
    use plan::{Class, Classify as _};

    #[tokio::test]
    async fn a_patch_of_an_outdated_version_is_a_conflict_and_not_invalid() {
        let client = Client::new(ApiServer::builder().build().unwrap(), "default");
        let resource = ApiResource::erase::<k8s_openapi::api::core::v1::ConfigMap>(&());
        let api: Api<DynamicObject> = Api::default_namespaced_with(client, &resource);
        let object = serde_json::from_value(json!({"metadata": {"name": "c"}})).unwrap();
        let stored = api.create(&PostParams::default(), &object).await.unwrap();
        let key = ObjectKey::new("", "ConfigMap", "default", "c");
        let change = |word: &str| [json!({"op": "add", "path": "/data", "value": {"word": word}})];
        let version = stored.metadata.resource_version.as_deref();

        let amended = amend(&api, (Verb::Adopt, &key), "one", version, change("a")).await.unwrap();
        assert_eq!(amended.data["data"]["word"], "a");
        let failure = amend(&api, (Verb::Adopt, &key), "one", version, change("b")).await.unwrap_err();
        assert_eq!(failure.class(), Class::Conflict, "{failure}");
    }
}
