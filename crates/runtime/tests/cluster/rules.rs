//! The rules of the engine, each shown on an API server: ours in memory, or a real one.

use crate::support::{
    World, true_condition,
    widget::{Widget, WidgetSpec},
};
use api::names::{CONTROLLER_LABEL, INPUTS_ANNOTATION};
use envtest::writes;
use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Secret},
};
use kube::{
    ResourceExt as _,
    api::{Patch, PatchParams},
};
use serde_json::{Value, json};

fn message(message: &str) -> WidgetSpec {
    WidgetSpec { message: message.into(), ..WidgetSpec::default() }
}

fn inputs_digest(deployment: &Deployment) -> String {
    let template = deployment.spec.as_ref().unwrap().template.metadata.as_ref().unwrap();
    template.annotations.as_ref().unwrap()[INPUTS_ANNOTATION].clone()
}

fn data<'a>(config: &'a ConfigMap, key: &str) -> Option<&'a str> {
    config.data.as_ref()?.get(key).map(String::as_str)
}

#[tokio::test]
async fn rule_1_fields_of_other_managers_survive() {
    let world = World::with_operator().await;
    world.ready_widget("w", message("one")).await;
    let theirs = json!({
        "metadata": {"labels": {"theirs": "1"}, "annotations": {"theirs": "2"}, "finalizers": ["theirs.io/x"]},
        "spec": {"replicas": 3},
    });
    world.merge::<Deployment>("w-widget", theirs).await;
    world.merge::<Widget>("w", json!({"spec": {"uses": "word"}})).await;
    world.create_secret("word", "hello").await;

    let deployment = world
        .until::<Deployment>("w-widget", |d| {
            d.spec.as_ref().unwrap().template.spec.as_ref().unwrap().containers[0].env.as_ref().unwrap().len()
                == 2
        })
        .await;

    assert_eq!(deployment.labels()["theirs"], "1");
    assert_eq!(deployment.annotations()["theirs"], "2");
    assert_eq!(deployment.finalizers(), ["theirs.io/x"]);
    assert_eq!(deployment.spec.unwrap().replicas, Some(3), "an autoscaler's business");
    world.merge::<Deployment>("w-widget", json!({"metadata": {"finalizers": null}})).await;
}

#[tokio::test]
async fn rule_2_nothing_changed_means_nothing_sent_and_nothing_read() {
    let world = World::with_operator().await;
    world.create_secret("word", "hello").await;
    let spec = WidgetSpec { reads: Some("word".into()), uses: Some("word".into()), ..message("one") };
    world.create_widget("w", spec).await;
    world.until::<Deployment>("w-widget", |_| true).await;
    let widget = world.until_condition("w", "Reconciling", "True").await;
    assert_eq!(
        true_condition(&widget, "Reconciling"),
        (
            "ChildrenNotReady".into(),
            format!("Deployment {}/w-widget: the newest spec has not been observed yet", world.name)
        )
    );
    world.until_quiet().await;

    let status =
        |count: i32| json!({"status": {"observedGeneration": 1, "replicas": count, "updatedReplicas": 0}});
    let api = world.api::<Deployment>();
    for count in 1..4 {
        api.patch_status("w-widget", &PatchParams::default(), &Patch::Merge(status(count))).await.unwrap();
    }
    assert_eq!(world.until_quiet().await, Vec::<String>::new(), "details are not worth a request yet");

    world.make_available("w-widget").await;
    world.until_condition("w", "Ready", "True").await;
    let ready = world.until_quiet().await;
    let about_status = format!("PATCH /apis/engine.test/v1/namespaces/{}/widgets/w/status", world.name);
    assert_eq!(ready, [about_status], "becoming ready costs a status");

    world.merge::<Widget>("w", json!({"status": null, "metadata": {"labels": {"theirs": "1"}}})).await;
    let relabelled = world.until_quiet().await;
    assert_eq!(
        writes(&relabelled),
        Vec::<&str>::new(),
        "a label of the owner is looked at and changes nothing"
    );
}

#[tokio::test]
async fn rule_3_b05_drift_is_repaired() {
    let world = World::with_operator().await;
    world.ready_widget("w", message("one")).await;
    world.until_quiet().await;

    world.merge::<ConfigMap>("w-widget", json!({"data": {"message": "edited"}})).await;
    world.until::<ConfigMap>("w-widget", |config| data(config, "message") == Some("one")).await;

    world.delete::<ConfigMap>("w-widget").await;
    world.until::<ConfigMap>("w-widget", |config| data(config, "message") == Some("one")).await;

    let image =
        json!({"spec": {"template": {"spec": {"containers": [{"name": "widget", "image": "evil:1"}]}}}});
    let api = world.api::<Deployment>();
    api.patch("w-widget", &PatchParams::default(), &Patch::Strategic(image)).await.unwrap();
    world
        .until::<Deployment>("w-widget", |d| {
            let pod = d.spec.as_ref().unwrap().template.spec.as_ref().unwrap();
            pod.containers[0].image.as_deref() == Some("example/widget:1")
        })
        .await;

    world.merge::<Deployment>("w-widget", json!({"metadata": {"labels": {CONTROLLER_LABEL: null}}})).await;
    world.until::<Deployment>("w-widget", |d| d.labels().contains_key(CONTROLLER_LABEL)).await;
    world
        .merge::<Deployment>("w-widget", json!({"metadata": {"labels": {"app.kubernetes.io/name": "x"}}}))
        .await;
    world.until::<Deployment>("w-widget", |d| d.labels()["app.kubernetes.io/name"] == "harbor").await;

    world.delete::<Deployment>("w-widget").await;
    world.until::<Deployment>("w-widget", |_| true).await;
}

#[tokio::test]
async fn rule_4_b01_b02_pods_restart_only_for_a_reason() {
    let world = World::with_operator().await;
    world.create_secret("used", "one").await;
    world.create_secret("unused", "one").await;
    world.ready_widget("w", WidgetSpec { uses: Some("used".into()), ..message("one") }).await;
    let first: Deployment = world.api().get("w-widget").await.unwrap();
    assert_eq!(
        first.metadata.generation,
        Some(1),
        "a secret generated in the same run causes no second rollout"
    );
    world.until_quiet().await;

    world.merge::<Secret>("used", json!({"metadata": {"labels": {"a": "b"}}})).await;
    assert_eq!(writes(&world.until_quiet().await), Vec::<&str>::new(), "relabelled");
    world.merge::<Secret>("used", json!({"stringData": {"other": "key"}})).await;
    assert_eq!(writes(&world.until_quiet().await), Vec::<&str>::new(), "a key the pods do not use");
    world.merge::<Secret>("unused", json!({"stringData": {"word": "two"}})).await;
    assert_eq!(world.until_quiet().await, Vec::<String>::new(), "no owner uses the Secret");

    world.merge::<Widget>("w", json!({"spec": {"replicas": 2}})).await;
    let scaled =
        world.until::<Deployment>("w-widget", |d| d.spec.as_ref().unwrap().replicas == Some(2)).await;
    assert_eq!(scaled.spec.unwrap().template, first.spec.as_ref().unwrap().template.clone(), "scaled");

    world.merge::<Secret>("used", json!({"stringData": {"word": "two"}})).await;
    let before = inputs_digest(&first);
    let rotated = world.until::<Deployment>("w-widget", move |d| inputs_digest(d) != before).await;

    world.merge::<Widget>("w", json!({"spec": {"message": "two"}})).await;
    let before = inputs_digest(&rotated);
    world.until::<Deployment>("w-widget", move |d| inputs_digest(d) != before).await;
}

#[tokio::test]
async fn rule_5_a01_generated_secrets_are_created_once() {
    let world = World::with_operator().await;
    let token = |secret: &Secret| secret.data.as_ref().unwrap()["token"].0.clone();
    world.ready_widget("w", message("one")).await;
    let generated: Secret = world.api().get("w-widget-token").await.unwrap();
    assert_eq!(token(&generated).len(), 16);

    world.merge::<Widget>("w", json!({"spec": {"message": "two"}})).await;
    world.until::<ConfigMap>("w-widget", |config| data(config, "message") == Some("two")).await;
    world.until_quiet().await;
    let later: Secret = world.api().get("w-widget-token").await.unwrap();
    assert_eq!(later, generated);

    let mine: Secret = serde_json::from_value(
        json!({"metadata": {"name": "x-widget-token"}, "stringData": {"token": "mine"}}),
    )
    .unwrap();
    let mine = world.api().create(&kube::api::PostParams::default(), &mine).await.unwrap();
    world.ready_widget("x", message("one")).await;
    world.until_quiet().await;
    assert_eq!(world.api::<Secret>().get("x-widget-token").await.unwrap(), mine, "used as it is");
    world.delete::<Secret>("x-widget-token").await;
    world.until::<Secret>("x-widget-token", |secret| token(secret).len() == 16).await;
}

#[tokio::test]
async fn rule_6_unwanted_children_are_swept_but_not_after_a_failure() {
    let world = World::with_operator().await;
    let with_extras = WidgetSpec { extras: vec!["a".into(), "b".into()], ..message("one") };
    world.ready_widget("w", with_extras).await;
    world.until::<ConfigMap>("b", |_| true).await;
    let stranger: ConfigMap =
        serde_json::from_value(json!({"metadata": {"name": "c", "labels": {CONTROLLER_LABEL: "widget"}}}))
            .unwrap();
    world.api().create(&kube::api::PostParams::default(), &stranger).await.unwrap();

    world.merge::<Widget>("w", json!({"spec": {"extras": ["b"]}})).await;
    world.until_gone::<ConfigMap>("a").await;

    world.merge::<Widget>("w", json!({"spec": {"extras": [], "noContainers": true}})).await;
    world.until_condition("w", "Stalled", "True").await;
    world.until_quiet().await;
    assert!(world.api::<ConfigMap>().get_opt("b").await.unwrap().is_some(), "not after a failure");

    world.merge::<Widget>("w", json!({"spec": {"noContainers": false}})).await;
    world.until_gone::<ConfigMap>("b").await;
    world.until_quiet().await;
    assert!(
        world.api::<ConfigMap>().get_opt("c").await.unwrap().is_some(),
        "an object without owner is not swept"
    );
    assert!(world.api::<Secret>().get_opt("w-widget-token").await.unwrap().is_some());
}

#[tokio::test]
async fn a_child_marked_as_immutable_is_neither_written_nor_swept() {
    let world = World::with_operator().await;
    world.ready_widget("w", WidgetSpec { extras: vec!["a".into()], ..message("one") }).await;
    let mark =
        json!({"metadata": {"annotations": {"goharbor.io/immutable": "true"}}, "data": {"mine": "kept"}});
    world.merge::<ConfigMap>("a", mark.clone()).await;
    world.merge::<ConfigMap>("w-widget", mark).await;
    world.until_quiet().await;

    world.merge::<Widget>("w", json!({"spec": {"message": "two", "extras": [], "replicas": 2}})).await;
    world.until::<Deployment>("w-widget", |d| d.spec.as_ref().unwrap().replicas == Some(2)).await;
    world.until_quiet().await;
    assert_eq!(data(&world.get::<ConfigMap>("w-widget").await, "message"), Some("one"), "not written");
    assert!(world.has::<ConfigMap>("a").await, "not swept");

    world
        .merge::<ConfigMap>("w-widget", json!({"metadata": {"annotations": {"goharbor.io/immutable": null}}}))
        .await;
    world.until::<ConfigMap>("w-widget", |config| data(config, "message") == Some("two")).await;
}

#[tokio::test]
async fn rule_7_b06_a_missing_secret_is_named_and_its_appearance_is_noticed() {
    let world = World::with_operator().await;
    world.create_widget("w", WidgetSpec { reads: Some("word".into()), ..message("one") }).await;
    let widget = world.until_condition("w", "Reconciling", "True").await;
    let words = format!("Secret {}/word does not exist; create it", world.name);
    assert_eq!(true_condition(&widget, "Reconciling"), ("DependencyMissing".into(), words.clone()));
    assert_eq!(true_condition(&widget, "InProgress"), ("DependencyMissing".into(), words));

    world.create_secret("word", "hello").await;
    world.until::<ConfigMap>("w-widget", |config| data(config, "word") == Some("hello")).await;
}

#[tokio::test]
async fn rule_7_a_secret_only_pods_use_is_named_too_when_it_is_missing() {
    let world = World::with_operator().await;
    world.create_widget("w", WidgetSpec { uses: Some("word".into()), ..message("one") }).await;
    let widget = world.until_condition("w", "Reconciling", "True").await;
    assert_eq!(
        true_condition(&widget, "Reconciling").1,
        format!("Secret {}/word does not exist; create it", world.name)
    );
    world.create_secret("word", "hello").await;
    world.until::<Deployment>("w-widget", |_| true).await;
}

#[tokio::test]
async fn rule_7_what_the_api_server_refuses_is_reported_in_its_words() {
    let world = World::with_operator().await;
    world.create_widget("w", WidgetSpec { no_containers: true, ..message("one") }).await;
    let widget = world.until_condition("w", "Stalled", "True").await;
    let (reason, words) = true_condition(&widget, "Failed");
    assert_eq!(reason, "Rejected");
    assert!(words.starts_with(&format!("cannot apply Deployment {}/w-widget: ", world.name)), "{words}");
    assert!(words.contains("spec.template.spec.containers: Required value"), "{words}");
}

#[tokio::test]
async fn rule_7_b28_a_refused_change_stays_visible_while_other_things_happen() {
    let world = World::with_operator().await;
    world.ready_widget("w", message("one")).await;
    world.merge::<Widget>("w", json!({"spec": {"noContainers": true}})).await;
    world.until_condition("w", "Stalled", "True").await;
    world.until_quiet().await;

    world.delete::<ConfigMap>("w-widget").await;
    world.until::<ConfigMap>("w-widget", |_| true).await;
    let status = json!({"status": {"availableReplicas": 0}});
    let api = world.api::<Deployment>();
    api.patch_status("w-widget", &PatchParams::default(), &Patch::Merge(status)).await.unwrap();
    world.make_available("w-widget").await;
    world.until_quiet().await;
    let widget = world.get::<Widget>("w").await;
    assert_eq!(true_condition(&widget, "Stalled").0, "Rejected");
}

#[tokio::test]
async fn rule_8_another_program_that_keeps_changing_a_child_does_not_make_us_spin() {
    let world = World::with_operator().await;
    world.ready_widget("w", message("one")).await;
    let mut edits = 0;
    let contended = loop {
        world.merge::<ConfigMap>("w-widget", json!({"data": {"message": format!("edit {edits}")}})).await;
        edits += 1;
        world.until_quiet().await;
        if data(&world.get::<ConfigMap>("w-widget").await, "message") != Some("one") {
            break world.until_condition("w", "Reconciling", "True").await;
        }
        assert!(edits < 40, "it never gave up");
    };
    let words = format!("ConfigMap {}/w-widget keeps being changed by another program", world.name);
    let (reason, message) = true_condition(&contended, "Reconciling");
    assert_eq!(reason, "Contended");
    assert!(message.starts_with(&words), "{message}");
}

#[tokio::test]
async fn rule_8_a_panic_reaches_the_user_and_stops_nothing_else() {
    let world = World::with_operator().await;
    world.create_widget("broken", WidgetSpec { panics: true, ..message("one") }).await;
    let widget = world.until_condition("broken", "Stalled", "True").await;
    assert_eq!(true_condition(&widget, "Stalled").0, "Panicked");
    world.ready_widget("fine", message("one")).await;
    world.merge::<Widget>("broken", json!({"spec": {"panics": false}})).await;
    world.until::<ConfigMap>("broken-widget", |_| true).await;
}

#[tokio::test]
async fn rule_8_an_object_that_cannot_be_decoded_is_reported_and_stops_nothing_else() {
    let world = World::with_operator().await;
    let undecodable: kube::core::DynamicObject = serde_json::from_value(json!({
        "apiVersion": "engine.test/v1", "kind": "Widget", "metadata": {"name": "broken"},
        "spec": {"tiny": 1000, "message": "one", "extras": [], "panics": false, "noContainers": false},
    }))
    .unwrap();
    let resource = kube::core::ApiResource::erase::<Widget>(&());
    let api =
        kube::Api::<kube::core::DynamicObject>::namespaced_with(world.plane.client(), &world.name, &resource);
    api.create(&kube::api::PostParams::default(), &undecodable).await.unwrap();
    world.ready_widget("fine", message("one")).await;

    let reported =
        kube::runtime::wait::await_condition(api, "broken", |object: Option<&kube::core::DynamicObject>| {
            object.is_some_and(|object| {
                object.data.pointer("/status/conditions/0/reason") == Some(&Value::from("Undecodable"))
            })
        });
    let object =
        tokio::time::timeout(std::time::Duration::from_secs(30), reported).await.unwrap().unwrap().unwrap();
    let words = object.data.pointer("/status/conditions/0/message").unwrap().as_str().unwrap();
    assert!(words.contains("1000") && words.contains("kubectl edit"), "{words}");
}

#[tokio::test]
async fn rule_8_a_reconcile_that_takes_too_long_is_given_up_and_says_so() {
    let mut world = World::new().await;
    world.options.deadline = std::time::Duration::from_nanos(1);
    world.start_operator();
    world.create_widget("w", message("one")).await;
    let widget = world.until_condition("w", "Reconciling", "True").await;
    assert_eq!(true_condition(&widget, "Reconciling").0, "DeadlineExceeded");
}

#[tokio::test]
async fn rule_10_b33_a_name_that_cannot_be_is_refused_with_a_remedy() {
    let world = World::with_operator().await;
    let name = "w".repeat(60);
    world.create_widget(&name, message("one")).await;
    let widget = world.until_condition(&name, "Stalled", "True").await;
    let (reason, words) = true_condition(&widget, "Stalled");
    assert_eq!(reason, "InvalidSpec");
    assert!(words.ends_with("use a name of at most 56 characters"), "{words}");
}

#[tokio::test]
async fn an_object_that_is_created_paused_has_a_reason_to_show() {
    let world = World::with_operator().await;
    let mut widget = Widget::new("w", message("one"));
    widget.metadata.annotations = Some([("goharbor.io/pause".to_owned(), "true".to_owned())].into());
    world.post(&widget).await;
    let paused = world.until_condition("w", "Paused", "True").await;
    let (status, _, reason, _) = crate::support::condition(&paused, "Ready").unwrap();
    assert_eq!((status.as_str(), reason.as_str()), ("Unknown", "Paused"));
    assert_eq!(writes(&world.until_quiet().await).len(), 1, "nothing but the status is written");
}

#[tokio::test]
async fn a_paused_object_is_left_alone_and_says_so() {
    let world = World::with_operator().await;
    world.ready_widget("w", message("one")).await;
    world.merge::<Widget>("w", json!({"metadata": {"annotations": {"goharbor.io/pause": "true"}}})).await;
    let paused = world.until_condition("w", "Paused", "True").await;
    assert_eq!(
        true_condition(&paused, "Paused").1,
        "the annotation goharbor.io/pause is set; remove it to resume"
    );
    world.until_quiet().await;

    world.merge::<Widget>("w", json!({"spec": {"message": "two"}})).await;
    world.delete::<ConfigMap>("w-widget").await;
    assert_eq!(writes(&world.until_quiet().await), Vec::<&str>::new());

    world.merge::<Widget>("w", json!({"metadata": {"annotations": {"goharbor.io/pause": null}}})).await;
    world.until::<ConfigMap>("w-widget", |config| data(config, "message") == Some("two")).await;
    world.until::<Widget>("w", |widget| crate::support::condition(widget, "Paused").is_none()).await;
}
