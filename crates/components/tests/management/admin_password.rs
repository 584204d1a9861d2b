//! The administrator's password, which follows its Secret.

use crate::{
    connection::Counted,
    installed::{CURRENT, Installed},
    log::Log,
    secrecy::assert_nowhere,
    world::{INTERVAL, PASSWORD, World, settled},
};
use api::v1beta1::{Core, Harbor, HarborProject};
use harborserver::Version;
use k8s_openapi::api::core::v1::{Secret, Service};
use serde_json::json;
use std::{sync::atomic::Ordering, time::Duration};

const SECOND: &str = "Second12345";
const THIRD: &str = "Third12345";

async fn newest() -> Installed {
    Installed::new(Version::new(15, 2)).await
}

#[tokio::test(start_paused = true)]
async fn harbor_has_the_password_of_the_changed_secret_no_pod_restarts_and_no_object_notices() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let it = Installed::new(version).await;
        let log = Log::start();
        let templates = it.templates().await;
        it.wish(SECOND).await;
        it.until_changed(SECOND).await;
        assert_eq!(it.rejections(), 0);
        assert_eq!(it.world.take_writes(), ["PUT /users/1/password"]);
        assert!(!it.logs_in(PASSWORD).await);
        assert_eq!(it.templates().await, templates);
        let requests = it.world.take_requests();
        let is_about_team =
            |request: &&String| request.contains("harborprojects") && !request.starts_with("GET");
        assert_eq!(requests.iter().filter(is_about_team).count(), 0, "{requests:#?}");
        assert_eq!(
            it.world.event_notes("AdminPasswordChanged").await,
            ["the administrator of Harbor has the password in Secret default/admin, key `secret` now"]
        );

        it.wish(THIRD).await;
        it.until_changed(THIRD).await;
        assert_eq!(it.world.event_notes("RollingOut").await, [""; 0]);
        for secret in [PASSWORD, SECOND, THIRD] {
            assert_nowhere::<Core>(&it.world, "acme-harbor", secret).await;
            assert_nowhere::<Harbor>(&it.world, "acme", secret).await;
            assert!(!log.text().contains(secret));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_harbor_whose_password_never_changes_has_no_secret_for_it_and_is_never_asked() {
    let it = newest().await;
    assert!(!it.world.secret_names().await.contains(&CURRENT.to_owned()));
    tokio::time::sleep(INTERVAL * 3).await;
    assert!(!it.world.calls().iter().any(|call| call.contains("/users/1")), "{:?}", it.world.calls());
}

#[tokio::test(start_paused = true)]
async fn after_a_change_a_restart_writes_nothing_and_new_objects_use_the_new_password() {
    let mut it = newest().await;
    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
    it.world.take_requests();
    it.world.take_calls();
    it.world.restart().await;
    settled().await;
    let mut requests = it.world.take_requests();
    requests.retain(|request| !request.starts_with("GET"));
    assert_eq!((requests, it.world.take_writes()), (Vec::new(), Vec::new()));

    let spec = json!({"projectName": "other", "harborRef": {"name": "acme"}});
    it.world.create(json!({"kind": "HarborProject", "metadata": {"name": "other"}, "spec": spec})).await;
    it.world.until_reason::<HarborProject>("other", "Ready").await;
    assert_eq!(it.rejections(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_password_that_harbor_would_refuse_is_not_sent_and_everything_else_goes_on() {
    let it = newest().await;
    it.wish("weak").await;
    let message = it.world.until_reason::<Core>("acme-harbor", "InvalidSpec").await;
    assert_eq!(
        message,
        "Secret default/admin, key `secret`: is too short for a password; use 8 to 128 characters, of which at least one \
         is an upper-case letter, one a lower-case letter and one a digit"
    );
    it.world.delete::<Service>("acme-harbor-core").await;
    let spec = json!({"projectName": "other", "harborRef": {"name": "acme"}});
    it.world.create(json!({"kind": "HarborProject", "metadata": {"name": "other"}, "spec": spec})).await;
    it.world.until_reason::<HarborProject>("other", "Ready").await;
    assert!(it.world.api::<Service>().get_opt("acme-harbor-core").await.unwrap().is_some());
    assert!(it.logs_in(PASSWORD).await);
    assert!(!it.world.calls().iter().any(|call| call.contains("password")), "{:?}", it.world.calls());

    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn a_password_that_is_taken_back_before_it_was_sent_leaves_nothing_behind() {
    let it = newest().await;
    it.world.is_down.store(true, Ordering::SeqCst);
    it.wish(SECOND).await;
    it.world.until_reason::<Core>("acme-harbor", "ExternalUnreachable").await;
    it.wish(PASSWORD).await;
    it.world.is_down.store(false, Ordering::SeqCst);
    it.until_ready().await;
    assert!(!it.world.secret_names().await.contains(&CURRENT.to_owned()));
    let core = it.world.get::<Core>("acme-harbor").await;
    assert_eq!(core["metadata"]["finalizers"], json!(null));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_loses_no_password() {
    let it = newest().await;
    it.world.lost_answers.store(1, Ordering::SeqCst);
    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
    assert!(it.rejections() <= 3);
}

#[tokio::test(start_paused = true)]
async fn the_change_waits_for_a_harbor_that_is_down_or_accepts_no_changes() {
    let it = newest().await;
    it.world.is_down.store(true, Ordering::SeqCst);
    it.wish(SECOND).await;
    let message = it.world.until_reason::<Core>("acme-harbor", "ExternalUnreachable").await;
    assert!(message.contains("connection refused"), "{message}");
    tokio::time::sleep(INTERVAL).await;
    it.world.is_down.store(false, Ordering::SeqCst);
    it.until_changed(SECOND).await;

    it.world.harbor.set_read_only(true);
    it.wish(THIRD).await;
    let message = it.world.until_reason::<Core>("acme-harbor", "ExternalUnreachable").await;
    assert!(
        message.contains("read-only mode; the operator continues when it accepts changes again"),
        "{message}"
    );
    tokio::time::sleep(INTERVAL).await;
    assert_eq!(it.world.secret_values(CURRENT).await["password"], SECOND);
    it.world.harbor.set_read_only(false);
    it.until_changed(THIRD).await;

    it.world.harbor.set_database_up(false);
    it.wish(SECOND).await;
    it.world.until_reason::<Core>("acme-harbor", "ExternalUnreachable").await;
    it.world.harbor.set_database_up(true);
    it.until_changed(SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn a_password_that_a_user_changed_in_harbor_is_followed_once_the_secret_has_it() {
    let it = newest().await;
    it.change_in_pages(PASSWORD, SECOND).await;
    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
    it.wish(THIRD).await;
    it.until_changed(THIRD).await;
}

#[tokio::test(start_paused = true)]
async fn a_harbor_that_accepts_neither_password_is_reported_and_not_asked_again_and_again() {
    let it = newest().await;
    it.change_in_pages(PASSWORD, "Unknown12345").await;
    it.wish(SECOND).await;
    let message = it.world.until_reason::<Core>("acme-harbor", "ExternalForbidden").await;
    for part in [
        "Harbor accepts neither the password in the Secret nor the one that it had when the operator last changed it",
        "write the password that Harbor has into the Secret",
        "docs/rotation.md",
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert!(!message.contains(SECOND) && !message.contains(PASSWORD), "{message}");
    settled().await;
    it.world.take_calls();
    tokio::time::sleep(Duration::from_hours(1)).await;
    let rejections = it.rejections();
    assert!(rejections <= 40, "{rejections} in an hour");

    it.wish("Unknown12345").await;
    it.until_changed("Unknown12345").await;
    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn the_change_goes_on_when_harbor_accepts_the_old_password_again() {
    let it = newest().await;
    it.change_in_pages(PASSWORD, "Unknown12345").await;
    it.wish(SECOND).await;
    it.world.until_reason::<Core>("acme-harbor", "ExternalForbidden").await;
    settled().await;
    it.change_in_pages("Unknown12345", PASSWORD).await;
    it.until_changed(SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_is_killed_at_any_request_loses_no_password() {
    let mut it = newest().await;
    it.world.kill();
    let templates = it.templates().await;
    for number in 1..=12 {
        let password = format!("Number{number}12345");
        it.wish(&password).await;
        it.world.run_until_request(Counted::All, number).await;
        it.world.start();
        it.until_changed(&password).await;
        it.world.kill();
    }
    for number in 1..=4 {
        let password = format!("Write{number}12345");
        it.wish(&password).await;
        it.world.run_until_write_to_cluster(number).await;
        it.world.start();
        it.until_changed(&password).await;
        it.world.kill();
    }
    assert_eq!(it.templates().await, templates);
}

#[tokio::test(start_paused = true)]
async fn a_restored_database_gets_the_password_of_the_secret_when_the_record_is_deleted() {
    let it = newest().await;
    let backup = it.world.harbor.backup();
    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
    it.world.harbor.restore(&backup);
    assert!(!it.logs_in(SECOND).await);
    settled().await;
    it.world.delete::<Secret>(CURRENT).await;
    it.until_changed(SECOND).await;
}

#[tokio::test(start_paused = true)]
async fn a_restored_database_is_followed_when_the_secret_has_its_password_again() {
    let it = newest().await;
    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
    let backup = it.world.harbor.backup();
    it.wish(THIRD).await;
    it.until_changed(THIRD).await;
    it.world.harbor.restore(&backup);
    assert!(!it.logs_in(THIRD).await);
    settled().await;
    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
    it.wish(THIRD).await;
    it.until_changed(THIRD).await;
}

#[tokio::test(start_paused = true)]
async fn an_operator_that_takes_over_from_one_that_kept_no_password_restarts_no_pod() {
    let mut it = newest().await;
    it.world.kill();
    let templates = it.templates().await;
    it.world.merge::<Secret>("acme-harbor-core", json!({"data": {"HARBOR_ADMIN_PASSWORD": null}})).await;
    it.world.take_requests();
    it.world.start();
    it.until_ready().await;
    let mut requests = it.world.take_requests();
    requests.retain(|request| !request.starts_with("GET"));
    assert_eq!(requests, ["PATCH /api/v1/namespaces/default/secrets/acme-harbor-core"]);
    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
    assert_eq!(it.templates().await, templates);
}

#[tokio::test(start_paused = true)]
async fn a_core_that_belongs_to_no_harbor_has_its_password_changed_too() {
    let it = newest().await;
    let World { client, .. } = &it.world;
    let cores: kube::Api<Core> = kube::Api::default_namespaced(client.clone());
    let mut spec = json!(cores.get("acme-harbor").await.unwrap().spec);
    spec["externalEndpoint"] = "http://alone.example.com".into();
    it.world.create(json!({"kind": "Core", "metadata": {"name": "alone"}, "spec": spec})).await;
    it.world.until_reason::<Core>("alone", "Ready").await;
    it.wish(SECOND).await;
    it.until_changed(SECOND).await;
    it.world.until_reason::<Core>("alone", "Ready").await;
    let recorded = it.world.secret_values("alone-core-admin-current").await;
    assert_eq!(recorded["password"], SECOND);
}
