//! The traps of Harbor's API that a client has to know: each exists here as it does in a real one.

use crate::caller::{ADMIN_PASSWORD, Caller, NEWEST, admin_of};
use harborserver::{HarborServer, Image, Version};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, sleep};

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

fn robot(name: &str, resource: &str, action: &str) -> Value {
    json!({
        "name": name, "level": "system", "duration": -1,
        "permissions": [{
            "kind": "system", "namespace": "/", "access": [{ "resource": resource, "action": action }],
        }],
    })
}

#[tokio::test]
async fn the_parameter_name_finds_parts_of_names_and_q_finds_names() {
    let admin = admin_of(NEWEST);
    for name in ["alpha", "alphabet"] {
        admin.create("/projects", json!({ "project_name": name })).await;
    }
    assert_eq!(names(&admin.get("/projects?name=alpha").await.body), ["alpha", "alphabet"]);
    assert_eq!(names(&admin.get("/projects?q=name%3Dalpha").await.body), ["alpha"]);
    assert_eq!(names(&admin.get("/projects?q=nmae%3Dalpha").await.body), ["alpha", "alphabet", "library"]);
}

#[tokio::test]
async fn a_page_has_ten_rows_unless_told_and_never_more_than_a_hundred() {
    let admin = admin_of(NEWEST);
    for number in 0..104 {
        admin.create("/projects", json!({ "project_name": format!("p{number}") })).await;
    }
    let page = admin.get("/projects").await;
    assert_eq!((page.body.as_array().unwrap().len(), page.header("x-total-count")), (10, "105"));
    assert_eq!(page.header("link"), "</api/v2.0/projects?page=2&page_size=10>; rel=\"next\"");
    assert_eq!(admin.get("/projects?page_size=100&page=2").await.body.as_array().unwrap().len(), 5);
    assert_eq!(admin.get("/projects?page_size=101").await.status, 422);
}

#[tokio::test]
async fn the_secret_of_a_registry_is_shown_as_stars_and_stars_are_taken_for_a_secret() {
    let admin = admin_of(NEWEST);
    admin.server().network().open_to("http://far", "me", "Secret123");
    let credential = json!({ "type": "basic", "access_key": "me", "access_secret": "Secret123" });
    let wanted =
        json!({ "name": "far", "type": "docker-registry", "url": "http://far", "credential": credential });
    let id = admin.create("/registries", wanted).await;
    let path = format!("/registries/{id}");
    assert_eq!(admin.get(&path).await.body["credential"]["access_secret"], "*****");
    assert_eq!(admin.put(&path, json!({ "access_secret": "*****" })).await.status, 400);
    assert_eq!(admin.put(&path, json!({ "description": "new" })).await.status, 200);
}

#[tokio::test]
async fn every_write_of_a_registry_needs_the_registry_to_answer() {
    let admin = admin_of(NEWEST);
    let network = admin.server().network();
    network.open("http://far");
    let id = admin
        .create("/registries", json!({"name": "far", "type": "docker-registry", "url": "http://far"}))
        .await;
    network.close("http://far");
    let refused = admin.put(&format!("/registries/{id}"), json!({ "description": "new" })).await;
    assert_eq!((refused.status, refused.message()), (400, "the registry is unhealthy"));
    let silent = json!({ "name": "other", "type": "harbor", "url": "http://far" });
    assert_eq!(admin.post("/registries", silent).await.status, 500);
    assert_eq!(admin.get(&format!("/registries/{id}")).await.body["status"], "healthy");
}

#[tokio::test]
async fn the_prefix_of_robots_is_not_stored() {
    let admin = admin_of(NEWEST);
    let id = admin.create("/robots", robot("ci", "project", "list")).await;
    let path = format!("/robots/{id}");
    assert_eq!(admin.get(&path).await.body["name"], "robot$ci");
    assert_eq!(names(&admin.get("/robots?q=name%3Dci").await.body), ["robot$ci"]);
    assert_eq!(admin.get("/robots?q=name%3Drobot%24ci").await.body, json!([]));
    admin.configure(json!({ "robot_name_prefix": "bot-" })).await;
    assert_eq!(admin.get(&path).await.body["name"], "bot-ci");
}

#[tokio::test(start_paused = true)]
async fn the_secret_in_a_new_robot_is_ignored_and_the_one_in_a_patch_replaces_the_old_at_once() {
    let admin = admin_of(NEWEST);
    let mut wanted = robot("ci", "project", "list");
    wanted["secret"] = "Abcdefg1".into();
    wanted["disable"] = true.into();
    let created = admin.post("/robots", wanted).await;
    let (path, made) =
        (format!("/robots/{}", created.body["id"]), created.body["secret"].as_str().unwrap().to_owned());
    assert_eq!(admin.get(&path).await.body["disable"], false);
    let statuses = async |secret: &str| admin.authorized("robot$ci", secret).get("/robots").await.status;
    assert_eq!([statuses("Abcdefg1").await, statuses(&made).await], [401, 403]);
    assert_eq!(admin.patch(&path, json!({ "secret": "weak" })).await.status, 400);
    assert_eq!(admin.patch(&path, json!({ "secret": "Abcdefg1" })).await.body, json!({}));
    assert_eq!([statuses("Abcdefg1").await, statuses(&made).await], [403, 401]);
}

#[tokio::test]
async fn metadata_that_is_not_sent_stays() {
    let admin = admin_of(NEWEST);
    let metadata = json!({ "public": "true", "auto_scan": "true" });
    admin.create("/projects", json!({ "project_name": "alpha", "metadata": metadata })).await;
    admin.put("/projects/alpha", json!({ "metadata": { "auto_scan": "false", "nonsense": "1" } })).await;
    assert_eq!(
        admin.get("/projects/alpha").await.body["metadata"],
        json!({ "public": "true", "auto_scan": "false" })
    );
    admin.delete("/projects/alpha/metadatas/auto_scan").await;
    assert_eq!(admin.get("/projects/alpha").await.body["metadata"], json!({ "public": "true" }));
}

#[tokio::test]
async fn the_storage_limit_of_an_update_is_ignored() {
    let admin = admin_of(NEWEST);
    let id = admin.create("/projects", json!({ "project_name": "alpha", "storage_limit": 1000 })).await;
    assert_eq!(admin.put("/projects/alpha", json!({ "storage_limit": 5 })).await.status, 200);
    let quotas = admin.get(&format!("/quotas?reference=project&reference_id={id}")).await.body;
    assert_eq!(quotas[0]["hard"], json!({ "storage": 1000 }));
}

#[tokio::test]
async fn only_deletion_is_read_of_the_two_names_for_it() {
    let admin = admin_of(NEWEST);
    admin.server().network().open("http://far");
    let far = admin
        .create("/registries", json!({"name": "far", "type": "docker-registry", "url": "http://far"}))
        .await;
    let policy = json!({ "name": "out", "dest_registry": { "id": far.parse::<i64>().unwrap() }, "replicate_deletion": true });
    let id = admin.create("/replication/policies", policy).await;
    let shown = admin.get(&format!("/replication/policies/{id}")).await.body;
    assert_eq!(
        (&shown["deletion"], &shown["replicate_deletion"], &shown["enabled"]),
        (&json!(null), &json!(null), &json!(null))
    );
}

#[tokio::test]
async fn what_others_refer_to_cannot_be_deleted() {
    let admin = admin_of(NEWEST);
    admin.server().network().open("http://far");
    let far = admin
        .create("/registries", json!({"name": "far", "type": "docker-registry", "url": "http://far"}))
        .await;
    let proxy = json!({ "project_name": "proxy", "registry_id": far.parse::<i64>().unwrap() });
    admin.create("/projects", proxy).await;
    assert_eq!(admin.delete(&format!("/registries/{far}")).await.status, 412);
    admin.server().push(&Image::new("library/app", "v1"), "admin").unwrap();
    assert_eq!(admin.delete("/projects/library").await.status, 412);
    assert_eq!(admin.get("/system/scanAll/schedule").await.status, 412);
}

#[tokio::test]
async fn read_only_refuses_everything_but_reading_and_settings() {
    let admin = admin_of(NEWEST);
    admin.configure(json!({ "read_only": true })).await;
    assert_eq!(admin.get("/systeminfo").await.body["read_only"], true);
    for (path, body) in
        [("/projects", json!({"project_name": "a"})), ("/ldap/ping", json!({})), ("/nonsense", json!({}))]
    {
        let refused = admin.post(path, body).await;
        assert_eq!((refused.status, &refused.body["errors"][0]["code"]), (403, &json!("DENIED")), "{path}");
    }
    admin.configure(json!({ "read_only": false })).await;
    admin.create("/projects", json!({ "project_name": "a" })).await;
}

#[tokio::test(start_paused = true)]
async fn a_setting_can_be_believed_late() {
    let admin = admin_of(NEWEST);
    admin.server().set_configuration_lag(Duration::from_mins(1));
    admin.configure(json!({ "read_only": true })).await;
    assert_eq!(admin.get("/systeminfo").await.body["read_only"], false);
    admin.create("/projects", json!({ "project_name": "meanwhile" })).await;
    sleep(Duration::from_secs(61)).await;
    assert_eq!(admin.get("/systeminfo").await.body["read_only"], true);
    assert_eq!(admin.post("/projects", json!({ "project_name": "late" })).await.status, 403);
}

#[tokio::test]
async fn a_schedule_shows_a_part_of_its_parameters() {
    let parameters = json!({ "delete_untagged": true, "dry_run": true, "workers": 2, "delete_tag": true });
    let schedule =
        json!({ "schedule": { "type": "Daily", "cron": "0 0 0 * * *" }, "parameters": parameters });
    for (version, shown) in [
        (Version::new(5, 6), r#"{"delete_untagged":true}"#),
        (Version::new(9, 5), r#"{"delete_untagged":true,"workers":2}"#),
        (NEWEST, r#"{"delete_tag":true,"delete_untagged":true,"workers":2}"#),
    ] {
        let admin = admin_of(version);
        admin.put("/system/gc/schedule", schedule.clone()).await;
        assert_eq!(admin.get("/system/gc/schedule").await.body["job_parameters"], shown, "{version}");
    }
}

#[tokio::test]
async fn an_update_of_an_immutable_rule_flips_it_or_changes_it_but_never_both() {
    let admin = admin_of(NEWEST);
    let rule = |pattern: &str, more: Value| {
        let selector = |decoration: &str, pattern: &str| json!([{ "kind": "doublestar", "decoration": decoration, "pattern": pattern }]);
        let mut rule = json!({
            "action": "immutable", "template": "immutable_template",
            "tag_selectors": selector("matches", pattern),
            "scope_selectors": { "repository": selector("repoMatches", "**") },
        });
        rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        rule
    };
    let path = "/projects/library/immutabletagrules";
    admin.create(path, rule("v*", json!({ "disabled": true }))).await;
    let shown = async || {
        let list = admin.get(path).await.body;
        (list[0]["disabled"].as_bool(), list[0]["tag_selectors"][0]["pattern"].as_str().unwrap().to_owned())
    };
    assert_eq!(shown().await, (None, "v*".to_owned()), "a new rule is enabled");
    admin.put(&format!("{path}/1"), rule("x*", json!({ "id": 1, "disabled": true }))).await;
    assert_eq!(shown().await, (Some(true), "v*".to_owned()));
    admin.put(&format!("{path}/1"), rule("x*", json!({ "id": 1, "disabled": true }))).await;
    assert_eq!(shown().await, (Some(true), "x*".to_owned()));
}

#[tokio::test]
async fn without_a_database_good_credentials_are_refused_and_health_tells_why() {
    let admin = admin_of(NEWEST);
    admin.server().set_database_up(false);
    assert_eq!(admin.get("/projects").await.status, 401);
    assert_eq!(admin.get("/ping").await.body, "Pong");
    let health = admin.get("/health").await;
    assert_eq!((health.status, &health.body["status"]), (200, &json!("unhealthy")));
    assert_eq!(health.body["components"][1]["status"], "unhealthy");
    admin.server().set_database_up(true);
    assert_eq!(admin.get("/projects").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_password_takes_a_moment_and_locks_its_user_out_meanwhile() {
    let server = HarborServer::new(NEWEST, ADMIN_PASSWORD);
    let admin = Caller::admin(&server);
    let wrong = admin.authorized("admin", "Wrong12345");
    let started = Instant::now();
    let (refused, locked_out) = tokio::join!(wrong.get("/users/current"), async {
        sleep(Duration::from_millis(100)).await;
        let answer = admin.get("/users/current").await;
        (answer.status, started.elapsed())
    });
    assert_eq!((refused.status, started.elapsed()), (401, Duration::from_millis(1500)));
    assert_eq!(locked_out, (401, Duration::from_millis(100)), "the right password does not help");
    assert_eq!(admin.get("/users/current").await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_wrong_secret_does_not_lock_a_robot_out() {
    let admin = admin_of(NEWEST);
    let created = admin.post("/robots", robot("ci", "project", "list")).await;
    let right = admin.authorized("robot$ci", created.body["secret"].as_str().unwrap());
    let wrong = admin.authorized("robot$ci", "Wrong12345");
    let (refused, taken) = tokio::join!(wrong.get("/statistics"), async {
        sleep(Duration::from_millis(100)).await;
        right.get("/projects").await.status
    });
    assert_eq!((refused.status, taken), (401, 200));
}

#[tokio::test]
async fn a_session_cookie_asks_for_a_token_whatever_the_credentials_are() {
    let admin = admin_of(NEWEST);
    let body = json!({ "project_name": "a" }).to_string();
    let refused = admin.send("POST", "/projects", &[("cookie", "sid=any")], &body).await;
    assert_eq!((refused.status, refused.message()), (403, "CSRF token invalid"));
    let token = refused.header("x-harbor-csrf-token").to_owned();
    let cookie = format!("sid=any; _gorilla_csrf={token}");
    let headers = [("cookie", cookie.as_str()), ("x-harbor-csrf-token", token.as_str())];
    assert_eq!(admin.send("POST", "/projects", &headers, &body).await.status, 201);
}

#[tokio::test]
async fn a_member_with_an_unknown_role_vanishes_but_stays() {
    let admin = admin_of(NEWEST);
    let user =
        json!({"username": "dora", "email": "d@example.org", "realname": "D", "password": "Passw0rd1"});
    admin.create("/users", user).await;
    let member = json!({ "role_id": 2, "member_user": { "username": "dora" } });
    let id = admin.create("/projects/library/members", member.clone()).await;
    let path = format!("/projects/library/members/{id}");
    assert_eq!(admin.put(&path, json!({ "role_id": 9 })).await.status, 200);
    assert_eq!(admin.get(&path).await.status, 404);
    assert_eq!(admin.post("/projects/library/members", member).await.status, 409);
}

#[tokio::test]
async fn the_first_user_freezes_the_way_of_authentication() {
    let admin = admin_of(NEWEST);
    let user =
        json!({"username": "dora", "email": "d@example.org", "realname": "D", "password": "Passw0rd1"});
    let id = admin.create("/users", user).await;
    assert_eq!(admin.put("/configurations", json!({ "auth_mode": "oidc_auth" })).await.status, 400);
    assert_eq!(admin.get("/configurations").await.body["auth_mode"]["editable"], false);
    admin.delete(&format!("/users/{id}")).await;
    admin.configure(json!({ "auth_mode": "oidc_auth" })).await;
}

#[tokio::test]
async fn a_robot_keeps_its_project_permissions_beside_system_ones_since_2_10() {
    for (version, status) in [(Version::new(9, 5), 403), (NEWEST, 200)] {
        let admin = admin_of(version);
        let mut wanted = robot("both", "project", "list");
        let access = json!([{ "resource": "project", "action": "read" }]);
        let project = json!({ "kind": "project", "namespace": "*", "access": access });
        wanted["permissions"].as_array_mut().unwrap().push(project);
        admin.create("/projects", json!({ "project_name": "alpha" })).await;
        let secret = admin.post("/robots", wanted).await.body["secret"].as_str().unwrap().to_owned();
        assert_eq!(
            admin.authorized("robot$both", &secret).get("/projects/alpha").await.status,
            status,
            "{version}"
        );
    }
}
