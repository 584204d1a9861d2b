//! What users can read in the cluster.

use crate::world::{Kind, World};
use k8s_openapi::api::events::v1::Event;
use kube::{Api, api::ListParams, core::NamespaceResourceScope};
use serde_json::json;

/// Fails if an object with its status and annotations, or any event, contains a text.
pub async fn assert_nowhere<K: Kind<Scope = NamespaceResourceScope>>(
    world: &World,
    name: &str,
    secret: &str,
) {
    let object = world.get::<K>(name).await.to_string();
    assert!(!object.contains(secret), "{object}");
    let events: Api<Event> = Api::all(world.client.clone());
    let events = json!(events.list(&ListParams::default()).await.unwrap().items).to_string();
    assert!(!events.contains(secret), "{events}");
}
