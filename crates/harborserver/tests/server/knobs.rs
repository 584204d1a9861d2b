//! What tests and the sandbox can do to a server.

use crate::caller::{ADMIN_PASSWORD, Caller, NEWEST, admin_of};
use harborserver::{Component, HarborServer, Image, Installation, Seeded, Version};
use http::{Method, StatusCode};
use serde_json::json;
use std::{collections::BTreeMap, time::Duration};
use tokio::time::sleep;

#[tokio::test(start_paused = true)]
async fn the_same_start_makes_the_same_server() {
    let mut secrets = Vec::new();
    for seed in [1, 1, 2] {
        let server = HarborServer::builder(NEWEST, ADMIN_PASSWORD).entropy(Seeded::new(seed)).build();
        let access = json!([{ "resource": "project", "action": "list" }]);
        let permissions = json!([{ "kind": "system", "namespace": "/", "access": access }]);
        let wanted = json!({ "name": "ci", "level": "system", "duration": 30, "permissions": permissions });
        secrets.push(Caller::admin(&server).post("/robots", wanted).await.body);
    }
    assert_eq!(secrets[0], secrets[1]);
    assert_ne!(secrets[0]["secret"], secrets[2]["secret"]);
    assert_eq!(secrets[0]["expires_at"], 1_767_225_600 + 30 * 86_400);
}

#[tokio::test]
async fn every_request_is_counted_with_its_sender_and_its_status() {
    let admin = admin_of(NEWEST);
    admin.get("/projects?page=2").await;
    Caller::anonymous(admin.server()).get("/users").await;
    let served: Vec<_> = admin
        .server()
        .served()
        .into_iter()
        .map(|served| (served.method, served.path, served.principal, served.status))
        .collect();
    let expected = [
        (Method::GET, "/api/v2.0/projects".to_owned(), Some("admin".to_owned()), StatusCode::OK),
        (Method::GET, "/api/v2.0/users".to_owned(), None, StatusCode::UNAUTHORIZED),
    ];
    assert_eq!(served, expected);
    admin.server().forget_served();
    assert_eq!(admin.server().served(), []);
}

#[tokio::test]
async fn a_pushed_image_fills_its_project() {
    let admin = admin_of(NEWEST);
    admin.server().push(&Image::new("library/deep/app", "v1"), "admin").unwrap();
    let unknown = admin.server().push(&Image::new("nowhere/app", "v1"), "admin").unwrap_err();
    assert_eq!(unknown.to_string(), "there is no project for the repository \"nowhere/app\"");
    assert_eq!(admin.get("/projects/library").await.body["repo_count"], 1);
    assert_eq!(
        admin.get("/projects/library/summary").await.body["quota"]["used"],
        json!({ "storage": 1024 })
    );
    for path in ["deep%2Fapp", "deep%252Fapp"] {
        let repository = admin.get(&format!("/projects/library/repositories/{path}")).await;
        assert_eq!(repository.body["name"], "library/deep/app", "{path}");
    }
    assert_eq!(admin.delete("/projects/library/repositories/deep%252Fapp").await.status, 200);
    assert_eq!(admin.delete("/projects/library").await.status, 200);
}

#[tokio::test]
async fn an_upgrade_keeps_the_data_and_changes_the_behaviour() {
    let admin = admin_of(Version::new(5, 6));
    admin.create("/projects", json!({ "project_name": "alpha" })).await;
    let events = json!(["PUSH_ARTIFACT", "UPLOAD_CHART"]);
    let hook = json!({ "name": "hook", "enabled": true, "event_types": events, "targets": [{ "type": "http", "address": "http://far" }] });
    admin.create("/projects/alpha/webhook/policies", hook).await;
    assert_eq!(admin.get("/schedules").await.status, 404);
    admin.server().upgrade(NEWEST);
    assert_eq!(admin.get("/systeminfo").await.body["harbor_version"], "v2.15.2-00000000");
    let hooks = admin.get("/projects/alpha/webhook/policies").await.body;
    assert_eq!(hooks[0]["event_types"], json!(["PUSH_ARTIFACT"]));
    assert_eq!(admin.get("/schedules").await.header("x-total-count"), "2");
}

#[tokio::test]
async fn a_purge_schedule_from_before_2_13_keeps_the_parameter_that_nothing_reads_any_more() {
    let admin = admin_of(Version::new(12, 0));
    let parameters = json!({ "audit_retention_hour": 24, "include_operations": "create" });
    let schedule =
        json!({ "schedule": { "type": "Daily", "cron": "0 0 0 * * *" }, "parameters": parameters });
    assert_eq!(admin.put("/system/purgeaudit/schedule", schedule.clone()).await.status, 200);
    admin.server().upgrade(Version::new(13, 0));
    let shown = admin.get("/system/purgeaudit/schedule").await.body;
    assert_eq!(shown["job_parameters"], r#"{"audit_retention_hour":24,"include_operations":"create"}"#);
    assert_eq!(admin.put("/system/purgeaudit/schedule", schedule).await.status, 400);
}

#[tokio::test]
async fn a_restore_brings_back_names_under_other_numbers() {
    let admin = admin_of(NEWEST);
    admin.server().network().open("http://far");
    let far = admin
        .create("/registries", json!({"name": "far", "type": "docker-registry", "url": "http://far"}))
        .await;
    let proxy = json!({ "project_name": "proxy", "registry_id": far.parse::<i64>().unwrap() });
    let before = admin.create("/projects", proxy).await;
    let backup = admin.server().backup();
    assert_eq!(admin.delete("/projects/proxy").await.status, 200);
    admin.server().restore(&backup);
    let project = admin.get("/projects/proxy").await.body;
    assert_ne!(project["project_id"].to_string(), before);
    let registry = admin.get(&format!("/registries/{}", project["registry_id"])).await.body;
    assert_eq!(registry["name"], "far");
    let retention = project["metadata"]["retention_id"].as_str().unwrap();
    let policy = admin.get(&format!("/retentions/{retention}")).await.body;
    assert_eq!(policy["scope"]["ref"], project["project_id"]);
    let members = admin.get("/projects/proxy/members").await.body;
    assert_eq!(members[0]["entity_name"], "admin");
    assert_eq!(admin.get("/projects/library").await.body["project_id"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_job_runs_for_its_time_unless_its_queue_was_paused_before_or_harbor_is_read_only() {
    let admin = admin_of(NEWEST);
    admin.server().set_job_duration(Duration::from_secs(10));
    admin.put("/jobservice/queues/GARBAGE_COLLECTION", json!({ "action": "pause" })).await;
    let manual = json!({ "schedule": { "type": "Manual" }, "parameters": {} });
    let id = admin.create("/system/gc/schedule", manual).await;
    let path = format!("/system/gc/{id}");
    let status = async || admin.get(&path).await.body["job_status"].as_str().unwrap().to_owned();
    let workers = async || {
        let workers = admin.get("/jobservice/pools/all/workers").await.body;
        let jobs = workers.as_array().unwrap().iter().filter_map(|worker| worker["job_name"].as_str());
        jobs.map(str::to_owned).collect::<Vec<_>>()
    };
    sleep(Duration::from_mins(1)).await;
    assert_eq!((status().await.as_str(), workers().await), ("Running", vec![]));
    admin.put("/jobservice/queues/all", json!({ "action": "resume" })).await;
    sleep(Duration::from_secs(2)).await;
    admin.put("/jobservice/queues/all", json!({ "action": "pause" })).await;
    sleep(Duration::from_secs(4)).await;
    assert_eq!(
        (status().await.as_str(), workers().await),
        ("Running", vec!["GARBAGE_COLLECTION".to_owned()])
    );
    admin.server().set_read_only(true);
    sleep(Duration::from_mins(1)).await;
    assert_eq!(status().await, "Running");
    admin.server().set_read_only(false);
    sleep(Duration::from_secs(4)).await;
    assert_eq!(status().await, "Success");
}

#[tokio::test]
async fn the_health_of_a_component_can_be_set() {
    let admin = admin_of(NEWEST);
    admin.server().set_healthy(Component::Jobservice, false);
    assert_eq!(admin.get("/health").await.body["status"], "unhealthy");
    assert_eq!(admin.get("/projects").await.status, 200);
    assert_eq!(admin.get("/jobservice/queues").await.status, 500);
    admin.server().set_healthy(Component::Jobservice, true);
    assert_eq!(admin.get("/jobservice/queues").await.status, 200);
}

#[tokio::test]
async fn overwritten_settings_cannot_be_changed() {
    let overwrite = BTreeMap::from([("session_timeout".to_owned(), json!(99))]);
    let installation = Installation { configuration_overwrite: Some(overwrite), ..Installation::default() };
    let server = HarborServer::builder(NEWEST, ADMIN_PASSWORD).installation(installation).build();
    let admin = Caller::admin(&server);
    assert_eq!(
        admin.get("/configurations").await.body["session_timeout"],
        json!({ "value": 99, "editable": false })
    );
    assert_eq!(admin.put("/configurations", json!({ "session_timeout": 1 })).await.status, 403);
}

#[tokio::test]
async fn only_components_read_the_internal_configuration() {
    let admin = admin_of(NEWEST);
    admin.configure(json!({ "ldap_search_password": "Secret0123" })).await;
    assert_eq!(admin.get("/internalconfig").await.status, 401);
    let stranger = Caller::anonymous(admin.server());
    let secret = [("authorization", "Harbor-Secret jobservice-secret")];
    let read = stranger.send("GET", "/internalconfig", &secret, "").await;
    assert_eq!(read.body["ldap_search_password"]["value"], "Secret0123");
}
