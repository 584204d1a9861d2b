//! An operator process that converts between v1alpha3 and v1beta1, and migrates what is stored as v1alpha3, with the
//! permissions that `rbac` prints for that and no others.

use crate::{account, logged::Process, workloads::until};
use api::{
    conversion::{ConversionWebhook, Version, serve_v1alpha3},
    crds,
    v1beta1::Portal,
};
use envtest::{ControlPlane, Namespace, TIMEOUT};
use k8s_openapi::{
    api::apps::v1::Deployment,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::{
        CustomResourceDefinition, CustomResourceDefinitionVersion,
    },
};
use kube::{
    Api,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use std::{fs, net::TcpListener, time::Duration};
use tempfile::NamedTempFile;
use tokio::time::{sleep, timeout};

const DEFINITION: &str = "portals.goharbor.io";

/// Our definitions, of which those of v1alpha3 serve both versions. The webhook in them does not exist.
fn definitions(plane: &ControlPlane) -> Vec<CustomResourceDefinition> {
    let rules = plane.version().serves_cel();
    let all = if rules { crds::all() } else { crds::without_rules(crds::all()) };
    let webhook = ConversionWebhook::Service { namespace: "nowhere".into(), name: "none".into() };
    serve_v1alpha3(all, &webhook)
}

/// The versions of the definition of Portals, with new objects stored in this one.
fn stored_as(
    definitions: &[CustomResourceDefinition],
    version: Version,
) -> Vec<CustomResourceDefinitionVersion> {
    let found = definitions.iter().find(|it| it.metadata.name.as_deref() == Some(DEFINITION)).unwrap();
    let mut versions = found.spec.versions.clone();
    for it in &mut versions {
        it.storage = it.name == version.name();
    }
    versions
}

fn stored(definition: &CustomResourceDefinition) -> Vec<&str> {
    let stored = definition.status.as_ref().and_then(|status| status.stored_versions.as_ref());
    stored.into_iter().flatten().map(String::as_str).collect()
}

/// The URL of the webhook in a definition.
fn webhook(definition: &CustomResourceDefinition) -> Option<&str> {
    definition.spec.conversion.as_ref()?.webhook.as_ref()?.client_config.as_ref()?.url.as_deref()
}

/// Allows the operator what `rbac --convert-v1alpha3` prints, and nothing else.
async fn allow(home: &Namespace) {
    let printed = account::printed(&["--convert-v1alpha3", "--operator-namespace", &home.name]);
    let list = json!({"apiVersion": "v1", "kind": "List", "items": printed});
    let file = NamedTempFile::new().unwrap();
    fs::write(file.path(), list.to_string()).unwrap();
    home.kubectl(&["apply", "--server-side", "-f", file.path().to_str().unwrap()]).await;
}

/// An operator that the API server reaches at a port of loopback, and that address.
fn operator(home: &Namespace, kubeconfig: &NamedTempFile) -> (Process, String) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let address = port.to_string();
    let at = ["--webhook-address", &address, "--webhook-host", &address];
    let flags = [&["--digest-key-namespace", &home.name, "--convert-v1alpha3"][..], &at].concat();
    let process = Process::start(kubeconfig.path(), &flags);
    (process, address)
}

/// Creates a Portal of v1alpha3, once the API server can convert.
async fn create_old_portal(api: &Api<DynamicObject>) {
    let portal = json!({
        "apiVersion": Version::V1alpha3.api_version(), "kind": "Portal",
        "metadata": {"name": "acme", "annotations": {"harbor.goharbor.io/version": "2.5.0"}},
        "spec": {"replicas": 2},
    });
    let portal: DynamicObject = serde_json::from_value(portal).unwrap();
    let created = async {
        loop {
            match api.create(&PostParams::default(), &portal).await {
                Ok(_) => return,
                Err(kube::Error::Api(status)) if status.is_already_exists() => return,
                Err(error) => eprintln!("tried again after {error}"),
            }
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(TIMEOUT, created).await.expect("the Portal is created in time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_with_the_printed_permissions_stores_a_portal_of_v1alpha3_as_v1beta1() {
    if !ControlPlane::shared().await.unwrap().version().at_least(1, 30) {
        println!("skipped: Kubernetes 1.20 takes minutes to convert with a new webhook");
        return;
    }
    let plane = ControlPlane::start().await.unwrap();
    let mut definitions = definitions(&plane);
    let (before, after) =
        (stored_as(&definitions, Version::V1alpha3), stored_as(&definitions, Version::V1beta1));
    for definition in definitions.iter_mut().filter(|it| it.metadata.name.as_deref() == Some(DEFINITION)) {
        definition.spec.versions.clone_from(&before);
    }
    plane.install(&definitions).await;
    let home = Namespace::create(plane, "home").await;
    let team = home.plane.create_namespace("team").await.unwrap();
    allow(&home).await;
    let kubeconfig = account::kubeconfig(&home.plane, &account::name(&home.name));
    let (_operator, address) = operator(&home, &kubeconfig);

    let client = home.plane.client();
    let all: Api<CustomResourceDefinition> = Api::all(client.clone());
    let url = format!("https://{address}/convert");
    until(all.clone(), DEFINITION, |it| webhook(it) == Some(url.as_str())).await;
    let old = GroupVersionKind::gvk("goharbor.io", Version::V1alpha3.name(), "Portal");
    let old = ApiResource::from_gvk_with_plural(&old, "portals");
    let old = Api::namespaced_with(client.clone(), &team, &old);
    create_old_portal(&old).await;
    // The operator reads it in v1beta1.
    until(Api::<Deployment>::namespaced(client.clone(), &team), "acme-portal", |_| true).await;

    let patch = Patch::Merge(json!({"spec": {"versions": after}}));
    let changed = all.patch(DEFINITION, &PatchParams::default(), &patch).await.unwrap();
    assert_eq!(stored(&changed), ["v1alpha3", "v1beta1"]);

    until(all, DEFINITION, |it| stored(it) == ["v1beta1"]).await;
    let portal = Api::<Portal>::namespaced(client, &team).get("acme").await.unwrap();
    assert_eq!(json!(portal.spec)["replicas"], 2);
    let lowered: Value = old.get("acme").await.unwrap().data;
    assert_eq!(lowered["spec"]["replicas"], 2);
}
