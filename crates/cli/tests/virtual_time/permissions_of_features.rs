//! The operator needs each permission of a flag, and no other.
//!
//! A scenario lets an operator with the flag do everything that the flag is about. It is never refused anything with what
//! `rbac` prints for the flag. Then each permission that only the flag asks for is withheld in turn, and an operator must
//! be refused something in the same scenario.

use crate::{
    cluster::{Cluster, HOME, Lists, NAMESPACE, Operating, PERMISSIONS, permissions},
    features::{Features, WEBHOOK},
    permission::{Permission, granted},
};
use api::{
    conversion::{ConversionWebhook, Version, convert, serve_v1alpha3},
    names::CONTROLLER_LABEL,
    v1beta1::{HarborProject, HarborRobot, PullSecretBinding},
};
use k8s_openapi::{
    api::{admissionregistration::v1::MutatingWebhookConfiguration, core::v1::Namespace, events::v1::Event},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Resource,
    api::{ListParams, Patch, PatchParams},
    core::NamespaceResourceScope,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::{fmt::Debug, sync::LazyLock, time::Duration};

/// Longer than the operator takes for anything except a retry.
const MOMENT: Duration = Duration::from_mins(2);
const TEAM: &str = "team";

/// What an operator with a flag does.
trait Scenario {
    const FLAG: &str;
    const FEATURES: Features;

    /// The cluster before the operator begins.
    async fn cluster() -> Cluster;

    /// Everything that the flag is about.
    async fn run(cluster: &Cluster, operator: &Operating);

    /// Asserts that everything has happened.
    async fn assert_done(cluster: &Cluster);
}

/// A cluster with an operator that took part in the scenario, without a permission if one is named.
async fn after<S: Scenario>(withheld: Option<&Permission>, lists: Lists) -> (Cluster, Operating) {
    let mut cluster = S::cluster().await;
    cluster.lists = lists;
    let objects = permissions(&[S::FLAG]);
    for object in &objects {
        cluster.apply_object(object).await;
    }
    if let Some(permission) = withheld {
        permission.withheld_from(&objects, &cluster).await;
    }
    let operator = cluster.operator_with(S::FEATURES);
    S::run(&cluster, &operator).await;
    (cluster, operator)
}

async fn are_needed_and_suffice<S: Scenario>() {
    for lists in [Lists::Streamed, Lists::Paged] {
        let (cluster, operator) = after::<S>(None, lists).await;
        assert!(!operator.was_refused(), "what is granted suffices");
        S::assert_done(&cluster).await;
    }
    let always = granted(&PERMISSIONS);
    let of_flag = granted(&permissions(&[S::FLAG]));
    let only: Vec<_> = of_flag.into_iter().filter(|permission| !always.contains(permission)).collect();
    println!("{} permissions of {}", only.len(), S::FLAG);
    assert!(!only.is_empty());
    let mut idle = Vec::new();
    for permission in only {
        // Where lists cannot be streamed, an operator must be allowed to list and to watch.
        let (_cluster, operator) = after::<S>(Some(&permission), Lists::Paged).await;
        if !operator.was_refused() {
            idle.push(permission);
        }
    }
    assert!(idle.is_empty(), "not needed: {idle:#?}");
}

/// Waits until the operator has done what it does about a change, or was refused something.
async fn a_moment(operator: &Operating) {
    let _refused = tokio::time::timeout(MOMENT, operator.refused()).await;
}

async fn apply_all(cluster: &Cluster, objects: Vec<Value>) {
    for object in objects {
        cluster.apply_object(&object).await;
    }
}

fn server_configuration(rules: &[&str]) -> Vec<Value> {
    let credentials = json!({"accessKey": "admin", "accessSecret": "example-only-Harbor12345"});
    vec![
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "login", "namespace": HOME},
            "stringData": credentials,
        }),
        json!({
            "apiVersion": "goharbor.io/v1beta1", "kind": "HarborServerConfiguration",
            "metadata": {"name": "main"},
            "spec": {
                "serverURL": "https://harbor.example.com", "version": "v2.15.2", "rules": rules,
                "accessCredential": {"namespace": HOME, "accessSecretRef": "login"},
            },
        }),
    ]
}

async fn merge<K>(api: &Api<K>, name: &str, patch: Value)
where
    K: Clone + Debug + DeserializeOwned,
{
    api.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
}

struct BindNamespaces;

impl BindNamespaces {
    /// A child that has lost the label of the operator and its owner is read before it is taken over again.
    async fn lose<K>(cluster: &Cluster)
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + Debug + DeserializeOwned,
    {
        let api: Api<K> = Api::namespaced(cluster.client.clone(), TEAM);
        if api.get_opt("4k8s").await.unwrap().is_some() {
            let lost = json!({"labels": {CONTROLLER_LABEL: null}, "ownerReferences": null});
            merge(&api, "4k8s", json!({"metadata": lost})).await;
        }
    }

    async fn count<K>(cluster: &Cluster) -> usize
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope> + Clone + Debug + DeserializeOwned,
    {
        let api: Api<K> = Api::namespaced(cluster.client.clone(), TEAM);
        api.list(&ListParams::default()).await.unwrap().items.len()
    }
}

impl Scenario for BindNamespaces {
    const FLAG: &str = "--bind-namespaces";
    const FEATURES: Features =
        Features { bind_namespaces: true, rewrite_images: false, convert_v1alpha3: false };

    async fn cluster() -> Cluster {
        let cluster = Cluster::new().await;
        apply_all(&cluster, server_configuration(&[])).await;
        let annotations = json!({"goharbor.io/harbor": "main", "goharbor.io/project": "*"});
        let metadata = json!({"name": TEAM, "annotations": annotations});
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata});
        let account = json!({
            "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": TEAM},
        });
        apply_all(&cluster, vec![namespace, account]).await;
        cluster
    }

    async fn run(cluster: &Cluster, operator: &Operating) {
        a_moment(operator).await;
        Self::lose::<HarborProject>(cluster).await;
        Self::lose::<HarborRobot>(cluster).await;
        Self::lose::<PullSecretBinding>(cluster).await;
        a_moment(operator).await;
        let namespaces: Api<Namespace> = Api::all(cluster.client.clone());
        merge(&namespaces, TEAM, json!({"metadata": {"annotations": {"goharbor.io/project": null}}})).await;
        a_moment(operator).await;
    }

    async fn assert_done(cluster: &Cluster) {
        assert_eq!(Self::count::<HarborProject>(cluster).await, 0);
        assert_eq!(Self::count::<HarborRobot>(cluster).await, 0);
        assert_eq!(Self::count::<PullSecretBinding>(cluster).await, 0);
    }
}

struct RewriteImages;

impl Scenario for RewriteImages {
    const FLAG: &str = "--rewrite-images";
    const FEATURES: Features =
        Features { bind_namespaces: false, rewrite_images: true, convert_v1alpha3: false };

    /// Rules in a HarborServerConfiguration are wrong, and those that a Namespace names do not exist.
    async fn cluster() -> Cluster {
        let cluster = Cluster::new().await;
        apply_all(&cluster, server_configuration(&["(docker.io=>hub"])).await;
        let labels = json!({"harbor-day2-webhook-configuration": "enabled"});
        let annotations = json!({"goharbor.io/rewriting-rules": "none"});
        let metadata = json!({"name": TEAM, "labels": labels, "annotations": annotations});
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata});
        apply_all(&cluster, vec![namespace]).await;
        cluster
    }

    async fn run(cluster: &Cluster, operator: &Operating) {
        a_moment(operator).await;
        let configurations: Api<MutatingWebhookConfiguration> = Api::all(cluster.client.clone());
        if configurations.get_opt(WEBHOOK).await.unwrap().is_some() {
            merge(&configurations, WEBHOOK, json!({"metadata": {"labels": null}})).await;
        }
        a_moment(operator).await;
    }

    async fn assert_done(cluster: &Cluster) {
        let configurations: Api<MutatingWebhookConfiguration> = Api::all(cluster.client.clone());
        let labels = configurations.get(WEBHOOK).await.unwrap().metadata.labels;
        assert!(labels.is_some(), "drift is repaired");
        let events: Api<Event> = Api::namespaced(cluster.client.clone(), "default");
        let events = events.list(&ListParams::default()).await.unwrap().items;
        let wrong = events.iter().filter(|event| event.reason.as_deref() == Some("WrongRewritingRules"));
        let mut about: Vec<_> = wrong.filter_map(|event| event.regarding.as_ref()?.kind.as_deref()).collect();
        about.sort_unstable();
        assert_eq!(about, ["HarborServerConfiguration", "Namespace"]);
    }
}

struct ConvertV1alpha3;

impl ConvertV1alpha3 {
    fn definitions(stored: Version) -> Vec<CustomResourceDefinition> {
        static ALL: LazyLock<Vec<CustomResourceDefinition>> = LazyLock::new(|| {
            let webhook = ConversionWebhook::Service { namespace: HOME.into(), name: "old".into() };
            serve_v1alpha3(api::crds::all(), &webhook)
        });
        let mut all = ALL.clone();
        for version in all.iter_mut().flat_map(|definition| &mut definition.spec.versions) {
            version.storage = version.name == stored.name();
        }
        // Kinds that v1alpha3 lacks have one version.
        for definition in &mut all {
            if let [only] = &mut definition.spec.versions[..] {
                only.storage = true;
            }
        }
        all
    }
}

impl Scenario for ConvertV1alpha3 {
    const FLAG: &str = "--convert-v1alpha3";
    const FEATURES: Features =
        Features { bind_namespaces: false, rewrite_images: false, convert_v1alpha3: true };

    /// Objects are stored as v1alpha3, and new ones as v1beta1.
    async fn cluster() -> Cluster {
        let cluster = Cluster::with_definitions("all-kinds-stored-as-v1alpha3", || {
            Self::definitions(Version::V1alpha3)
        })
        .await;
        let file = include_str!("../fixtures/v1alpha3.yaml");
        let objects: Vec<Value> = serde_saphyr::from_multiple(file).unwrap();
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}});
        cluster.apply_object(&namespace).await;
        // Without the Secrets of the file, the operator has little to do for them.
        for object in objects.into_iter().filter(|object| object["kind"] == "HarborCluster") {
            cluster.apply_object(&convert(object, Version::V1alpha3).unwrap()).await;
        }
        let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client.clone());
        for definition in Self::definitions(Version::V1beta1) {
            let name = definition.metadata.name.as_deref().unwrap();
            merge(&definitions, name, json!({"spec": {"versions": definition.spec.versions}})).await;
        }
        cluster
    }

    async fn run(_: &Cluster, operator: &Operating) {
        a_moment(operator).await;
        a_moment(operator).await;
    }

    async fn assert_done(cluster: &Cluster) {
        let definitions: Api<CustomResourceDefinition> = Api::all(cluster.client.clone());
        for definition in definitions.list(&ListParams::default()).await.unwrap() {
            if definition.spec.group == "goharbor.io" {
                let stored = definition.status.and_then(|status| status.stored_versions);
                assert_eq!(stored, Some(vec!["v1beta1".to_owned()]), "{:?}", definition.metadata.name);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_permission_of_namespaces_is_needed_and_none_is_missing() {
    are_needed_and_suffice::<BindNamespaces>().await;
}

#[tokio::test(start_paused = true)]
async fn each_permission_of_image_rewriting_is_needed_and_none_is_missing() {
    are_needed_and_suffice::<RewriteImages>().await;
}

#[tokio::test(start_paused = true)]
async fn each_permission_of_conversion_is_needed_and_none_is_missing() {
    are_needed_and_suffice::<ConvertV1alpha3>().await;
}
