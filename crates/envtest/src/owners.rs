//! Waits until new kinds can own objects. The functions panic on errors, because a test would.

#![allow(clippy::panic)]

use crate::{ControlPlane, TIMEOUT};
use k8s_openapi::{
    api::{
        core::v1::ConfigMap,
        rbac::v1::{PolicyRule, Role, RoleBinding, RoleRef, Subject},
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::OwnerReference,
};
use kube::{
    Api, Client,
    api::{ObjectMeta, Patch, PatchParams, PostParams},
};
use serde::Serialize;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// The name of a user, a role and a binding. The user may create a ConfigMap, but has no permission for its owner.
const PROBE: &str = "owner-probe";

impl ControlPlane {
    /// Waits until objects of these kinds can own others. The admission plugin OwnerReferencesPermissionEnforcement
    /// discovers new kinds every half minute, and refuses objects whose owner has an unknown kind. An operator
    /// retries, but a test that counts its requests must not begin before.
    ///
    /// The in-memory server knows kinds at once, and `definitions` is not called.
    ///
    /// # Panics
    /// If they cannot in time.
    pub async fn until_owners<D: Serialize>(&self, definitions: impl FnOnce() -> Vec<D>) {
        if self.is_in_memory() {
            return;
        }
        allow(&self.client())
            .await
            .unwrap_or_else(|error| panic!("{PROBE} is not allowed to probe: {error}"));
        let client = Client::try_from(self.user(PROBE, &[])).unwrap_or_else(|error| panic!("{error}"));
        let api: Api<ConfigMap> = Api::namespaced(client, "default");
        for definition in definitions() {
            let definition = serde_json::to_value(definition).and_then(serde_json::from_value);
            let definition: CustomResourceDefinition = definition.unwrap_or_else(|error| panic!("{error}"));
            let known = timeout(TIMEOUT, async {
                while !is_known(&api, &definition).await {
                    sleep(Duration::from_millis(250)).await;
                }
            });
            assert!(known.await.is_ok(), "a {} cannot own anything in time", definition.spec.names.kind);
        }
    }
}

/// Whether the plugin knows the kind. Then it may still refuse the request because of a missing permission.
async fn is_known(api: &Api<ConfigMap>, definition: &CustomResourceDefinition) -> bool {
    let spec = &definition.spec;
    let version = spec.versions.iter().find(|version| version.storage).map_or("", |version| &version.name);
    let owner = OwnerReference {
        api_version: format!("{}/{version}", spec.group),
        kind: spec.names.kind.clone(),
        name: "nobody".to_owned(),
        uid: "nobody".to_owned(),
        block_owner_deletion: Some(true),
        ..OwnerReference::default()
    };
    let metadata = ObjectMeta {
        generate_name: Some("owned-".to_owned()),
        owner_references: Some(vec![owner]),
        ..ObjectMeta::default()
    };
    let config_map = ConfigMap { metadata, ..ConfigMap::default() };
    let dry_run = PostParams { dry_run: true, ..PostParams::default() };
    match api.create(&dry_run, &config_map).await {
        Ok(_) => true,
        Err(kube::Error::Api(status)) => status.message.contains("can't set finalizers"),
        Err(_) => false,
    }
}

async fn allow(client: &Client) -> kube::Result<()> {
    let metadata = ObjectMeta { name: Some(PROBE.to_owned()), ..ObjectMeta::default() };
    let to_create = PolicyRule {
        api_groups: Some(vec![String::new()]),
        resources: Some(vec!["configmaps".to_owned()]),
        verbs: vec!["create".to_owned()],
        ..PolicyRule::default()
    };
    let role = Role { metadata: metadata.clone(), rules: Some(vec![to_create]) };
    let subject = Subject {
        api_group: Some("rbac.authorization.k8s.io".to_owned()),
        kind: "User".to_owned(),
        name: PROBE.to_owned(),
        namespace: None,
    };
    let role_ref = RoleRef {
        api_group: "rbac.authorization.k8s.io".to_owned(),
        kind: "Role".to_owned(),
        name: PROBE.to_owned(),
    };
    let binding = RoleBinding { metadata, role_ref, subjects: Some(vec![subject]) };
    let params = PatchParams::apply("envtest").force();
    let roles: Api<Role> = Api::namespaced(client.clone(), "default");
    roles.patch(PROBE, &params, &Patch::Apply(&role)).await?;
    let bindings: Api<RoleBinding> = Api::namespaced(client.clone(), "default");
    bindings.patch(PROBE, &params, &Patch::Apply(&binding)).await?;
    Ok(())
}
