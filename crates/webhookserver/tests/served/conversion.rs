//! Objects of both versions.

use crate::world::{BOTH, CONVERSION, Cluster, NAME, Served, World, definitions, eventually, with_v1alpha3};
use api::conversion::{Version, convert};
use election::Leadership;
use k8s_openapi::{
    ByteString,
    api::admissionregistration::v1::MutatingWebhookConfiguration,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{CustomResourceDefinition, WebhookClientConfig},
};
use kube::{
    Api, ResourceExt as _,
    api::{
        ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams,
        PostParams,
    },
};
use serde_json::{Value, json};

/// Kinds, with the plural of each.
pub const CLUSTERS: (&str, &str) = ("HarborCluster", "harborclusters");
pub const PORTALS: (&str, &str) = ("Portal", "portals");

impl World {
    /// An operator that converts HarborClusters and Portals, and knows Trivies of v1beta1.
    pub async fn converting(served: Served) -> Self {
        let mut all = with_v1alpha3(&["HarborCluster", "Portal"]);
        all.extend(definitions(&["Trivy", "Core", "Harbor", "HarborServerConfiguration", "Registry"]));
        let cluster = Cluster::shared("conversion", all).await;
        Self { server: cluster.serve(Leadership::permanent(), served).await, cluster }
    }

    /// Objects of a kind in a version.
    pub fn objects(&self, (kind, plural): (&str, &str), version: Version) -> Api<DynamicObject> {
        let kind = GroupVersionKind::gvk("goharbor.io", version.name(), kind);
        let resource = ApiResource::from_gvk_with_plural(&kind, plural);
        Api::namespaced_with(self.client(), &self.team, &resource)
    }

    /// Creates an object, once the API server trusts the webhook.
    pub async fn create(&self, kind: (&str, &str), version: Version, object: &Value) {
        let (api, object) = (self.objects(kind, version), serde_json::from_value(object.clone()).unwrap());
        let create = async || match api.create(&PostParams::default(), &object).await {
            Err(kube::Error::Api(status)) if status.is_already_exists() => Ok(()),
            created => created.map(drop),
        };
        eventually("the object is created", create).await;
    }

    /// The spec of an object in a version, once it can be read.
    pub async fn spec(&self, kind: (&str, &str), version: Version, name: &str) -> Value {
        let api = self.objects(kind, version);
        eventually("the object is read", async || api.get(name).await).await.data["spec"].take()
    }

    /// Changes an object in a version.
    async fn change(&self, kind: (&str, &str), version: Version, name: &str, spec: Value) {
        let patch = Patch::Merge(json!({ "spec": spec }));
        self.objects(kind, version).patch(name, &PatchParams::default(), &patch).await.unwrap();
    }

    pub fn definitions(&self) -> Api<CustomResourceDefinition> {
        Api::all(self.client())
    }

    /// The webhook in a definition, once it is the one that is served.
    async fn registered(&self, plural: &str) -> WebhookClientConfig {
        let url = format!("https://127.0.0.1:{}/convert", self.server.port);
        let name = format!("{plural}.goharbor.io");
        let ours = |it: &CustomResourceDefinition| client(it).is_some_and(|it| it.url.as_ref() == Some(&url));
        client(&self.until(self.definitions(), &name, ours).await).unwrap()
    }
}

/// How the webhook in a definition is reached.
pub fn client(definition: &CustomResourceDefinition) -> Option<WebhookClientConfig> {
    definition.spec.conversion.as_ref()?.webhook.as_ref()?.client_config.clone()
}

/// A HarborCluster of v1alpha3 with services of the user.
pub fn harbor_cluster(name: &str) -> Value {
    json!({
        "apiVersion": "goharbor.io/v1alpha3",
        "kind": "HarborCluster",
        "metadata": { "name": name },
        "spec": {
            "version": "2.5.0",
            "externalURL": "https://harbor.example.com",
            "harborAdminPasswordRef": "admin",
            "expose": { "core": { "ingress": { "host": "harbor.example.com" } } },
            "core": { "tokenIssuer": { "name": "self-signed" } },
            "redis": { "host": "redis" },
            "database": { "hosts": [{ "host": "postgres" }], "username": "harbor", "passwordRef": "postgres" },
            "imageChartStorage": {
                "filesystem": { "registryPersistentVolume": { "claimName": "images" } },
            },
        },
    })
}

/// A Portal of v1alpha3.
pub fn portal(name: &str) -> Value {
    json!({
        "apiVersion": "goharbor.io/v1alpha3",
        "kind": "Portal",
        "metadata": { "name": name },
        "spec": { "replicas": 2 },
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_are_written_and_read_in_both_versions() {
    let world = World::converting(CONVERSION).await;
    for (kind, object) in [(CLUSTERS, harbor_cluster("acme")), (PORTALS, portal("acme"))] {
        world.create(kind, Version::V1alpha3, &object).await;
        let mut expected = convert(object.clone(), Version::V1beta1).unwrap();
        let raised = world.spec(kind, Version::V1beta1, "acme").await;
        assert!(includes(&raised, &expected["spec"].take()), "{raised}");
        let lowered = world.spec(kind, Version::V1alpha3, "acme").await;
        assert!(includes(&lowered, &object["spec"]), "{lowered}");

        let field = if kind == PORTALS { "/replicas" } else { "/portal/replicas" };
        let changed = |replicas: i32| match kind {
            PORTALS => json!({ "replicas": replicas }),
            _ => json!({ "portal": { "replicas": replicas } }),
        };
        world.change(kind, Version::V1beta1, "acme", changed(3)).await;
        assert_eq!(world.spec(kind, Version::V1alpha3, "acme").await.pointer(field), Some(&json!(3)));
        world.change(kind, Version::V1alpha3, "acme", changed(4)).await;
        assert_eq!(world.spec(kind, Version::V1beta1, "acme").await.pointer(field), Some(&json!(4)));
    }
    world.change(CLUSTERS, Version::V1beta1, "acme", json!({ "network": { "ipFamilies": ["IPv4"] } })).await;
    world
        .change(CLUSTERS, Version::V1alpha3, "acme", json!({ "externalURL": "https://b.example.com" }))
        .await;
    let spec = world.spec(CLUSTERS, Version::V1beta1, "acme").await;
    assert_eq!(
        (&spec["network"], &spec["externalURL"]),
        (&json!({ "ipFamilies": ["IPv4"] }), &json!("https://b.example.com")),
        "a field that v1alpha3 lacks stays"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_harbor_cluster_without_services_can_be_read_and_deleted_in_both_versions() {
    let world = World::converting(CONVERSION).await;
    let services = ["redis", "database", "imageChartStorage", "cache", "storage"];
    let mut object = harbor_cluster("acme");
    object["spec"].as_object_mut().unwrap().retain(|field, _| !services.contains(&field.as_str()));
    for version in [Version::V1alpha3, Version::V1beta1] {
        world.create(CLUSTERS, Version::V1alpha3, &object).await;
        for read in [Version::V1alpha3, Version::V1beta1] {
            let spec = world.spec(CLUSTERS, read, "acme").await;
            assert!(includes(&spec, &object["spec"]), "{spec}");
            assert_eq!(services.map(|service| spec.get(service)), [None; 5]);
        }
        let api = world.objects(CLUSTERS, version);
        api.delete("acme", &DeleteParams::default()).await.unwrap();
        assert!(api.get_opt("acme").await.unwrap().is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_longer_than_any_object_is_converted_as_a_whole() {
    let world = World::converting(CONVERSION).await;
    let names: Vec<_> = (0..20).map(|number| format!("acme-{number:02}")).collect();
    for name in &names {
        let mut large = portal(name);
        large["metadata"]["annotations"] = json!({ "large": "x".repeat(200 * 1024) });
        world.create(PORTALS, Version::V1alpha3, &large).await;
    }
    let all = world.objects(PORTALS, Version::V1alpha3).list(&ListParams::default()).await.unwrap();
    let listed: Vec<_> =
        all.items.iter().map(|it| (it.name_any(), it.data["spec"]["replicas"].clone())).collect();
    let expected: Vec<_> = names.into_iter().map(|name| (name, json!(2))).collect();
    assert_eq!(listed, expected);
}

/// Whether a value has all fields of another one. The API server adds defaults.
pub fn includes(value: &Value, fields: &Value) -> bool {
    match (value, fields) {
        (Value::Object(value), Value::Object(fields)) => {
            fields.iter().all(|(name, field)| value.get(name).is_some_and(|value| includes(value, field)))
        }
        (Value::Array(items), Value::Array(fields)) => {
            items.len() == fields.len() && items.iter().zip(fields).all(|(item, field)| includes(item, field))
        }
        (value, field) => value == field,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_certificate_is_trusted_without_a_restart_and_both_webhooks_share_it() {
    let world = World::converting(BOTH).await;
    world.create(PORTALS, Version::V1alpha3, &portal("acme")).await;
    let before = world.registered("portals").await.ca_bundle.unwrap();

    world.secrets().delete(NAME, &DeleteParams::default()).await.unwrap();

    let renewed =
        |it: &CustomResourceDefinition| client(it).and_then(|it| it.ca_bundle) != Some(before.clone());
    let definition = world.until(world.definitions(), "portals.goharbor.io", renewed).await;
    world.spec(PORTALS, Version::V1alpha3, "acme").await;
    let authority = client(&definition).unwrap().ca_bundle.unwrap();
    let secret = world.secrets().get(NAME).await.unwrap();
    assert_eq!(secret.data.unwrap()["ca.crt"], authority);
    let bundle = |it: &MutatingWebhookConfiguration| -> Option<ByteString> {
        it.webhooks.as_ref()?.first()?.client_config.ca_bundle.clone()
    };
    let trusts = |it: &MutatingWebhookConfiguration| bundle(it).as_ref() == Some(&authority);
    world.until(Api::all(world.client()), NAME, trusts).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_operator_is_down_only_the_stored_version_is_served() {
    let mut world = World::converting(CONVERSION).await;
    world.create(PORTALS, Version::V1alpha3, &portal("acme")).await;
    world.server.end().await;

    let refused = world.objects(PORTALS, Version::V1alpha3).get("acme").await.unwrap_err();
    let kube::Error::Api(status) = refused else { panic!("{refused}") };
    let expected = "conversion webhook for goharbor.io/v1beta1, Kind=Portal failed: Post";
    assert_eq!((status.code, status.message.contains(expected)), (500, true), "{}", status.message);
    assert_eq!(world.spec(PORTALS, Version::V1beta1, "acme").await["replicas"], 2);

    world.server = world.serve(Leadership::permanent(), CONVERSION).await;
    world.registered("portals").await;
    assert_eq!(world.spec(PORTALS, Version::V1alpha3, "acme").await["replicas"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn drift_is_repaired_and_a_definition_without_v1alpha3_is_left_alone() {
    let world = World::converting(CONVERSION).await;
    let alone = world.definitions().get("trivies.goharbor.io").await.unwrap();
    let first = world.registered("portals").await;
    let drifted = Patch::Merge(json!({ "spec": { "conversion": { "webhook": {
        "clientConfig": { "url": "https://127.0.0.1:1/elsewhere", "caBundle": null },
    } } } }));
    let name = "portals.goharbor.io";
    world.definitions().patch(name, &PatchParams::default(), &drifted).await.unwrap();
    assert_eq!(world.registered("portals").await, first);
    world.create(PORTALS, Version::V1alpha3, &portal("acme")).await;

    let settled = world.definitions().get(name).await.unwrap().resource_version();
    world.registered("harborclusters").await;
    world.spec(PORTALS, Version::V1alpha3, "acme").await;
    assert_eq!(
        world.definitions().get(name).await.unwrap().resource_version(),
        settled,
        "nothing is sent again"
    );
    let trivies = world.definitions().get("trivies.goharbor.io").await.unwrap();
    assert_eq!(trivies.resource_version(), alone.resource_version());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_that_loses_v1alpha3_loses_the_webhook() {
    let world = World::converting(CONVERSION).await;
    world.create(PORTALS, Version::V1alpha3, &portal("acme")).await;
    world.registered("portals").await;

    let alone = &definitions(&["Portal"])[0].spec.versions;
    let patch = Patch::Merge(json!({ "spec": { "versions": alone } }));
    world.definitions().patch("portals.goharbor.io", &PatchParams::default(), &patch).await.unwrap();

    let strategy = |it: &CustomResourceDefinition| it.spec.conversion.clone().map(|it| it.strategy);
    let none = |it: &CustomResourceDefinition| strategy(it).as_deref() == Some("None");
    world.until(world.definitions(), "portals.goharbor.io", none).await;
    assert_eq!(world.spec(PORTALS, Version::V1beta1, "acme").await["replicas"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_replica_converts_and_registers_nothing() {
    let mut world = World::converting(CONVERSION).await;
    world.create(PORTALS, Version::V1alpha3, &portal("acme")).await;
    let registered = world.registered("portals").await;
    world.server.end().await;

    let leadership = Leadership::candidate();
    world.server = world.serve(leadership.clone(), CONVERSION).await;
    let moved = json!({ "url": format!("https://127.0.0.1:{}/convert", world.server.port) });
    let patch = Patch::Merge(json!({ "spec": { "conversion": { "webhook": { "clientConfig": moved } } } }));
    let name = "portals.goharbor.io";
    world.definitions().patch(name, &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(world.spec(PORTALS, Version::V1alpha3, "acme").await["replicas"], 2);
    let drifted = Patch::Merge(json!({ "spec": { "conversion": { "webhook": { "clientConfig": {
        "url": registered.url } } } } }));
    world.definitions().patch(name, &PatchParams::default(), &drifted).await.unwrap();

    leadership.prolong(tokio::time::Instant::now() + std::time::Duration::from_hours(1));
    world.registered("portals").await;
}
