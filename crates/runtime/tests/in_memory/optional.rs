//! Kinds that may be missing: the operator against clusters with and without cert-manager.
//!
//! In one process and in virtual time, as in `faults.rs`.

use crate::memory::Cluster;
use api::thirdparty::cert_manager::{Certificate, CertificateSpec};
use envtest::clock;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{CustomResource, CustomResourceExt as _, ResourceExt as _, core::ObjectMeta};
use plan::{Builder, Children, Component, PlanError, World};
use runtime::Options;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::time::Duration;

/// What a test asks for.
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
    /// What it does about certificates.
    pub wants: Wants,
}

/// What a kiosk does about certificates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Wants {
    /// Has one where cert-manager is, and says in a ConfigMap whether it is.
    #[default]
    Whichever,
    /// Refuses to do without.
    Insists,
    /// Has one without asking, after reading the one that exists.
    Blindly,
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
            Wants::Blindly => {
                world.read::<Certificate>(&kiosk.name_any())?;
                true
            }
            Wants::Whichever => world.serves::<Certificate>()?,
            Wants::Insists if world.serves::<Certificate>()? => true,
            Wants::Insists => return Err(PlanError::unserved::<Certificate>("cert-manager")),
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

    async fn until_reported(&self, name: &str, served: &'static str) {
        self.until::<ConfigMap>(name, served, |config| {
            config.data.as_ref().is_some_and(|data| data["served"] == served)
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_depends_on_a_kind_learns_whether_it_is_served() {
    let cluster = cluster().await;
    cluster.kiosk("before", Wants::Whichever).await;
    cluster.until_reported("before", "false").await;

    cluster.install(Certificate::crd()).await;
    cluster.until_reported("before", "true").await;
    cluster.until::<Certificate>("before", "exists", |_| true).await;
    cluster.kiosk("after", Wants::Whichever).await;
    cluster.until_reported("after", "true").await;

    cluster.uninstall(Certificate::crd()).await;
    cluster.until_reported("before", "false").await;
    cluster.until_reported("after", "false").await;
}

#[tokio::test(start_paused = true)]
async fn a_kind_that_goes_and_comes_back_is_watched_again() {
    let cluster = cluster().await;
    cluster.install(Certificate::crd()).await;
    cluster.kiosk("a", Wants::Whichever).await;
    cluster.until_reported("a", "true").await;
    cluster.uninstall(Certificate::crd()).await;
    cluster.until_reported("a", "false").await;
    cluster.install(Certificate::crd()).await;
    cluster.until::<Certificate>("a", "comes back", |_| true).await;

    cluster.merge::<Certificate>("a", json!({"spec": {"secretName": "drifted"}})).await;
    cluster.until::<Certificate>("a", "is repaired", |c| c.spec.secret_name.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_missing_kind_is_reported_with_what_to_install_until_it_is_served() {
    let cluster = cluster().await;
    cluster.kiosk("a", Wants::Insists).await;
    let message = cluster.until_reason::<Kiosk>("a", "KindMissing").await;
    assert_eq!(message, "the cluster does not serve Certificate of cert-manager.io; install cert-manager");
    cluster.install(Certificate::crd()).await;
    cluster.until_reported("a", "true").await;
}

#[tokio::test(start_paused = true)]
async fn a_child_of_a_missing_kind_is_not_sent_until_the_kind_is_there() {
    let cluster = cluster().await;
    cluster.kiosk("a", Wants::Blindly).await;
    let message = cluster.until_reason::<Kiosk>("a", "KindMissing").await;
    assert_eq!(message, "the cluster does not serve Certificate of cert-manager.io; install cert-manager");
    let sent = |line: &String| line.contains("certificates") && !line.starts_with("GET");
    assert_eq!(cluster.take_requests().into_iter().find(sent), None);
    cluster.install(Certificate::crd()).await;
    cluster.until::<Certificate>("a", "exists", |_| true).await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_operator_looks_for_a_missing_kind_now_and_then_and_asks_for_nothing_else() {
    let cluster = cluster().await;
    cluster.kiosk("a", Wants::Whichever).await;
    cluster.until_reason::<Kiosk>("a", "Ready").await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    cluster.take_requests();

    tokio::time::sleep(Duration::from_hours(10)).await;

    let requests = cluster.take_requests();
    // Watches are renewed every few minutes: those of kiosks, Secrets and ConfigMaps.
    let watches = ["kiosks", "secrets", "configmaps"];
    let reads = requests.iter().filter(|line| line.ends_with("/certificates")).count();
    let others: Vec<_> = requests
        .iter()
        .filter(|line| !line.ends_with("/certificates") && !watches.iter().any(|kind| line.ends_with(kind)))
        .collect();
    assert_eq!(others, Vec::<&String>::new());
    assert!((90..=160).contains(&reads), "{reads} reads in ten hours");
}
