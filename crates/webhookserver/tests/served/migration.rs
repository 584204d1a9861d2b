//! Objects that are stored as v1alpha3 are stored as v1beta1.

use crate::{
    conversion::{CLUSTERS, PORTALS, harbor_cluster, includes, portal},
    world::{CONVERSION, Cluster, World, definitions, eventually, with_v1alpha3},
};
use api::conversion::Version;
use election::Leadership;
use http::{Method, Request, Response};
use jiff::Timestamp;
use k8s_openapi::{
    api::events::v1::Event,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceDefinition, CustomResourceDefinitionVersion,
    },
};
use kube::{
    Api, Client,
    api::{DeleteParams, ListParams, Patch, PatchParams},
    client::Body,
    core::Status,
};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The versions of a definition, with objects stored in this one.
fn stored_as(
    definition: &CustomResourceDefinition,
    version: Version,
) -> Vec<CustomResourceDefinitionVersion> {
    let mut versions = definition.spec.versions.clone();
    for it in &mut versions {
        it.storage = it.name == version.name();
    }
    versions
}

/// A cluster that stores Portals and HarborClusters as v1alpha3, as one does that began with the old operator 1.0.
async fn old_cluster() -> World {
    let mut all = with_v1alpha3(&["HarborCluster", "Portal"]);
    for definition in &mut all {
        definition.spec.versions = stored_as(definition, Version::V1alpha3);
    }
    let cluster = Cluster::own(all).await;
    World { server: cluster.serve(Leadership::permanent(), CONVERSION).await, cluster }
}

impl World {
    /// Stores new objects of a kind as v1beta1.
    async fn store_v1beta1(&self, plural: &str) {
        let name = format!("{plural}.goharbor.io");
        let definition = self.definitions().get(&name).await.unwrap();
        let patch = Patch::Merge(json!({ "spec": { "versions": stored_as(&definition, Version::V1beta1) } }));
        let changed = self.definitions().patch(&name, &PatchParams::default(), &patch).await.unwrap();
        assert_eq!(stored(&changed), ["v1alpha3", "v1beta1"]);
    }

    async fn until_migrated(&self, plural: &str) {
        let migrated = |it: &CustomResourceDefinition| stored(it) == ["v1beta1"];
        self.until(self.definitions(), &format!("{plural}.goharbor.io"), migrated).await;
    }

    /// Installs the definition with v1beta1 only.
    async fn drop_v1alpha3(&self, kind: &str, plural: &str) {
        let versions = &definitions(&[kind])[0].spec.versions;
        let spec = json!({ "versions": versions, "conversion": { "strategy": "None", "webhook": null } });
        let patch = Patch::Merge(json!({ "spec": spec }));
        let name = format!("{plural}.goharbor.io");
        self.definitions().patch(&name, &PatchParams::default(), &patch).await.unwrap();
    }

    /// The event in a namespace about what was not migrated: the name of the object, and the note.
    async fn complaint(&self, namespace: &str) -> (String, String) {
        let events: Api<Event> = Api::namespaced(self.client(), namespace);
        eventually("an event names the object", async || {
            let all = events.list(&ListParams::default()).await.unwrap().items.into_iter();
            let mut ours = all.filter(|event| event.reason.as_deref() == Some("NotMigrated"));
            let event = ours.next().ok_or("no event")?;
            Ok::<_, &str>((event.regarding.unwrap().name.unwrap(), event.note.unwrap()))
        })
        .await
    }

    /// Changes a definition: the operator then tries again at once.
    async fn touch(&self, plural: &str) {
        let patch = Patch::Merge(json!({ "metadata": { "annotations": { "touched": "now" } } }));
        let name = format!("{plural}.goharbor.io");
        self.definitions().patch(&name, &PatchParams::default(), &patch).await.unwrap();
    }
}

fn stored(definition: &CustomResourceDefinition) -> Vec<&str> {
    let stored = definition.status.as_ref().and_then(|status| status.stored_versions.as_ref());
    stored.into_iter().flatten().map(String::as_str).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn all_objects_are_stored_as_v1beta1_and_v1alpha3_can_be_dropped() {
    let mut world = old_cluster().await;
    for name in NAMES {
        world.create(PORTALS, Version::V1alpha3, &portal(name)).await;
    }
    world.create(CLUSTERS, Version::V1alpha3, &harbor_cluster("acme")).await;
    let expected = world.spec(CLUSTERS, Version::V1beta1, "acme").await;
    for plural in ["portals", "harborclusters"] {
        world.store_v1beta1(plural).await;
        world.until_migrated(plural).await;
    }

    world.drop_v1alpha3("Portal", "portals").await;
    world.drop_v1alpha3("HarborCluster", "harborclusters").await;
    world.server.end().await;

    for name in NAMES {
        assert_eq!(world.spec(PORTALS, Version::V1beta1, name).await["replicas"], 2);
    }
    let spec = world.spec(CLUSTERS, Version::V1beta1, "acme").await;
    assert!(includes(&spec, &expected), "{spec}");
}

/// A client that answers no request after so many patches of Portals.
fn failing(client: Client, patches: usize) -> (Client, Arc<AtomicUsize>) {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, counted) = (client.clone(), Arc::clone(&counted));
        async move {
            let is_write = request.method() == Method::PATCH && request.uri().path().contains("/portals/");
            if is_write && counted.fetch_add(1, Ordering::SeqCst) >= patches {
                std::future::pending::<()>().await;
            }
            client.send(request).await
        }
    });
    (Client::new(service, "default"), sent)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_is_killed_is_continued() {
    let mut world = old_cluster().await;
    for name in NAMES {
        world.create(PORTALS, Version::V1alpha3, &portal(name)).await;
    }
    world.server.end().await;
    let (client, sent) = failing(world.client(), 2);
    world.server = world.serve_with(client, Leadership::permanent(), CONVERSION, Timestamp::now).await;
    world.store_v1beta1("portals").await;
    eventually("two objects are written", async || match sent.load(Ordering::SeqCst) {
        sent if sent > 2 => Ok(()),
        sent => Err(sent),
    })
    .await;
    world.server.kill();
    let definition = world.definitions().get("portals.goharbor.io").await.unwrap();
    assert_eq!(stored(&definition), ["v1alpha3", "v1beta1"]);

    world.server = world.serve(Leadership::permanent(), CONVERSION).await;
    world.until_migrated("portals").await;
    world.drop_v1alpha3("Portal", "portals").await;
    world.server.end().await;
    for name in NAMES {
        assert_eq!(world.spec(PORTALS, Version::V1beta1, name).await["replicas"], 2);
    }
}

/// A client for which the API server refuses patches of the Portal `wrong`, until it is corrected. Servers before 1.30
/// refuse objects that their schema does not admit, even if nothing changes.
fn refusing(client: Client) -> (Client, Arc<AtomicBool>) {
    let corrected = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&corrected);
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, seen) = (client.clone(), Arc::clone(&seen));
        async move {
            let is_wrong =
                request.method() == Method::PATCH && request.uri().path().ends_with("/portals/wrong");
            if is_wrong && !seen.load(Ordering::SeqCst) {
                let why = Status::failure("spec.replicas: Required value", "Invalid").with_code(422);
                let body = Body::from(serde_json::to_vec(&why).unwrap());
                return Ok(Response::builder().status(422).body(body).unwrap());
            }
            client.send(request).await
        }
    });
    (Client::new(service, "default"), corrected)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_v1beta1_refuses_is_named_and_keeps_v1alpha3_stored() {
    let mut world = old_cluster().await;
    for name in ["right", "wrong"] {
        world.create(PORTALS, Version::V1alpha3, &portal(name)).await;
    }
    world.server.end().await;
    let (client, corrected) = refusing(world.client());
    world.server = world.serve_with(client, Leadership::permanent(), CONVERSION, Timestamp::now).await;
    world.store_v1beta1("portals").await;

    let (name, note) = world.complaint(&world.team).await;

    assert_eq!(name, "wrong");
    assert!(note.contains("spec.replicas: Required value"), "{note}");
    let definition = world.definitions().get("portals.goharbor.io").await.unwrap();
    assert_eq!(stored(&definition), ["v1alpha3", "v1beta1"]);

    corrected.store(true, Ordering::SeqCst);
    world.touch("portals").await;
    world.until_migrated("portals").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_cannot_be_converted_is_named_by_an_event_on_the_definition() {
    let world = old_cluster().await;
    world.create(PORTALS, Version::V1alpha3, &portal("right")).await;
    let mut wrong = portal("wrong");
    wrong["metadata"]["annotations"] = json!({ "goharbor.io/v1beta1-fields": "nonsense" });
    world.create(PORTALS, Version::V1alpha3, &wrong).await;
    world.store_v1beta1("portals").await;

    let (name, note) = world.complaint("default").await;

    assert_eq!(name, "portals.goharbor.io");
    let what = format!("Portal {}/wrong: metadata.annotations[goharbor.io/v1beta1-fields]", world.team);
    assert!(note.contains(&what), "{note}");
    let definition = world.definitions().get("portals.goharbor.io").await.unwrap();
    assert_eq!(stored(&definition), ["v1alpha3", "v1beta1"]);

    // Current API servers do not even delete what they cannot convert.
    let deleted = world.objects(PORTALS, Version::V1alpha3).delete("wrong", &DeleteParams::default()).await;
    if deleted.is_err_and(|error| error.to_string().contains("conversion webhook")) {
        return;
    }
    world.touch("portals").await;
    world.until_migrated("portals").await;
}
