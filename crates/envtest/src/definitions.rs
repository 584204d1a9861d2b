//! Installs custom resource definitions. The functions panic on errors, because a test would.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used, clippy::panic)]

use crate::{ControlPlane, TIMEOUT, folder, shared};
use futures::future::join_all;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api,
    api::{Patch, PatchParams},
    runtime::wait::{await_condition, conditions},
};
use serde::Serialize;
use tokio::time::timeout;

impl ControlPlane {
    /// Prepares a control plane, unless another test that shares it has already done so. A real server takes seconds to
    /// install definitions, and their text takes a while to generate.
    ///
    /// `what` identifies the preparation. Tests that begin at the same time wait for the first of them. If that one fails, the
    /// next one prepares again, so it must be idempotent. A test that undoes it, such as by deleting a definition, needs a
    /// control plane of its own.
    pub async fn once(&self, what: &str, prepare: impl AsyncFnOnce()) {
        if !self.is_shared() {
            return prepare().await;
        }
        let done = self.folder().join(format!("{what}.done"));
        if done.exists() {
            return;
        }
        let lock = shared::lock(&self.folder().join(format!("{what}.lock"))).await;
        let _lock = lock.unwrap_or_else(|error| panic!("{what}: {error}"));
        if !done.exists() {
            prepare().await;
            folder::write(&done, "").unwrap_or_else(|error| panic!("{error}"));
        }
    }

    /// Installs definitions, and waits until the server serves their kinds. A real server describes its whole API anew for
    /// changes that it sees, so it takes less time if they come at once.
    pub async fn install<D: Serialize>(&self, definitions: &[D]) {
        join_all(definitions.iter().map(|definition| self.install_one(definition))).await;
    }

    async fn install_one<D: Serialize>(&self, definition: &D) {
        let definition = serde_json::to_value(definition).unwrap();
        let name = definition["metadata"]["name"].as_str().unwrap();
        let params = PatchParams::apply("test").force();
        // The schema in the answer would take longer to decode than the request takes.
        let api: Api<CustomResourceDefinition> = Api::all(self.client());
        api.patch_metadata(name, &params, &Patch::Apply(&definition)).await.unwrap();
        self.until_established(name).await;
    }

    /// Waits until a custom resource definition is served. The in-memory server serves it before it answers the request
    /// that created it.
    pub async fn until_established(&self, name: &str) {
        if self.is_in_memory() {
            return;
        }
        let api: Api<CustomResourceDefinition> = Api::all(self.client());
        let established = await_condition(api, name, conditions::is_crd_established());
        let served = timeout(TIMEOUT, established).await.is_ok_and(|result| result.is_ok());
        assert!(served, "the definition {name} is not established in time");
    }
}
