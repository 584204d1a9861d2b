//! What several owners read is read once, and read again when it has changed.

use crate::support::{
    World, true_condition,
    widget::{Widget, WidgetSpec},
};
use envtest::writes;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;

fn reading(secret: &str) -> WidgetSpec {
    WidgetSpec { reads: Some(secret.into()), uses: Some(secret.into()), ..WidgetSpec::default() }
}

impl World {
    /// How often a Secret of this name was read.
    fn reads(&self, sent: &[String], secret: &str) -> usize {
        let path = format!("GET /api/v1/namespaces/{}/secrets/{secret}", self.name);
        sent.iter().filter(|request| **request == path).count()
    }

    async fn until_word(&self, widget: &str, word: &str) {
        let says = |config: &ConfigMap| config.data.as_ref().unwrap()["word"] == word;
        self.until::<ConfigMap>(&format!("{widget}-widget"), says).await;
    }
}

#[tokio::test]
async fn a_secret_that_many_owners_read_at_once_is_read_once() {
    let world = World::with_operator().await;
    world.create_secret("word", "hello").await;
    let names: Vec<_> = (0..20).map(|i| format!("w{i:02}")).collect();
    for name in &names {
        world.create_widget(name, reading("word")).await;
    }
    for name in &names {
        world.until_word(name, "hello").await;
    }
    let sent = world.until_quiet().await;
    assert_eq!(world.reads(&sent, "word"), 1, "{sent:#?}");
}

#[tokio::test]
async fn a_changed_secret_is_read_again_once_and_all_its_readers_follow() {
    let world = World::with_operator().await;
    world.create_secret("word", "one").await;
    world.create_secret("other", "one").await;
    world.create_widget("a", reading("word")).await;
    world.create_widget("b", WidgetSpec { uses: Some("other".into()), ..reading("word") }).await;
    world.until_word("a", "one").await;
    world.until_word("b", "one").await;
    world.until_quiet().await;

    world.merge::<Secret>("word", json!({"stringData": {"word": "two"}})).await;
    world.until_word("a", "two").await;
    world.until_word("b", "two").await;
    let sent = world.until_quiet().await;
    assert_eq!(world.reads(&sent, "word"), 1, "{sent:#?}");
    assert_eq!(world.reads(&sent, "other"), 0, "what did not change is not read: {sent:#?}");

    world.merge::<Secret>("word", json!({"metadata": {"labels": {"a": "b"}}})).await;
    let sent = world.until_quiet().await;
    assert_eq!((world.reads(&sent, "word"), writes(&sent).len()), (1, 0), "relabelled: {sent:#?}");
}

#[tokio::test]
async fn a_deleted_secret_is_missed_and_its_successor_is_read() {
    let world = World::with_operator().await;
    world.create_secret("word", "one").await;
    world.create_widget("w", reading("word")).await;
    world.until_word("w", "one").await;
    world.until_quiet().await;

    world.delete::<Secret>("word").await;
    let is_missed = |widget: &Widget| {
        crate::support::condition(widget, "Ready")
            .is_some_and(|(_, _, reason, _)| reason == "DependencyMissing")
    };
    let widget = world.until::<Widget>("w", is_missed).await;
    let words = format!("Secret {}/word does not exist; create it", world.name);
    assert_eq!(true_condition(&widget, "Reconciling"), ("DependencyMissing".into(), words));

    world.create_secret("word", "two").await;
    world.until_word("w", "two").await;
}

#[tokio::test]
async fn a_generated_secret_is_created_without_looking_and_never_read_back() {
    let world = World::with_operator().await;
    world.create_widget("w", WidgetSpec::default()).await;
    world.create_widget("reader", reading("w-widget-token")).await;
    world.make_available("w-widget").await;
    world.until_condition("w", "Ready", "True").await;
    let sent = world.until_quiet().await;
    // The reader may have come before the Secret.
    assert!(world.reads(&sent, "w-widget-token") <= 1, "{sent:#?}");

    world.create_widget("later", reading("w-widget-token")).await;
    world.until::<ConfigMap>("later-widget", |_| true).await;
    assert_eq!(world.reads(&world.until_quiet().await, "w-widget-token"), 0);
}

#[tokio::test]
async fn an_edited_generated_secret_rolls_the_pods_though_it_was_never_read() {
    let world = World::with_operator().await;
    let widget = world.ready_widget("w", WidgetSpec::default()).await;
    world.until_quiet().await;
    let edited = json!({"stringData": {"token": "another"}});
    world.merge::<Secret>("w-widget-token", edited).await;
    let template = world
        .until::<k8s_openapi::api::apps::v1::Deployment>("w-widget", |d| d.metadata.generation == Some(2))
        .await;
    assert!(template.metadata.uid.is_some() && widget.metadata.uid.is_some());
}
