//! Pods while the operator is down, if the user asks for the failure policy `Fail`.

use crate::{
    rewriting::{HUB, UNCHANGED, image},
    world::{REWRITING, Served, World, apply, eventually, serve},
};
use election::Leadership;
use jiff::Timestamp;
use serde_json::json;
use webhookserver::FailurePolicy;

/// Pods that the operator does not review are refused.
const STRICT: Served = Served { rewriting: Some(FailurePolicy::Fail), ..REWRITING };

#[tokio::test(flavor = "multi_thread")]
async fn with_fail_an_operator_that_is_down_keeps_only_pods_from_starting_that_it_would_review() {
    let mut world = World::start_as(&["docker.io=>hub"], STRICT, Timestamp::now).await;
    let labels = json!({ "harbor-day2-webhook-configuration": "enabled" });
    let registry = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "registry", "labels": labels } });
    apply(&world.client(), registry).await;
    world.create_harbor("registry").await;
    world.until_image(HUB).await;

    world.server.end().await;

    let refused = world.create_pod("team", json!({})).await.unwrap_err();
    let why = "Internal error occurred: failed calling webhook \"rewrite-images.goharbor.io\"";
    assert_eq!((refused.code, refused.message.starts_with(why)), (500, true), "{refused:?}");
    let opted_out = json!({ "goharbor.io/rewrite": "false" });
    assert_eq!(world.image("team", opted_out).await, (UNCHANGED.into(), vec![]));
    assert_eq!(world.image("others", json!({})).await, (UNCHANGED.into(), vec![]));
    if world.plane.version().at_least(1, 21) {
        let created = async || world.create_pod("registry", json!({})).await;
        let (pod, _) = eventually("a pod is created beside the Harbor", created).await;
        assert_eq!(image(&pod), UNCHANGED);
    } else {
        println!("not tested: Kubernetes before 1.21 does not label namespaces with their names");
    }

    world.server = serve(&world.client(), Leadership::permanent(), STRICT).await;
    world.until_image(HUB).await;
}
