//! HarborConfiguration.

use crate::{
    secrecy::assert_nowhere,
    world::{INTERVAL, World, settled},
};
use api::v1beta1::HarborConfiguration;
use harborserver::Version;
use k8s_openapi::api::core::v1::Secret;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

const VERSIONS: [Version; 3] = [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)];

fn configuration(name: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["harborServerConfig"] = "acme".into();
    json!({"kind": "HarborConfiguration", "metadata": {"name": name}, "spec": spec})
}

fn settings(name: &str, settings: Value) -> Value {
    configuration(name, json!({ "configuration": settings }))
}

async fn shown(world: &World, setting: &str) -> Value {
    world.ask("GET", "/configurations", Value::Null).await[setting]["value"].take()
}

#[tokio::test(start_paused = true)]
async fn settings_are_sent_in_one_request_and_the_status_has_the_old_fields() {
    for version in VERSIONS {
        let world = World::with_version(version).await;
        settled().await;
        world.take_calls();
        let spec =
            json!({"tokenExpiration": 45, "selfRegistration": true, "ldapTimeout": 0, "oidcName": "x"});
        world.create(settings("main", spec.clone())).await;
        world.until_reason::<HarborConfiguration>("main", "Ready").await;
        assert_eq!(world.take_writes(), ["PUT /configurations"], "{version}");
        assert_eq!(shown(&world, "token_expiration").await, 45);
        assert_eq!(shown(&world, "self_registration").await, true);
        assert_eq!(shown(&world, "ldap_timeout").await, 0);
        let status = world.get::<HarborConfiguration>("main").await["status"].take();
        assert_eq!(status["status"], "Success");
        assert!(status["lastApplyTime"].is_string(), "{status}");
        assert_eq!(status["lastConfiguration"], json!({"harborServerConfig": "acme", "configuration": spec}));
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_arrives_within_a_second_and_drift_is_repaired_within_the_interval() {
    let world = World::new().await;
    world.create(settings("main", json!({"tokenExpiration": 45, "oidcScope": "openid, email"}))).await;
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
    world
        .merge::<HarborConfiguration>("main", json!({"spec": {"configuration": {"tokenExpiration": 50}}}))
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(shown(&world, "token_expiration").await, 50);

    settled().await;
    let others = json!({"token_expiration": 30, "session_timeout": 7});
    world.ask("PUT", "/configurations", others).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    assert_eq!(shown(&world, "token_expiration").await, 50);
    assert_eq!(shown(&world, "session_timeout").await, 7, "what the spec does not have is left alone");

    settled().await;
    let applied = world.get::<HarborConfiguration>("main").await["status"]["lastApplyTime"].clone();
    world.take_calls();
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    assert_eq!(world.get::<HarborConfiguration>("main").await["status"]["lastApplyTime"], applied);
}

#[tokio::test(start_paused = true)]
async fn a_setting_that_is_no_longer_listed_and_a_deleted_object_leave_everything_as_it_is() {
    let world = World::new().await;
    let schedules = json!({"garbageCollection": {"schedule": {"type": "Daily"}}});
    let spec = json!({
        "configuration": {"tokenExpiration": 45, "sessionTimeout": 9},
        "schedules": schedules, "cveAllowlist": {"items": ["CVE-1"]},
    });
    world.create(configuration("main", spec)).await;
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
    world
        .merge::<HarborConfiguration>("main", json!({"spec": {"configuration": {"sessionTimeout": null}}}))
        .await;
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
    settled().await;
    world.take_calls();
    // Also while Harbor cannot be asked.
    world.is_down.store(true, Ordering::SeqCst);
    world.delete::<HarborConfiguration>("main").await;
    world.until_gone::<HarborConfiguration>("main").await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    assert_eq!(shown(&world, "token_expiration").await, 45);
    assert_eq!(shown(&world, "session_timeout").await, 9);
    let garbage = world.ask("GET", "/system/gc/schedule", Value::Null).await;
    assert_eq!(garbage["schedule"]["type"], "Daily");
    let allowlist = world.ask("GET", "/system/CVEAllowlist", Value::Null).await;
    assert_eq!(allowlist["items"], json!([{"cve_id": "CVE-1"}]));
}

#[tokio::test(start_paused = true)]
async fn two_objects_share_the_settings_and_the_older_wins_where_they_differ() {
    let world = World::new().await;
    world.create(settings("older", json!({"tokenExpiration": 45}))).await;
    world.until_reason::<HarborConfiguration>("older", "Ready").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    world.create(settings("younger", json!({"tokenExpiration": 45, "sessionTimeout": 9}))).await;
    world.until_reason::<HarborConfiguration>("younger", "Ready").await;
    assert_eq!(shown(&world, "session_timeout").await, 9);

    world
        .merge::<HarborConfiguration>("younger", json!({"spec": {"configuration": {"tokenExpiration": 50}}}))
        .await;
    let message = world.until_reason::<HarborConfiguration>("younger", "Conflict").await;
    assert!(message.contains("token_expiration"), "{message}");
    assert!(message.contains("HarborConfiguration default/older"), "{message}");
    tokio::time::sleep(INTERVAL * 2).await;
    assert_eq!(shown(&world, "token_expiration").await, 45);
    let status = world.get::<HarborConfiguration>("younger").await["status"].take();
    assert_eq!((&status["status"], &status["reason"]), (&json!("Fail"), &json!("ApplyConfigurationError")));
    assert_eq!(status["lastConfiguration"]["configuration"]["tokenExpiration"], 45);

    world.delete::<HarborConfiguration>("older").await;
    world.until_gone::<HarborConfiguration>("older").await;
    world.until_reason::<HarborConfiguration>("younger", "Ready").await;
    assert_eq!(shown(&world, "token_expiration").await, 50);
}

#[tokio::test(start_paused = true)]
async fn a_password_is_sent_again_only_when_it_changes_and_shown_nowhere() {
    let mut world = World::new().await;
    world.secret("ldap", &[("ldap_search_password", "hunter2\n")]).await;
    let spec = json!({"ldapSearchPassword": "ldap", "oidcClientSecret": "", "ldapFilter": "(a=b)"});
    world.create(settings("main", spec)).await;
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
    assert_nowhere::<HarborConfiguration>(&world, "main", "hunter2").await;
    settled().await;
    world.take_calls();
    world.restart().await;
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    world.merge::<Secret>("ldap", json!({"stringData": {"ldap_search_password": "changed"}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(world.take_writes(), ["PUT /configurations"]);
    assert_nowhere::<HarborConfiguration>(&world, "main", "changed").await;
}

#[tokio::test(start_paused = true)]
async fn a_password_has_one_owner_too() {
    let world = World::new().await;
    world.secret("one", &[("ldap_search_password", "hunter2")]).await;
    world.secret("two", &[("ldap_search_password", "hunter3")]).await;
    world.create(settings("older", json!({"ldapSearchPassword": "one"}))).await;
    world.until_reason::<HarborConfiguration>("older", "Ready").await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    world.take_calls();
    world.create(settings("younger", json!({"ldapSearchPassword": "two"}))).await;
    let message = world.until_reason::<HarborConfiguration>("younger", "Conflict").await;
    assert!(message.contains("ldap_search_password") && !message.contains("hunter"), "{message}");
    assert_eq!(world.take_writes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn schedules_and_the_allow_list_are_kept_as_described_and_removed_on_request() {
    for version in VERSIONS {
        let world = World::with_version(version).await;
        world.harbor.network().open("http://scanner");
        world.ask("POST", "/scanners", json!({"name": "s", "url": "http://scanner"})).await;
        let mut schedules = json!({
            "garbageCollection": {"schedule": {"type": "Custom", "cron": "0 0 4 * * *"}, "deleteUntagged": true},
            "scanAll": {"schedule": {"type": "Weekly"}},
            "auditPurge": {
                "schedule": {"type": "Daily"}, "retentionHours": 48, "operations": ["pull"],
                "eventTypes": ["pull_artifact"],
            },
        });
        let has_purge = version >= Version::new(6, 0);
        if !has_purge {
            schedules.as_object_mut().unwrap().remove("auditPurge");
        }
        let allowlist = json!({"items": ["CVE-2", "CVE-1", "CVE-2"], "expiresAt": "2030-01-01T00:00:00Z"});
        world.create(configuration("main", json!({"schedules": schedules, "cveAllowlist": allowlist}))).await;
        world.until_reason::<HarborConfiguration>("main", "Ready").await;
        let schedule = async |job: &str| {
            let answer = world.ask("GET", &format!("/system/{job}/schedule"), Value::Null).await;
            answer["schedule"]["cron"].clone()
        };
        assert_eq!(schedule("gc").await, "0 0 4 * * *");
        assert_eq!(schedule("scanAll").await, "0 0 0 * * 0");
        if has_purge {
            assert_eq!(schedule("purgeaudit").await, "0 0 0 * * *");
        }
        let shown = world.ask("GET", "/system/CVEAllowlist", Value::Null).await;
        assert_eq!(shown["items"].as_array().unwrap().len(), 2);
        assert_eq!(shown["expires_at"], 1_893_456_000);
        settled().await;
        world.take_calls();
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(world.take_writes(), Vec::<String>::new(), "{version}");

        let drifted = json!({"schedule": {"type": "Hourly", "cron": "0 0 * * * *"}});
        world.ask("PUT", "/system/gc/schedule", drifted).await;
        tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
        assert_eq!(schedule("gc").await, "0 0 4 * * *");

        let none = json!({"schedule": {"type": "None", "cron": null}});
        world
            .merge::<HarborConfiguration>("main", json!({"spec": {"schedules": {"garbageCollection": none}}}))
            .await;
        world.until_reason::<HarborConfiguration>("main", "Ready").await;
        assert_eq!(schedule("gc").await, Value::Null);
        settled().await;
        world.take_calls();
        tokio::time::sleep(INTERVAL * 3).await;
        assert_eq!(world.take_writes(), Vec::<String>::new(), "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn labels_of_the_harbor_are_kept_as_described_and_deleted_only_on_request() {
    for version in VERSIONS {
        let world = World::with_version(version).await;
        world.ask("POST", "/labels", json!({"name": "other", "scope": "g"})).await;
        world.ask("POST", "/labels", json!({"name": "adopted", "scope": "g", "color": "#000000"})).await;
        let labels = async || {
            let all = world.ask("GET", "/labels?scope=g&page_size=100", Value::Null).await;
            let label = |it: &Value| {
                format!("{} {}", it["name"].as_str().unwrap(), it["color"].as_str().unwrap_or("-"))
            };
            let mut all: Vec<_> = all.as_array().unwrap().iter().map(label).collect();
            all.sort();
            all
        };
        let listed = json!([
            {"name": "adopted", "color": "#00FF00", "deletionPolicy": "Delete"},
            {"name": "gone", "color": "#FF0000", "deletionPolicy": "Delete"},
            {"name": "kept", "color": "#0000FF"},
        ]);
        world.create(configuration("main", json!({ "labels": listed }))).await;
        world.until_reason::<HarborConfiguration>("main", "Ready").await;
        let all = ["adopted #00FF00", "gone #FF0000", "kept #0000FF", "other -"];
        assert_eq!(labels().await, all, "{version}");

        settled().await;
        let id = world.ask("GET", "/labels?scope=g&name=kept", Value::Null).await[0]["id"].take();
        world.ask("PUT", &format!("/labels/{id}"), json!({"name": "kept", "scope": "g"})).await;
        tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
        assert_eq!(labels().await, all, "{version}");

        world.merge::<HarborConfiguration>("main", json!({"spec": {"labels": [{"name": "kept"}]}})).await;
        world.until_reason::<HarborConfiguration>("main", "Ready").await;
        settled().await;
        assert_eq!(labels().await, ["adopted #00FF00", "kept -", "other -"], "{version}");
        world.delete::<HarborConfiguration>("main").await;
        world.until_gone::<HarborConfiguration>("main").await;
        assert_eq!(labels().await, ["adopted #00FF00", "kept -", "other -"], "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_purge_follows_an_upgrade_of_harbor_that_renames_its_parameter() {
    let world = World::with_version(Version::new(9, 5)).await;
    let purge = json!({
        "schedule": {"type": "Daily"}, "retentionHours": 48, "operations": ["pull"],
        "eventTypes": ["pull_artifact"],
    });
    world.create(configuration("main", json!({"schedules": {"auditPurge": purge}}))).await;
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
    world.harbor.upgrade(Version::new(15, 2));
    tokio::time::sleep(INTERVAL * 3).await;
    let shown = world.ask("GET", "/system/purgeaudit/schedule", Value::Null).await;
    assert!(shown["job_parameters"].as_str().unwrap().contains("pull_artifact"), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn mail_settings_are_sent_where_harbor_sends_mail_and_left_out_later() {
    for (version, sent) in [(Version::new(5, 6), true), (Version::new(9, 5), false)] {
        let world = World::with_version(version).await;
        world.secret("mail", &[("email_password", "hunter2")]).await;
        let spec = json!({"emailHost": "smtp", "emailPassword": "mail", "tokenExpiration": 45});
        world.create(settings("main", spec)).await;
        let message = world.until_reason::<HarborConfiguration>("main", "Ready").await;
        assert!(message.contains("Harbor sends no mail from 2.7 on"), "{message}");
        assert_eq!(shown(&world, "token_expiration").await, 45);
        assert_eq!(shown(&world, "email_host").await == "smtp", sent);
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_a_restart_and_an_outage_of_harbor_lose_nothing() {
    let mut world = World::new().await;
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(settings("main", json!({"tokenExpiration": 45}))).await;
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
    let last = world.get::<HarborConfiguration>("main").await["status"]["lastConfiguration"].clone();
    world.is_down.store(true, Ordering::SeqCst);
    world
        .merge::<HarborConfiguration>("main", json!({"spec": {"configuration": {"tokenExpiration": 50}}}))
        .await;
    world.until_reason::<HarborConfiguration>("main", "ExternalUnreachable").await;
    assert_eq!(world.get::<HarborConfiguration>("main").await["status"]["lastConfiguration"], last);
    world.restart().await;
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
    assert_eq!(shown(&world, "token_expiration").await, 50);
}

#[tokio::test(start_paused = true)]
async fn settings_are_written_while_harbor_is_read_only_and_can_end_that() {
    let world = World::new().await;
    world.harbor.set_read_only(true);
    world.create(settings("main", json!({"readOnly": false, "tokenExpiration": 45}))).await;
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
    assert_eq!(shown(&world, "read_only").await, false);
}
