//! An inspector shows what an operator would wait for and refuse, whether one runs or not.

use crate::memory::Cluster;
use envtest::clock;
use k8s_openapi::api::apps::v1::Deployment;
use kube::{CustomResource, ResourceExt as _};
use plan::{
    Builder, Children, Component, ComponentKind, Desired, ObjectKey, PlanError, Verdict, World,
    upgrades_after,
};
use progress::{Observer, Progress, Stage, State};
use runtime::{Inspector, Options, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// Two Deployments, of which the second upgrades after the first.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "engine.test",
    version = "v1",
    kind = "Convoy",
    namespaced,
    status = "api::v1beta1::ComponentStatus"
)]
#[serde(rename_all = "camelCase", default)]
#[schemars(!default)]
pub struct ConvoySpec {
    /// The version of both.
    pub version: String,
    /// The version before the upgrade.
    pub before: Option<String>,
}

struct ConvoyComponent;

impl Component for ConvoyComponent {
    type Owner = Convoy;

    const NAME: &'static str = "convoy";

    fn children() -> Children {
        Children::none().and::<Deployment>()
    }

    fn desired(convoy: &Convoy, _: &World<'_>, graph: &mut Builder<'_>) -> Result<(), PlanError> {
        let ConvoySpec { version, before } = &convoy.spec;
        let leader = graph.add::<Deployment>(deployment("leader", version), ());
        let mut follower = Desired::from(deployment("follower", version));
        if let Some(before) = before {
            follower = follower.held_as(deployment("follower", before), "is upgraded after the leader");
        }
        graph.add::<Deployment>(follower, upgrades_after(leader));
        Ok(())
    }
}

fn deployment(name: &str, version: &str) -> Deployment {
    let container = json!({"name": "c", "image": format!("example/{name}:{version}")});
    serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "selector": {"matchLabels": {"name": name}},
            "template": {"metadata": {"labels": {"name": name}}, "spec": {"containers": [container]}},
        },
    }))
    .unwrap()
}

/// The last state of every child, and the verdict.
#[derive(Default)]
struct Reported {
    children: Mutex<BTreeMap<String, State>>,
    verdict: Mutex<Option<Verdict>>,
}

impl Observer for Reported {
    fn observe(&self, Progress { stage, .. }: Progress) {
        match stage {
            Stage::Child { object, state } => {
                self.children.lock().unwrap().insert(object.name.clone(), state);
            }
            Stage::Concluded(verdict) => *self.verdict.lock().unwrap() = Some(verdict),
            _ => {}
        }
    }
}

async fn inspected(cluster: &Cluster) -> (BTreeMap<String, State>, Verdict) {
    let reported = Arc::<Reported>::default();
    let options = Options { clock, observer: Some(reported.clone()), ..Options::default() };
    let components = Arc::from([ComponentKind::of::<ConvoyComponent>()]);
    let scope = Scope::Namespace("default".into());
    let inspector = Inspector::start(cluster.client.clone(), scope, components, &options).await.unwrap();
    inspector.inspect(&ObjectKey::of::<Convoy>("default", "c")).await;
    let children = std::mem::take(&mut *reported.children.lock().unwrap());
    let verdict = reported.verdict.lock().unwrap().take().unwrap();
    (children, verdict)
}

async fn cluster() -> Cluster {
    Cluster::new::<ConvoyComponent>(Options { clock, ..Options::default() }).await
}

/// A cluster whose operator was stopped while the leader is upgraded.
async fn halfway() -> Cluster {
    let mut cluster = cluster().await;
    cluster.start::<ConvoyComponent>();
    cluster.create(&Convoy::new("c", ConvoySpec { version: "1".into(), before: None })).await;
    cluster.until_reason::<Convoy>("c", "Ready").await;
    cluster.dismiss_stand_ins();
    cluster.merge::<Convoy>("c", json!({"spec": {"version": "2", "before": "1"}})).await;
    cluster.until_reason::<Convoy>("c", "ChildrenNotReady").await;
    cluster.stop().await;
    cluster
}

fn waiting(why: &str) -> State {
    State::Waiting(why.into())
}

#[tokio::test(start_paused = true)]
async fn an_upgrade_that_is_held_is_shown_with_what_it_waits_for() {
    let cluster = halfway().await;
    let (children, verdict) = inspected(&cluster).await;
    assert_eq!(children["follower"], waiting("is upgraded after the leader"));
    assert_ne!(children["leader"], State::Ready);
    assert!(verdict.is_waiting(), "{verdict:?}");
    let image = |deployment: &Deployment| {
        json!(deployment)["spec"]["template"]["spec"]["containers"][0]["image"].clone()
    };
    assert_eq!(image(&cluster.get::<Deployment>("follower").await), "example/follower:1");
}

#[tokio::test(start_paused = true)]
async fn a_child_that_only_upgrades_after_another_is_not_blocked_by_it() {
    let cluster = halfway().await;
    cluster.delete::<Deployment>("follower").await;
    let (children, _) = inspected(&cluster).await;
    assert_eq!(children["follower"], waiting("does not exist yet"));
}

#[tokio::test(start_paused = true)]
async fn an_object_of_another_program_with_the_name_of_a_child_is_shown_as_refused() {
    let cluster = cluster().await;
    cluster.create(&deployment("follower", "1")).await;
    cluster.create(&Convoy::new("c", ConvoySpec { version: "1".into(), before: None })).await;
    let (children, verdict) = inspected(&cluster).await;
    let message = "Deployment default/follower already exists and was not created by this operator; delete it, or set the \
                   annotation goharbor.io/adopt: \"true\" on it to let the operator take it over";
    assert_eq!(verdict, Verdict::Stalled { reason: "AlreadyExists", message: message.into() });
    assert_eq!(children["leader"], waiting("does not exist yet"));
    assert!(cluster.get::<Deployment>("follower").await.owner_references().is_empty());
}
