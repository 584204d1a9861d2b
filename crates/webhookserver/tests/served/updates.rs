//! Pods that exist: their images stay, and ephemeral containers that are added are rewritten.

use crate::{
    rewriting::{HUB, UNCHANGED, image},
    world::{NAME, World},
};
use apiserver::{RemoteWebhooks, WebhookTarget, Webhooks as _};
use k8s_openapi::{ByteString, api::core::v1::Pod};
use kube::{
    Api, ResourceExt as _,
    api::{Patch, PatchParams},
};
use serde_json::{Value, json};

impl World {
    /// Changes a pod of namespace `team`.
    async fn change_pod(&self, name: &str, change: Value) -> Pod {
        let pods: Api<Pod> = Api::namespaced(self.client(), &self.team);
        pods.patch(name, &PatchParams::default(), &Patch::Merge(change)).await.unwrap()
    }

    /// Gives a pod of namespace `team` these ephemeral containers, and returns their images.
    async fn debug(&self, name: &str, containers: Value) -> Vec<String> {
        let pods: Api<Pod> = Api::namespaced(self.client(), &self.team);
        let change = Patch::Merge(json!({ "spec": { "ephemeralContainers": containers } }));
        let params = PatchParams::default();
        let pod = pods.patch_subresource("ephemeralcontainers", name, &params, &change).await.unwrap();
        let containers = pod.spec.unwrap().ephemeral_containers.unwrap();
        containers.into_iter().map(|it| it.image.unwrap()).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_that_exists_keeps_its_images_when_it_is_updated() {
    let world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    let (pod, _) = world.create_pod(&world.team, json!({ "goharbor.io/rewrite": "false" })).await.unwrap();
    let labels = json!({ "goharbor.io/rewrite": null, "changed": "yes" });
    let changed = world.change_pod(&pod.name_any(), json!({ "metadata": { "labels": labels } })).await;
    assert_eq!((image(&changed), &changed.labels()["changed"][..]), (UNCHANGED.to_owned(), "yes"));
    assert_eq!(changed.annotations().get("goharbor.io/rewritten"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_registered_webhook_rewrites_the_ephemeral_container_that_an_update_adds() {
    let world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    let old = json!({ "spec": { "containers": [{ "name": "web", "image": "nginx" }],
        "ephemeralContainers": [{ "name": "first", "image": "alpine" }] } });
    let mut new = old.clone();
    let second = json!({ "name": "second", "image": "busybox:1.36" });
    new["spec"]["ephemeralContainers"].as_array_mut().unwrap().push(second);
    let review = json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "1", "operation": "UPDATE", "namespace": world.team, "subResource": "ephemeralcontainers",
        "resource": { "group": "", "version": "v1", "resource": "pods" }, "object": new, "oldObject": old,
    } });

    let configuration = world.configurations().get(NAME).await.unwrap();
    let client = configuration.webhooks.unwrap().remove(0).client_config;
    let target = WebhookTarget::Url(client.url.unwrap());
    let asked = RemoteWebhooks::default();
    let answer = asked.call(&target, &client.ca_bundle.unwrap().0, review).await.unwrap();

    let patch: ByteString = serde_json::from_value(answer["response"]["patch"].clone()).unwrap();
    let patch: Value = serde_json::from_slice(&patch.0).unwrap();
    let rewritten = "harbor.example.com/hub/library/busybox:1.36";
    let place = "/spec/ephemeralContainers/1/image";
    assert_eq!(patch, json!([{ "op": "replace", "path": place, "value": rewritten }]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ephemeral_container_is_pulled_through_the_harbor() {
    let world = World::start(&["docker.io=>hub"]).await;
    world.until_image(HUB).await;
    let (pod, _) = world.create_pod(&world.team, json!({ "goharbor.io/rewrite": "false" })).await.unwrap();
    let name = pod.name_any();
    let pods: Api<Pod> = Api::namespaced(world.client(), &world.team);
    if let Err(kube::Error::Api(status)) = pods.get_subresource("ephemeralcontainers", &name).await {
        println!("skipped: this server has no ephemeral containers: {}", status.message);
        return;
    }
    world.change_pod(&name, json!({ "metadata": { "labels": { "goharbor.io/rewrite": null } } })).await;

    let first = json!({ "name": "first", "image": "busybox:1.36" });
    let rewritten = "harbor.example.com/hub/library/busybox:1.36";
    assert_eq!(world.debug(&name, json!([first])).await, [rewritten]);

    let (first, second) = (
        json!({ "name": "first", "image": rewritten }),
        json!({ "name": "second", "image": "quay.io/a/b:1" }),
    );
    assert_eq!(world.debug(&name, json!([first, second])).await, [rewritten, "quay.io/a/b:1"]);
    assert_eq!(image(&pods.get(&name).await.unwrap()), UNCHANGED);
}
