//! Images and the database are not lost from view by accident.

use super::{Cluster, claim, images, minimal};
use api::v1beta1::{Condition, Harbor, Registry};
use envtest::Requests;
use serde_json::{Value, json};

const CLAIM: &str = "/spec/imageChartStorage/filesystem/registryPersistentVolume/claimName";

/// The message of `Ready` once it is false for this reason, about the newest spec.
async fn until_condition(cluster: &Cluster, reason: &str) -> String {
    let found = |harbor: &Harbor| {
        let matches = |condition: &Condition| {
            condition.type_ == "Ready"
                && condition.reason.as_deref() == Some(reason)
                && condition.observed_generation == harbor.metadata.generation
        };
        let conditions = harbor.status.clone().unwrap_or_default().common.conditions;
        conditions.into_iter().find(matches).map(|condition| condition.message.unwrap_or_default())
    };
    found(&cluster.until::<Harbor>("acme", |harbor| found(harbor).is_some()).await).unwrap_or_default()
}

#[tokio::test]
async fn a_harbor_uses_another_volume_only_after_a_user_confirms_that_the_data_was_moved() {
    let cluster = Cluster::new().await;
    let _operator = cluster.ready(&Requests::default(), minimal()).await;

    cluster.apply(vec![claim("others"), super::with(minimal(), CLAIM, json!("others"))]).await;
    let message = until_condition(&cluster, "InvalidSpec").await;
    assert!(message.contains("has its data in the volume \"images\""), "{message}");
    assert!(message.contains("goharbor.io/data-moved: storage"), "{message}");
    assert_eq!(images(&cluster.get::<Registry>("acme-harbor").await).as_deref(), Some("images"));

    let moved: Value = json!({"metadata": {"annotations": {"goharbor.io/data-moved": "storage"}}});
    cluster.merge::<Harbor>("acme", moved).await;
    cluster.until::<Registry>("acme-harbor", |it| images(it).as_deref() == Some("others")).await;
    cluster.until_ready("acme").await;
    let removed: Value = json!({"metadata": {"annotations": {"goharbor.io/data-moved": null}}});
    cluster.merge::<Harbor>("acme", removed).await;

    cluster.apply(vec![minimal()]).await;
    let message = until_condition(&cluster, "InvalidSpec").await;
    assert!(message.contains("has its data in the volume \"others\""), "{message}");
}
