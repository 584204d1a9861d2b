//! HarborProject.

use crate::world::{INTERVAL, PASSWORD, World, settled};
use api::v1beta1::HarborProject;
use harborserver::{Image, Version};
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

fn project(name: &str, spec: Value) -> Value {
    let mut spec = spec;
    spec["projectName"] = name.into();
    spec["harborServerConfig"] = "acme".into();
    json!({"kind": "HarborProject", "metadata": {"name": name}, "spec": spec})
}

async fn shown(world: &World, name: &str) -> Value {
    world.ask("GET", &format!("/projects/{name}"), Value::Null).await
}

#[tokio::test(start_paused = true)]
async fn a_project_is_created_with_few_requests_and_its_status_has_the_old_fields() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = World::with_version(version).await;
        settled().await;
        world.take_calls();
        world.create(project("alpha", json!({"storageQuota": "10Gi", "metadata": {"public": true}}))).await;
        world.until_reason::<HarborProject>("alpha", "Ready").await;
        let calls = world.take_calls();
        assert!(calls.len() <= 8, "{version}: {calls:?}");
        assert_eq!(shown(&world, "alpha").await["metadata"]["public"], "true");
        let status = world.get::<HarborProject>("alpha").await["status"].take();
        assert_eq!(status["status"], "Success");
        assert!(status["projectID"].is_i64() && status["quotaID"].is_i64(), "{status}");
        assert!(status["lastApplyTime"].is_string(), "{status}");
    }
}

/// Creates five users.
async fn with_users(world: &World) -> Vec<Value> {
    let names = ["anna", "ben", "cleo", "dora", "emil"];
    for name in names {
        let user = json!({
            "username": name, "email": format!("{name}@example.com"), "realname": name, "password": "Harbor12345",
        });
        world.ask("POST", "/users", user).await;
    }
    names.map(|name| json!({"name": name, "type": "user", "role": "developer"})).into()
}

async fn members_of(world: &World, project: &str) -> Vec<(String, String)> {
    let members = world.ask("GET", &format!("/projects/{project}/members"), Value::Null).await;
    let text = |member: &Value, field: &str| member[field].as_str().unwrap().to_owned();
    let members = members.as_array().unwrap().iter();
    members.map(|member| (text(member, "entity_name"), text(member, "role_name"))).collect()
}

#[tokio::test(start_paused = true)]
async fn a_project_with_members_takes_seven_requests_and_one_for_each_member() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = World::with_version(version).await;
        let members = with_users(&world).await;
        settled().await;
        world.take_calls();
        world.create(project("alpha", json!({"storageQuota": "10Gi", "memberships": members}))).await;
        world.until_reason::<HarborProject>("alpha", "Ready").await;
        settled().await;
        let expected = [
            "GET /projects",
            "GET /users/current",
            "GET /quotas",
            "POST /projects",
            "GET /projects",
            "GET /quotas",
            "GET /projects/alpha/members",
            "POST /projects/alpha/members",
            "POST /projects/alpha/members",
            "POST /projects/alpha/members",
            "POST /projects/alpha/members",
            "POST /projects/alpha/members",
        ];
        assert_eq!(world.take_calls(), expected, "{version}");
        let mut shown = members_of(&world, "alpha").await;
        shown.sort();
        let names =
            ["anna", "ben", "cleo", "dora", "emil"].map(|name| (name.to_owned(), "developer".to_owned()));
        let expected: Vec<_> =
            [("admin".to_owned(), "projectAdmin".to_owned())].into_iter().chain(names).collect();
        assert_eq!(shown, expected, "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_object_arrives_within_a_second_and_drift_is_repaired_within_the_interval() {
    let world = World::new().await;
    world.create(project("alpha", json!({"storageQuota": "10Gi"}))).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    world
        .merge::<HarborProject>(
            "alpha",
            json!({"spec": {"storageQuota": "unlimited", "metadata": {"autoScan": true}}}),
        )
        .await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let quota = async || {
        world.ask("GET", "/quotas?reference=project", Value::Null).await[0]["hard"]["storage"].clone()
    };
    assert_eq!(quota().await, -1);
    assert_eq!(shown(&world, "alpha").await["metadata"]["auto_scan"], "true");

    settled().await;
    world.ask("PUT", "/projects/alpha", json!({"metadata": {"auto_scan": "false"}})).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    assert_eq!(shown(&world, "alpha").await["metadata"]["auto_scan"], "true");
}

#[tokio::test(start_paused = true)]
async fn a_new_value_of_reconcile_at_compares_the_object_within_a_second() {
    let world = World::new().await;
    world.create(project("alpha", json!({}))).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    for value in ["1", "2"] {
        settled().await;
        world.ask("PUT", "/projects/alpha", json!({"metadata": {"auto_scan": "true"}})).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(shown(&world, "alpha").await["metadata"]["auto_scan"], "true");
        let request = json!({"metadata": {"annotations": {"goharbor.io/reconcile-at": value}}});
        world.merge::<HarborProject>("alpha", request).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(shown(&world, "alpha").await["metadata"]["auto_scan"], "false");
    }
    settled().await;
    world.take_calls();
    world.merge::<HarborProject>("alpha", json!({"metadata": {"annotations": {"other": "1"}}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(world.take_calls(), Vec::<String>::new(), "another annotation asks for nothing");
}

#[tokio::test(start_paused = true)]
async fn an_unchanged_project_costs_lists_only_and_no_request_to_the_cluster() {
    let world = World::new().await;
    world.create(project("alpha", json!({"memberships": []}))).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    settled().await;
    world.take_calls();
    world.take_requests();
    tokio::time::sleep(INTERVAL * 5).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    let sent: Vec<_> = world.take_requests().into_iter().filter(|it| !it.starts_with("GET")).collect();
    assert_eq!(sent, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn deletion_removes_what_was_created_and_keeps_what_is_retained() {
    let world = World::new().await;
    world.create(project("alpha", json!({}))).await;
    world.create(project("beta", json!({"deletionPolicy": "Orphan"}))).await;
    for name in ["alpha", "beta"] {
        world.until_reason::<HarborProject>(name, "Ready").await;
    }
    for name in ["alpha", "beta"] {
        world.delete::<HarborProject>(name).await;
        world.until_gone::<HarborProject>(name).await;
    }
    let names = world.ask("GET", "/projects", Value::Null).await;
    let names: Vec<_> = names.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["beta", "library"]);
}

#[tokio::test(start_paused = true)]
async fn a_project_with_repositories_is_deleted_when_they_are_gone() {
    let world = World::new().await;
    world.create(project("alpha", json!({}))).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    for repository in ["alpha/api", "alpha/tools/lint"] {
        world.harbor.push(&Image::new(repository, "v1"), "admin").unwrap();
    }
    world.delete::<HarborProject>("alpha").await;
    let message = world.until_reason::<HarborProject>("alpha", "NotEmpty").await;
    assert!(message.contains("the project has 2 repositories; delete them in Harbor"), "{message}");
    for repository in ["api", "tools%252Flint"] {
        world.ask("DELETE", &format!("/projects/alpha/repositories/{repository}"), Value::Null).await;
    }
    world.until_gone::<HarborProject>("alpha").await;
    assert_eq!(world.status_for("admin", PASSWORD, "/projects/alpha").await, 404);
}

#[tokio::test(start_paused = true)]
async fn with_force_destroy_the_repositories_are_deleted_first_even_if_their_tags_are_immutable() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = World::with_version(version).await;
        world.create(project("alpha", json!({"immutableTagRules": [{"tags": {"matches": "v*"}}]}))).await;
        world.until_reason::<HarborProject>("alpha", "Ready").await;
        for repository in ["alpha/api", "alpha/tools/lint"] {
            world.harbor.push(&Image::new(repository, "v1"), "admin").unwrap();
        }
        world.harbor.push(&Image::new("library/other", "v1"), "admin").unwrap();
        world.merge::<HarborProject>("alpha", json!({"spec": {"forceDestroy": true}})).await;
        world.until_reason::<HarborProject>("alpha", "Ready").await;
        settled().await;
        world.delete::<HarborProject>("alpha").await;
        world.until_gone::<HarborProject>("alpha").await;
        let projects = world.ask("GET", "/projects", Value::Null).await;
        assert_eq!(
            (projects.as_array().unwrap().len(), &projects[0]["name"]),
            (1, &json!("library")),
            "{version}"
        );
        let left = world.ask("GET", "/projects/library/repositories", Value::Null).await;
        assert_eq!(left[0]["name"], "library/other", "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn force_destroy_has_no_effect_on_an_adopted_project_or_on_one_that_is_retained() {
    let world = World::new().await;
    world.ask("POST", "/projects", json!({"project_name": "adopted"})).await;
    world.create(project("adopted", json!({"forceDestroy": true}))).await;
    world.create(project("kept", json!({"forceDestroy": true, "deletionPolicy": "Retain"}))).await;
    for name in ["adopted", "kept"] {
        world.until_reason::<HarborProject>(name, "Ready").await;
        world.harbor.push(&Image::new(&format!("{name}/api"), "v1"), "admin").unwrap();
        world.delete::<HarborProject>(name).await;
        world.until_gone::<HarborProject>(name).await;
        let left = world.ask("GET", &format!("/projects/{name}/repositories"), Value::Null).await;
        assert_eq!(left[0]["name"], format!("{name}/api"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_project_that_exists_is_adopted_unless_the_policy_says_otherwise_and_is_not_deleted() {
    let world = World::new().await;
    world.ask("POST", "/projects", json!({"project_name": "alpha"})).await;
    world.create(project("alpha", json!({"creationPolicy": "Create", "metadata": {"public": true}}))).await;
    let message = world.until_reason::<HarborProject>("alpha", "AlreadyExists").await;
    assert!(message.contains("spec.creationPolicy"), "{message}");
    assert_eq!(shown(&world, "alpha").await["metadata"]["public"], "false");
    world.merge::<HarborProject>("alpha", json!({"spec": {"creationPolicy": "CreateOrAdopt"}})).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    assert_eq!(shown(&world, "alpha").await["metadata"]["public"], "true");
    world.delete::<HarborProject>("alpha").await;
    world.until_gone::<HarborProject>("alpha").await;
    assert_eq!(shown(&world, "alpha").await["name"], "alpha");
}

#[tokio::test(start_paused = true)]
async fn two_objects_for_one_project_do_not_fight() {
    let world = World::new().await;
    world.create(project("alpha", json!({}))).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    let mut second = project("alpha", json!({"metadata": {"public": true}}));
    second["metadata"]["name"] = "other".into();
    world.create(second).await;
    let message = world.until_reason::<HarborProject>("other", "Conflict").await;
    assert!(message.contains("HarborProject default/alpha"), "{message}");
    assert_eq!(shown(&world, "alpha").await["metadata"]["public"], "false");
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_a_restart_and_a_harbor_that_is_down_for_a_while_lose_nothing() {
    let mut world = World::new().await;
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(project("alpha", json!({}))).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    let posts = world.take_writes().into_iter().filter(|it| it == "POST /projects").count();
    assert_eq!(posts, 1, "the project is not created twice");

    world.is_down.store(true, Ordering::SeqCst);
    world.merge::<HarborProject>("alpha", json!({"spec": {"metadata": {"public": true}}})).await;
    world.until_reason::<HarborProject>("alpha", "ExternalUnreachable").await;
    world.restart().await;
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    assert_eq!(shown(&world, "alpha").await["metadata"]["public"], "true");
}

#[tokio::test(start_paused = true)]
async fn a_harbor_that_is_read_only_is_waited_for() {
    let world = World::new().await;
    world.create(project("alpha", json!({}))).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    world.harbor.set_read_only(true);
    world.merge::<HarborProject>("alpha", json!({"spec": {"metadata": {"public": true}}})).await;
    settled().await;
    let status = world.get::<HarborProject>("alpha").await["status"].take();
    assert!(!status["conditions"].to_string().contains("\"Stalled\",\"status\":\"True\""), "{status:#}");
    world.harbor.set_read_only(false);
    tokio::time::sleep(INTERVAL * 2).await;
    assert_eq!(shown(&world, "alpha").await["metadata"]["public"], "true");
}

#[tokio::test(start_paused = true)]
async fn the_reason_in_the_status_is_the_word_of_the_old_operator() {
    let world = World::new().await;
    settled().await;
    let reason = async || world.get::<HarborProject>("alpha").await["status"]["reason"].take();
    world.is_down.store(true, Ordering::SeqCst);
    tokio::time::sleep(INTERVAL * 2).await;
    world.create(project("alpha", json!({}))).await;
    world.until_reason::<HarborProject>("alpha", "ExternalUnreachable").await;
    assert_eq!(reason().await, "HarborClientError");
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    assert_eq!(reason().await, Value::Null);

    let carl = json!([{"type": "user", "name": "carl", "role": "guest"}]);
    world.merge::<HarborProject>("alpha", json!({"spec": {"memberships": carl}})).await;
    world.until_reason::<HarborProject>("alpha", "ExternalInUse").await;
    assert_eq!(reason().await, "UpdateProjectMembersError");
    world
        .merge::<HarborProject>("alpha", json!({"spec": {"memberships": null, "storageQuota": "2000Ti"}}))
        .await;
    world.until_reason::<HarborProject>("alpha", "InvalidSpec").await;
    assert_eq!(reason().await, "UpdateProjectQuotaError");
}
