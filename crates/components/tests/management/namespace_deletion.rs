//! A namespace that is deleted with objects in it that describe something in a Harbor.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::{HarborProject, HarborRegistryEndpoint, HarborReplication, HarborServerConfiguration};
use harborserver::Image;
use k8s_openapi::api::{
    core::v1::{Namespace, Secret},
    events::v1::Event,
};
use kube::{
    Api,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    runtime::wait::await_condition,
};
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};
use tokio::time::{Instant, timeout};

const TEAM: &str = "team";

/// What keeps the operator from deleting the project `alpha` in Harbor.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    Unreachable,
    ReadOnly,
    PasswordRejected,
    NotEmpty,
    KeyMissing,
    NotSelected,
}

impl Trouble {
    const ALL: [Self; 6] = [
        Self::Unreachable,
        Self::ReadOnly,
        Self::PasswordRejected,
        Self::NotEmpty,
        Self::KeyMissing,
        Self::NotSelected,
    ];

    async fn begin(self, world: &World) {
        let secret = async |patch: Value| world.merge::<Secret>("acme-credentials", patch).await;
        match self {
            Self::Unreachable => world.is_down.store(true, Ordering::SeqCst),
            Self::ReadOnly => world.harbor.set_read_only(true),
            Self::PasswordRejected => secret(json!({"stringData": {"accessSecret": "Wrong12345"}})).await,
            Self::NotEmpty => {
                for repository in ["alpha/api", "alpha/web"] {
                    world.harbor.push(&Image::new(repository, "v1"), "admin").unwrap();
                }
            }
            Self::KeyMissing => secret(json!({"data": {"accessSecret": null}})).await,
            Self::NotSelected => {
                let api: Api<HarborServerConfiguration> = Api::all(world.client.clone());
                let spec = json!({"namespaceSelector": {"matchLabels": {"team": "b"}}});
                let patch = Patch::Merge(json!({ "spec": spec }));
                api.patch("acme", &PatchParams::default(), &patch).await.unwrap();
            }
        }
    }

    /// What the event says.
    fn why(self) -> &'static str {
        match self {
            Self::Unreachable => "cannot read project acme/alpha in ",
            Self::ReadOnly => "read-only",
            Self::PasswordRejected => "credentials",
            Self::NotEmpty => "the project has 2 repositories",
            Self::KeyMissing => "Secret default/acme-credentials, key `accessSecret`: does not exist",
            Self::NotSelected => "is not open to namespace team",
        }
    }
}

fn namespaces(world: &World) -> Api<Namespace> {
    Api::all(world.client.clone())
}

/// An object of the team that is deleted in Harbor with it.
fn of_team(kind: &str, name: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["harborServerConfig"] = "acme".into();
    spec["deletionPolicy"] = "Delete".into();
    json!({"kind": kind, "metadata": {"name": name, "namespace": TEAM}, "spec": spec})
}

/// A namespace with the project `alpha`.
async fn world() -> World {
    let world = World::new().await;
    world.harbor.network().open_everything();
    let namespace = serde_json::from_value(json!({"metadata": {"name": TEAM, "labels": {"team": "a"}}}));
    namespaces(&world).create(&PostParams::default(), &namespace.unwrap()).await.unwrap();
    world.create(of_team("HarborProject", "alpha", json!({"projectName": "alpha"}))).await;
    world.until_reason_of(projects(&world), "alpha", "Ready").await;
    settled().await;
    world
}

fn projects(world: &World) -> Api<HarborProject> {
    Api::namespaced(world.client.clone(), TEAM)
}

async fn delete_namespace(world: &World) {
    namespaces(world).delete(TEAM, &DeleteParams::default()).await.unwrap();
}

/// How long the namespace still exists.
async fn until_namespace_is_gone(world: &World) -> Duration {
    let begun = Instant::now();
    let gone = await_condition(namespaces(world), TEAM, |it: Option<&Namespace>| it.is_none());
    assert!(timeout(INTERVAL, gone).await.is_ok(), "it is kept: {:#}", left_in_namespace(world).await);
    begun.elapsed()
}

async fn left_in_namespace(world: &World) -> Value {
    json!(namespaces(world).get_opt(TEAM).await.unwrap().map(|it| it.status))
}

/// The reports of what stays in Harbor.
async fn reports(world: &World) -> Vec<Event> {
    settled().await;
    let events = Api::<Event>::all(world.client.clone()).list(&ListParams::default()).await.unwrap();
    events.items.into_iter().filter(|event| event.reason.as_deref() == Some("Abandoned")).collect()
}

#[tokio::test(start_paused = true)]
async fn b20_whatever_keeps_the_operator_from_deleting_in_harbor_does_not_keep_a_namespace() {
    for trouble in Trouble::ALL {
        let world = world().await;
        trouble.begin(&world).await;
        settled().await;
        delete_namespace(&world).await;
        let wait = until_namespace_is_gone(&world).await;
        assert!(wait <= Duration::from_secs(5), "{trouble:?}: {wait:?}");
        // Core does not let a user in for a moment after a wrong password.
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(world.ask("GET", "/projects/alpha", Value::Null).await["name"], "alpha", "{trouble:?}");

        let reports = reports(&world).await;
        let [event] = reports.as_slice() else { panic!("{trouble:?}: {reports:#?}") };
        let about = event.regarding.clone().unwrap();
        let place = (event.metadata.namespace.as_deref(), about.kind.as_deref(), about.name.as_deref());
        assert_eq!(place, (Some("default"), Some("Namespace"), Some(TEAM)), "{trouble:?}");
        assert_eq!(event.type_.as_deref(), Some("Warning"), "{trouble:?}");
        let note = event.note.clone().unwrap_or_default();
        let start =
            "left project acme/alpha behind when HarborProject team/alpha was deleted with its namespace: ";
        assert!(note.starts_with(start) && note.contains(trouble.why()), "{trouble:?}: {note}");
        assert!(!note.contains("goharbor.io/abandon"), "there is nothing left to annotate: {note}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_waits_for_harbor_is_released_when_its_namespace_is_deleted_later() {
    for trouble in Trouble::ALL {
        let world = world().await;
        trouble.begin(&world).await;
        projects(&world).delete("alpha", &DeleteParams::default()).await.unwrap();
        tokio::time::sleep(INTERVAL * 2).await;
        assert!(projects(&world).get_opt("alpha").await.unwrap().is_some(), "{trouble:?}: it waits");
        delete_namespace(&world).await;
        let wait = until_namespace_is_gone(&world).await;
        assert!(wait <= Duration::from_secs(5), "{trouble:?}: {wait:?}");
        assert_eq!(reports(&world).await.len(), 1, "{trouble:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn objects_that_use_each_other_are_deleted_in_harbor_with_their_namespace() {
    let world = world().await;
    let hub = json!({"registryName": "hub", "type": "docker-hub", "url": "https://hub.docker.com"});
    world.create(of_team("HarborRegistryEndpoint", "hub", hub)).await;
    let copy = json!({"policyName": "copy", "destinationRegistryName": "hub"});
    world.create(of_team("HarborReplication", "copy", copy)).await;
    let endpoints: Api<HarborRegistryEndpoint> = Api::namespaced(world.client.clone(), TEAM);
    world.until_reason_of(endpoints, "hub", "Ready").await;
    let replications: Api<HarborReplication> = Api::namespaced(world.client.clone(), TEAM);
    world.until_reason_of(replications, "copy", "Ready").await;
    settled().await;

    delete_namespace(&world).await;
    until_namespace_is_gone(&world).await;
    for path in ["/registries", "/replication/policies"] {
        assert_eq!(world.ask("GET", path, Value::Null).await, json!([]), "{path}");
    }
    let names = world.ask("GET", "/projects", Value::Null).await;
    let names: Vec<_> = names.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!((names, reports(&world).await.len()), (vec!["library"], 0));
}

#[tokio::test(start_paused = true)]
async fn what_an_object_outside_of_the_namespace_uses_does_not_keep_it() {
    let world = world().await;
    let hub = json!({"registryName": "hub", "type": "docker-hub", "url": "https://hub.docker.com"});
    world.create(of_team("HarborRegistryEndpoint", "hub", hub)).await;
    let endpoints: Api<HarborRegistryEndpoint> = Api::namespaced(world.client.clone(), TEAM);
    world.until_reason_of(endpoints, "hub", "Ready").await;
    let registries = world.ask("GET", "/registries", Value::Null).await;
    let policy = json!({"name": "copy", "dest_registry": {"id": registries[0]["id"]}, "enabled": true});
    world.ask("POST", "/replication/policies", policy).await;
    settled().await;

    delete_namespace(&world).await;
    let wait = until_namespace_is_gone(&world).await;
    assert!(wait <= Duration::from_secs(30), "{wait:?}");
    let notes: Vec<_> = reports(&world).await.into_iter().filter_map(|event| event.note).collect();
    assert!(notes.len() == 1 && notes[0].contains("left registry acme/hub behind"), "{notes:?}");
}
