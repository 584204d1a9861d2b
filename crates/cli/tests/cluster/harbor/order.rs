//! What waits for what, while something is missing: an object that exists is always repaired and changed, only what is
//! created and what gets a new version waits.

use super::{Cluster, minimal, with};
use api::{
    thirdparty::cert_manager::Certificate,
    v1beta1::{Core, Harbor, Portal},
};
use envtest::Requests;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Pod},
    events::v1::Event,
    networking::v1::Ingress,
};
use kube::api::ListParams;
use serde_json::{Value, json};

/// Pods that are to start take as long as no test does.
const NEVER: &str = r#"{"metadata": {"annotations": {"sandbox.goharbor.io/delay": "2h"}}}"#;

impl Cluster {
    /// Has one pod of a component crash, and waits until the Deployment notices.
    pub async fn crash_one(&self, deployment: &str) {
        let pods = self.api::<Pod>().list(&ListParams::default()).await.unwrap();
        let of_it = |pod: &&Pod| pod.metadata.name.as_ref().is_some_and(|name| name.starts_with(deployment));
        let pod = pods.items.iter().find(of_it).and_then(|pod| pod.metadata.name.clone()).unwrap();
        let annotation =
            json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": "the disk is full"}}});
        self.merge::<Pod>(&pod, annotation).await;
    }

    /// Waits until a condition of the Core has this status.
    async fn until_core(&self, condition: &str, status: &str) {
        self.until::<Core>("acme-harbor", |core| {
            let conditions = core.status.iter().flat_map(|status| &status.conditions);
            conditions.into_iter().any(|it| it.type_ == condition && it.status == status)
        })
        .await;
    }

    /// Waits until a Harbor reports exactly this of its children, for its newest spec.
    async fn until_waiting(&self, name: &str, message: &str) {
        self.until::<Harbor>(name, |harbor| waiting(harbor).as_deref() == Some(message)).await;
    }

    /// Changes the Deployment of a component as a user might, and waits until the operator has repaired it.
    async fn drift(&self, component: &str) {
        let name = format!("acme-harbor-{component}");
        let before = self.get::<Deployment>(&name).await.spec.unwrap().template.spec.unwrap();
        let mut drifted = before.clone();
        drifted.containers[0].image = Some("example.com/drift:v1".into());
        let containers = serde_json::to_value(drifted.containers).unwrap();
        let drift = json!({"spec": {"template": {"spec": {"containers": containers}}}});
        self.merge::<Deployment>(&name, drift).await;
        self.until::<Deployment>(&name, |it| {
            it.spec.as_ref().and_then(|spec| spec.template.spec.as_ref()) == Some(&before)
        })
        .await;
    }

    /// Deletes the Deployment of a component, and waits until the operator has created it again.
    async fn come_back(&self, component: &str) {
        let name = format!("acme-harbor-{component}");
        let uid = self.get::<Deployment>(&name).await.metadata.uid;
        self.delete::<Deployment>(&name).await;
        self.until::<Deployment>(&name, |it| it.metadata.uid != uid).await;
    }

    /// The image of the first container of a component's pods.
    async fn image(&self, component: &str) -> String {
        image(&self.get::<Deployment>(&format!("acme-harbor-{component}")).await)
    }
}

/// What children of a Harbor are not ready, as its newest spec wants them.
fn waiting(harbor: &Harbor) -> Option<String> {
    let conditions = harbor.status.iter().flat_map(|status| &status.common.conditions);
    conditions
        .filter(|it| it.observed_generation == harbor.metadata.generation)
        .find(|it| it.type_ == "Ready" && it.reason.as_deref() == Some("ChildrenNotReady"))
        .map(|it| it.message.clone().unwrap_or_default())
}

fn image(deployment: &Deployment) -> String {
    let pod = deployment.spec.as_ref().and_then(|spec| spec.template.spec.as_ref());
    pod.and_then(|pod| pod.containers[0].image.clone()).unwrap_or_default()
}

/// The memory that the first container of a component's pods requests.
fn memory(deployment: &Deployment) -> Option<String> {
    let pod = deployment.spec.as_ref()?.template.spec.as_ref()?;
    Some(pod.containers[0].resources.as_ref()?.requests.as_ref()?.get("memory")?.0.clone())
}

fn at(version: &str) -> Value {
    with(minimal(), "/spec/version", json!(version))
}

#[tokio::test]
async fn a_deleted_ingress_is_back_at_once_while_core_lacks_a_replica() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let core = json!({"replicas": 3});
    let _operator = cluster.ready(&requests, with(minimal(), "/spec/core", core)).await;

    cluster.crash_one("acme-harbor-core").await;
    cluster.until_core("Ready", "False").await;
    let uid = cluster.get::<Ingress>("acme-harbor").await.metadata.uid;
    cluster.delete::<Ingress>("acme-harbor").await;
    cluster.until::<Ingress>("acme-harbor", |ingress| ingress.metadata.uid != uid).await;
    cluster.until_core("Available", "True").await;
}

#[tokio::test]
async fn changes_arrive_while_core_lacks_all_of_its_replicas() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;

    cluster.crash_one("acme-harbor-core").await;
    cluster.until_core("Available", "False").await;
    cluster.apply(vec![with(minimal(), "/spec/jobservice", json!({"replicas": 2}))]).await;
    cluster
        .until::<Deployment>("acme-harbor-jobservice", |it| it.spec.as_ref().unwrap().replicas == Some(2))
        .await;
}

#[tokio::test]
async fn changes_of_core_arrive_while_the_renewal_of_its_certificate_fails() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, minimal()).await;

    let failing = json!({"metadata": {"annotations": {"sandbox.goharbor.io/fail": "the quota is used up"}}});
    cluster.merge::<Certificate>("acme-harbor-core-tokencert", failing).await;
    let reported = format!("Certificate {}/acme-harbor-core-tokencert: the quota is used up", cluster.name);
    cluster.until_waiting("acme", &reported).await;
    let resources = json!({"requests": {"memory": "321Mi"}});
    cluster.apply(vec![with(minimal(), "/spec/core/resources", resources)]).await;
    cluster.until::<Deployment>("acme-harbor-core", |it| memory(it).as_deref() == Some("321Mi")).await;
    // When Core is ready again, the status still says so.
    cluster.until_waiting("acme", &reported).await;
}

#[tokio::test]
async fn an_upgrade_whose_core_does_not_start_leaves_the_others_at_their_version_and_can_be_taken_back() {
    let cluster = Cluster::with_garbage_collector().await;
    let requests = Requests::default();
    let scanning = |version: &str| with(at(version), "/spec/trivy", json!({"storage": {}}));
    let _operator = cluster.ready(&requests, scanning("2.14.1")).await;
    cluster.merge::<Deployment>("acme-harbor-core", serde_json::from_str(NEVER).unwrap()).await;

    cluster.apply(vec![scanning("2.14.3")]).await;
    cluster.until::<Deployment>("acme-harbor-core", |it| image(it).ends_with(":v2.14.3")).await;
    let core = format!(
        "Core {0}/acme-harbor: Deployment {0}/acme-harbor-core: 1 old replicas still terminating; \
         Secret {0}/acme-harbor-core-database: not all replicas have version 2.14.3 yet",
        cluster.name
    );
    let others = format!(
        "Registry, RegistryController, JobService, Portal, Trivy {}/acme-harbor: held at version 2.14.1 until Core has \
         version 2.14.3",
        cluster.name
    );
    let message = format!("{core}; {others}");
    cluster.until_waiting("acme", &message).await;

    // Changes that are no upgrade arrive: of pods, and of configuration.
    let changed = |version: &str| {
        let pods = json!({"replicas": 2, "resources": {"requests": {"memory": "321Mi"}}});
        let trivy = json!({"storage": {}, "ignoreUnfixed": true});
        with(with(scanning(version), "/spec/portal", pods), "/spec/trivy", trivy)
    };
    cluster.apply(vec![changed("2.14.3")]).await;
    cluster
        .until::<Deployment>("acme-harbor-portal", |it| {
            it.spec.as_ref().unwrap().replicas == Some(2) && memory(it).as_deref() == Some("321Mi")
        })
        .await;
    cluster
        .until::<ConfigMap>("acme-harbor-trivy", |it| {
            it.data.as_ref().unwrap()["SCANNER_TRIVY_IGNORE_UNFIXED"] == "true"
        })
        .await;
    // Drift is repaired, and what was deleted comes back.
    cluster.drift("registry").await;
    cluster.come_back("trivy").await;
    let uid = cluster.get::<Portal>("acme-harbor").await.metadata.uid;
    cluster.delete::<Portal>("acme-harbor").await;
    cluster.until::<Portal>("acme-harbor", |it| it.metadata.uid != uid).await;
    cluster.until_waiting("acme", &message).await;
    requests.until_quiet().await;
    for component in ["portal", "registry", "jobservice", "trivy"] {
        let image = cluster.image(component).await;
        assert!(image.ends_with(":v2.14.1"), "{image}");
    }

    // Nothing of it has run.
    cluster.apply(vec![changed("2.14.1")]).await;
    cluster.until::<Deployment>("acme-harbor-core", |it| image(it).ends_with(":v2.14.1")).await;
    // Kubernetes 1.20 puts variables that come back at the end, so that pods are replaced all the same.
    let in_time = json!({"metadata": {"annotations": {"sandbox.goharbor.io/delay": null}}});
    cluster.merge::<Deployment>("acme-harbor-core", in_time).await;
    cluster.until_ready("acme").await;
}

#[tokio::test]
async fn a_reverse_proxy_is_repaired_and_changed_at_its_version_while_core_is_upgraded() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let exposed = |version: &str, nginx: Value| {
        let exposed = with(at(version), "/spec/expose/core/ingress", Value::Null);
        with(with(exposed, "/spec/expose/core/service", json!({})), "/spec/nginx", nginx)
    };
    let _operator = cluster.ready(&requests, exposed("2.14.1", json!({}))).await;
    cluster.merge::<Deployment>("acme-harbor-core", serde_json::from_str(NEVER).unwrap()).await;
    cluster.apply(vec![exposed("2.14.3", json!({}))]).await;
    cluster.until::<Deployment>("acme-harbor-core", |it| image(it).ends_with(":v2.14.3")).await;

    let resources = json!({"resources": {"requests": {"memory": "321Mi"}}});
    cluster.apply(vec![exposed("2.14.3", resources)]).await;
    cluster.until::<Deployment>("acme-harbor-nginx", |it| memory(it).as_deref() == Some("321Mi")).await;
    cluster.drift("nginx").await;
    cluster.come_back("nginx").await;
    assert!(cluster.image("nginx").await.ends_with(":v2.14.1"));
}

#[tokio::test]
async fn an_upgrade_of_which_one_core_has_run_is_not_taken_back() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let three = |version: &str| with(at(version), "/spec/core", json!({"replicas": 3}));
    let _operator = cluster.ready(&requests, three("2.14.2")).await;

    cluster.apply(vec![three("2.15.0")]).await;
    cluster.until_core("Ready", "True").await;
    // Wherever the rollout is by now, one new replica at least has become available.
    cluster
        .until::<k8s_openapi::api::core::v1::Secret>("acme-harbor-core-database", |record| {
            record.data.as_ref().is_some_and(|data| data["migrated-by"].0 == b"2.15.0")
        })
        .await;
    cluster.apply(vec![three("2.14.2")]).await;
    cluster
        .until::<Harbor>("acme", |harbor| {
            let conditions = harbor.status.iter().flat_map(|status| &status.common.conditions);
            conditions.into_iter().any(|it| {
                it.type_ == "Stalled"
                    && it.status == "True"
                    && it.message.as_ref().is_some_and(|it| it.contains("cannot go back to 2.14.2"))
            })
        })
        .await;
}

#[tokio::test]
async fn an_upgrade_is_reported_as_progressing_and_not_as_an_error() {
    let cluster = Cluster::new().await;
    let requests = Requests::default();
    let _operator = cluster.ready(&requests, at("2.14.2")).await;
    cluster.apply(vec![at("2.15.0")]).await;
    cluster.until_ready("acme").await;
    requests.until_quiet().await;

    let events = cluster.api::<Event>().list(&ListParams::default()).await.unwrap();
    let warnings: Vec<_> = events
        .items
        .iter()
        .filter(|event| event.type_.as_deref() == Some("Warning"))
        .filter(|event| event.reporting_controller.as_deref() == Some("harbor-operator"))
        .map(|event| (event.reason.clone(), event.note.clone()))
        .collect();
    assert_eq!(warnings, []);
    for component in ["core", "portal", "registry", "jobservice"] {
        let image = cluster.image(component).await;
        assert!(image.ends_with(":v2.15.0"), "{image}");
    }
}
