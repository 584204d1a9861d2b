//! Installs custom resource definitions. The functions panic on errors, because a test would.

#![allow(clippy::missing_panics_doc, clippy::unwrap_used, clippy::panic)]

use crate::{ControlPlane, TIMEOUT, folder, generated, shared};
use apiserver::ApiServer;
use futures::future::join_all;
use jiff::Timestamp;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
    runtime::wait::{await_condition, conditions},
};
use serde::Serialize;
use serde_json::Value;
use std::{panic::resume_unwind, thread};
use tokio::time::timeout;

/// The field manager.
const MANAGER: &str = "test";

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

    /// Installs definitions that `generate` always generates alike, like [`ControlPlane::install`]. In a run of nextest, the
    /// in-memory servers have them [checked once](accepted).
    pub async fn install_generated(&self, what: &str, generate: impl FnOnce() -> Vec<Value> + Send) {
        match self.server() {
            Some(server) => server.adopt(accepted(what, generate)),
            None => self.install(&generated(what, generate)).await,
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
        let params = PatchParams::apply(MANAGER).force();
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

/// Definitions that `generate` always generates alike, as an in-memory server stores them, for [`ApiServer::adopt`]. To check the
/// schemas of all our kinds takes longer than most tests, so one server checks them for all tests of a run, as with
/// [`generated`].
pub fn accepted(what: &str, generate: impl FnOnce() -> Vec<Value> + Send) -> Vec<Value> {
    // In a runtime of its own, because the caller may be in one.
    let accept = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = ApiServer::builder().seed(1).start(Timestamp::UNIX_EPOCH).build().unwrap();
            let kind = ApiResource::erase::<CustomResourceDefinition>(&());
            let api: Api<DynamicObject> = Api::all_with(Client::new(server.clone(), "default"), &kind);
            for definition in generate() {
                let name = definition["metadata"]["name"].as_str().unwrap();
                let params = PatchParams::apply(MANAGER).force();
                api.patch_metadata(name, &params, &Patch::Apply(&definition)).await.unwrap();
            }
            server.definitions()
        })
    };
    generated(&format!("{what}-accepted"), || {
        thread::scope(|scope| scope.spawn(accept).join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::accepted;
    use apiserver::ApiServer;
    use kube::{
        Api, Client,
        api::PostParams,
        core::{ApiResource, DynamicObject, GroupVersionKind},
    };
    use serde_json::{Value, json};

    #[tokio::test]
    async fn a_server_that_adopts_accepted_definitions_serves_their_kinds_with_their_schemas() {
        let server = ApiServer::new();
        server.adopt(accepted("boats", boats));
        let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("test.io", "v1", "Boat"));
        let api: Api<DynamicObject> = Api::default_namespaced_with(Client::new(server, "default"), &kind);
        let boat = |sails: Value| {
            let boat = json!({
                "apiVersion": "test.io/v1", "kind": "Boat", "metadata": {"generateName": "boat-"}, "spec": {"sails": sails},
            });
            serde_json::from_value(boat).unwrap()
        };
        api.create(&PostParams::default(), &boat(json!(2))).await.unwrap();
        let refused = api.create(&PostParams::default(), &boat(json!("two"))).await.unwrap_err().to_string();
        assert!(refused.contains("spec.sails: Invalid value"), "{refused}");
    }

    #[tokio::test]
    #[should_panic(expected = "must not be empty at the root")]
    async fn definitions_that_a_server_refuses_are_not_accepted() {
        accepted("wrong-boats", || {
            let mut boats = boats();
            boats[0]["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = json!({});
            boats
        });
    }

    fn boats() -> Vec<Value> {
        let spec = json!({"type": "object", "properties": {"sails": {"type": "integer"}}});
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        vec![json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "boats.test.io"},
            "spec": {
                "group": "test.io", "scope": "Namespaced",
                "names": {"plural": "boats", "singular": "boat", "kind": "Boat", "listKind": "BoatList"},
                "versions": [{
                    "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
                }],
            },
        })]
    }
}
