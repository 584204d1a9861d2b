//! An owner that reads an object in one pass of its plan, and the status of the same object in a later one.
//!
//! In one process and in virtual time, as in `faults.rs`.

use crate::memory::Cluster;
use api::names::{CONTROLLER_LABEL, SANDBOX_DELAY_ANNOTATION};
use envtest::clock;
use k8s_openapi::api::{apps::v1::Deployment, core::v1::ConfigMap};
use kube::{CustomResource, ResourceExt as _, core::ObjectMeta};
use plan::{Builder, Children, Component, Manifest as _, PlanError, Readiness, World};
use runtime::Options;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What a test asks for.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "engine.test",
    version = "v1",
    kind = "Sentry",
    namespaced,
    status = "api::v1beta1::ComponentStatus"
)]
pub struct SentrySpec {
    /// A ConfigMap that it reads together with the status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<String>,
}

struct SentryComponent;

/// The Deployment that it looks at.
const GATE: &str = "gate";

impl Component for SentryComponent {
    type Owner = Sentry;

    const NAME: &'static str = "sentry";

    fn children() -> Children {
        Children::none().and::<ConfigMap>().and::<Deployment>()
    }

    fn desired(sentry: &Sentry, world: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let Some(_) = world.read::<Deployment>(GATE)? else { return Ok(()) };
        let gate = world.with_status::<Deployment>(GATE)?;
        if let Some(other) = &sentry.spec.reads {
            world.read::<ConfigMap>(other)?;
        }
        let is_ready = gate.is_some_and(|gate| gate.readiness() == Readiness::Ready);
        let metadata = ObjectMeta {
            name: Some(sentry.name_any()),
            namespace: sentry.namespace(),
            ..ObjectMeta::default()
        };
        let data = Some([("ready".to_owned(), is_ready.to_string())].into());
        graph.add::<ConfigMap>(ConfigMap { metadata, data, ..ConfigMap::default() }, ());
        Ok(())
    }
}

fn gate() -> Deployment {
    let labels = json!({"app": GATE});
    serde_json::from_value(json!({
        // The operator watches only Deployments with its label.
        "metadata": {"name": GATE, "labels": {CONTROLLER_LABEL: "another"}},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels, "annotations": {SANDBOX_DELAY_ANNOTATION: "3m"}},
                "spec": {"containers": [{"name": "gate", "image": "example/gate:1"}]},
            },
        },
    }))
    .unwrap()
}

/// Whether it says that the gate is ready.
fn says(ready: bool) -> impl Fn(&ConfigMap) -> bool {
    move |report| json!(report.data)["ready"].as_str() == Some(if ready { "true" } else { "false" })
}

async fn follows_the_status(spec: SentrySpec) {
    let mut cluster = Cluster::new::<SentryComponent>(Options { clock, ..Options::default() }).await;
    cluster.start::<SentryComponent>();
    cluster.create(&gate()).await;
    cluster.create(&Sentry::new("a", spec)).await;
    cluster.until("a", "it says that the gate is not ready", says(false)).await;
    cluster.until("a", "it says that the gate is ready", says(true)).await;
}

#[tokio::test(start_paused = true)]
async fn a_status_that_is_read_in_a_later_pass_than_its_object_is_new_and_its_changes_lead_to_a_plan() {
    follows_the_status(SentrySpec::default()).await;
}

#[tokio::test(start_paused = true)]
async fn a_status_that_is_read_beside_another_object_is_so_too() {
    follows_the_status(SentrySpec { reads: Some("other".into()) }).await;
}
