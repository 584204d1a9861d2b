//! Optional kinds: the operator in clusters with and without cert-manager.
//!
//! In one process and in virtual time, as in `faults.rs`.

use crate::memory::{Cluster, clock};
use api::thirdparty::cert_manager::{Certificate, CertificateSpec};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, CustomResourceExt as _, ResourceExt as _, core::ObjectMeta};
use plan::{Builder, Children, Component, PlanError, World};
use runtime::Options;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;

/// The spec of the test kind.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "engine.test",
    version = "v1",
    kind = "Kiosk",
    namespaced,
    status = "api::v1beta1::ComponentStatus"
)]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
pub struct KioskSpec {
    /// How it uses certificates.
    pub wants: Wants,
}

/// How a kiosk uses certificates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Wants {
    /// Has a certificate if cert-manager is installed, and writes into a ConfigMap whether it is.
    #[default]
    Optional,
    /// Requires cert-manager.
    Required,
    /// Has a certificate without a check whether the kind is served, and reads the existing one.
    Unchecked,
}

struct KioskComponent;

impl Component for KioskComponent {
    type Owner = Kiosk;

    const NAME: &'static str = "kiosk";

    fn children() -> Children {
        Children::none().and::<ConfigMap>().and::<Certificate>()
    }

    fn desired(kiosk: &Kiosk, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let metadata = ObjectMeta {
            name: Some(kiosk.name_any()),
            namespace: kiosk.namespace(),
            ..ObjectMeta::default()
        };
        let served = match kiosk.spec.wants {
            Wants::Unchecked => {
                world.read::<Certificate>(&kiosk.name_any())?;
                true
            }
            Wants::Optional => world.serves::<Certificate>()?,
            Wants::Required if world.serves::<Certificate>()? => true,
            Wants::Required => return Err(PlanError::unserved::<Certificate>("cert-manager")),
        };
        if served {
            let mut certificate = Certificate::new(&kiosk.name_any(), CertificateSpec::default());
            certificate.metadata.namespace = kiosk.namespace();
            graph.add::<Certificate>(certificate, ());
        }
        let data = [("served".to_owned(), served.to_string())].into();
        graph.add::<ConfigMap>(ConfigMap { metadata, data: Some(data), ..ConfigMap::default() }, ());
        Ok(())
    }
}

async fn cluster() -> Cluster {
    let mut cluster = Cluster::new::<KioskComponent>(Options { clock, ..Options::default() }).await;
    cluster.start::<KioskComponent>();
    cluster
}

impl Cluster {
    async fn kiosk(&self, name: &str, wants: Wants) {
        self.create(&Kiosk::new(name, KioskSpec { wants })).await;
    }

    async fn until_served(&self, name: &str, served: &'static str) {
        self.until::<ConfigMap>(name, served, |config| {
            config.data.as_ref().is_some_and(|data| data["served"] == served)
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn owners_are_reconciled_when_an_optional_kind_is_installed_or_removed() {
    let cluster = cluster().await;
    cluster.kiosk("before", Wants::Optional).await;
    cluster.until_served("before", "false").await;

    cluster.install(Certificate::crd()).await;
    cluster.until_served("before", "true").await;
    cluster.until::<Certificate>("before", "exists", |_| true).await;
    cluster.kiosk("after", Wants::Optional).await;
    cluster.until_served("after", "true").await;

    cluster.uninstall(Certificate::crd()).await;
    cluster.until_served("before", "false").await;
    cluster.until_served("after", "false").await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_is_installed_again_is_watched_again() {
    let cluster = cluster().await;
    cluster.install(Certificate::crd()).await;
    cluster.kiosk("a", Wants::Optional).await;
    cluster.until_served("a", "true").await;
    cluster.uninstall(Certificate::crd()).await;
    cluster.until_served("a", "false").await;
    cluster.install(Certificate::crd()).await;
    cluster.until::<Certificate>("a", "is recreated", |_| true).await;

    cluster.merge::<Certificate>("a", json!({"spec": {"secretName": "drifted"}})).await;
    cluster.until::<Certificate>("a", "is repaired", |c| c.spec.secret_name.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_missing_kind_is_reported_with_what_to_install_until_it_is_served() {
    let cluster = cluster().await;
    cluster.kiosk("a", Wants::Required).await;
    let message = cluster.until_reason::<Kiosk>("a", "KindMissing").await;
    assert_eq!(message, "the cluster does not serve Certificate of cert-manager.io; install cert-manager");
    cluster.install(Certificate::crd()).await;
    cluster.until_served("a", "true").await;
}

#[tokio::test(start_paused = true)]
async fn a_child_of_a_missing_kind_is_not_sent_until_the_kind_is_served() {
    let cluster = cluster().await;
    cluster.kiosk("a", Wants::Unchecked).await;
    let message = cluster.until_reason::<Kiosk>("a", "KindMissing").await;
    assert_eq!(message, "the cluster does not serve Certificate of cert-manager.io; install cert-manager");
    let sent = |line: &String| line.contains("certificates") && !line.starts_with("GET");
    assert_eq!(cluster.take_requests().into_iter().find(sent), None);
    cluster.install(Certificate::crd()).await;
    cluster.until::<Certificate>("a", "exists", |_| true).await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_operator_sends_only_occasional_requests_for_a_missing_kind() {
    let cluster = cluster().await;
    cluster.kiosk("a", Wants::Optional).await;
    cluster.until_reason::<Kiosk>("a", "Ready").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    cluster.take_requests();

    tokio::time::sleep(Duration::from_hours(10)).await;

    let requests = cluster.take_requests();
    // Watches of kiosks, Secrets and ConfigMaps reconnect every few minutes.
    let watches = ["kiosks", "secrets", "configmaps"];
    let attempts = requests.iter().filter(|line| line.ends_with("/certificates")).count();
    let others: Vec<_> = requests
        .iter()
        .filter(|line| !line.ends_with("/certificates") && !watches.iter().any(|kind| line.ends_with(kind)))
        .collect();
    assert_eq!(others, Vec::<&String>::new());
    assert!((90..=160).contains(&attempts), "{attempts} attempts in ten hours");
}
