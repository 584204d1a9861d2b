//! HarborProjectMember.

use crate::world::{INTERVAL, World, settled};
use api::v1beta1::{HarborProject, HarborProjectMember};
use harborserver::Version;
use serde_json::{Value, json};
use std::{sync::atomic::Ordering, time::Duration};

fn member(name: &str, changes: Value) -> Value {
    let mut spec = json!({
        "harborServerConfig": "acme", "projectName": "alpha", "name": name, "type": "user", "role": "developer",
    });
    json_patch::merge(&mut spec, &changes);
    json!({"kind": "HarborProjectMember", "metadata": {"name": name}, "spec": spec})
}

/// A Harbor with the project `alpha` and the users anna and bert.
async fn with_alpha(version: Version) -> World {
    let world = World::with_version(version).await;
    world.ask("POST", "/projects", json!({"project_name": "alpha"})).await;
    for name in ["anna", "bert"] {
        let user = json!({
            "username": name, "email": format!("{name}@example.com"), "realname": name, "password": "Harbor12345",
        });
        world.ask("POST", "/users", user).await;
    }
    world
}

async fn newest() -> World {
    with_alpha(Version::new(15, 2)).await
}

/// The members of `alpha` but its creator, with their roles.
async fn members(world: &World) -> Vec<(String, String)> {
    let members = world.ask("GET", "/projects/alpha/members", Value::Null).await;
    let text = |member: &Value, field: &str| member[field].as_str().unwrap_or_default().to_owned();
    let members = members.as_array().unwrap().iter();
    let members = members.map(|member| (text(member, "entity_name"), text(member, "role_name")));
    members.filter(|(name, _)| name != "admin").collect()
}

fn listed(members: &[(&str, &str)]) -> Vec<(String, String)> {
    members.iter().map(|(name, role)| ((*name).to_owned(), (*role).to_owned())).collect()
}

#[tokio::test(start_paused = true)]
async fn a_member_is_added_with_few_requests_and_others_are_left_alone() {
    for version in [Version::new(5, 6), Version::new(9, 5), Version::new(15, 2)] {
        let world = with_alpha(version).await;
        let bert = json!({"role_id": 3, "member_user": {"username": "bert"}});
        world.ask("POST", "/projects/alpha/members", bert).await;
        settled().await;
        world.take_calls();
        world.create(member("anna", json!({}))).await;
        world.until_reason::<HarborProjectMember>("anna", "Ready").await;
        let calls = world.take_calls();
        assert!(calls.len() <= 8, "{version}: {calls:#?}");
        assert_eq!(members(&world).await, listed(&[("anna", "developer"), ("bert", "guest")]), "{version}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_role_changes_within_a_second_and_drift_is_repaired_within_the_interval() {
    let world = newest().await;
    world.create(member("anna", json!({}))).await;
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
    world.merge::<HarborProjectMember>("anna", json!({"spec": {"role": "limitedGuest"}})).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(members(&world).await, listed(&[("anna", "limitedGuest")]));

    settled().await;
    let shown = world.ask("GET", "/projects/alpha/members?entityname=anna", Value::Null).await;
    let path = format!("/projects/alpha/members/{}", shown[0]["id"]);
    world.ask("PUT", &path, json!({"role_id": 1})).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    assert_eq!(members(&world).await, listed(&[("anna", "limitedGuest")]));
    world.ask("DELETE", &path, Value::Null).await;
    tokio::time::sleep(INTERVAL * 6 / 5 + Duration::from_secs(2)).await;
    assert_eq!(members(&world).await, listed(&[("anna", "limitedGuest")]));

    settled().await;
    world.take_calls();
    tokio::time::sleep(INTERVAL * 3).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn deletion_removes_the_member_unless_it_is_retained() {
    let world = newest().await;
    world.create(member("anna", json!({}))).await;
    world.create(member("bert", json!({"deletionPolicy": "Retain"}))).await;
    for name in ["anna", "bert"] {
        world.until_reason::<HarborProjectMember>(name, "Ready").await;
        world.delete::<HarborProjectMember>(name).await;
        world.until_gone::<HarborProjectMember>(name).await;
    }
    assert_eq!(members(&world).await, listed(&[("bert", "developer")]));
}

#[tokio::test(start_paused = true)]
async fn a_member_that_exists_is_adopted_only_if_the_policy_says_so() {
    let world = newest().await;
    let anna = json!({"role_id": 3, "member_user": {"username": "anna"}});
    world.ask("POST", "/projects/alpha/members", anna).await;
    world.create(member("anna", json!({}))).await;
    let message = world.until_reason::<HarborProjectMember>("anna", "AlreadyExists").await;
    assert!(message.contains("spec.creationPolicy"), "{message}");
    assert_eq!(members(&world).await, listed(&[("anna", "guest")]));
    world.merge::<HarborProjectMember>("anna", json!({"spec": {"creationPolicy": "CreateOrAdopt"}})).await;
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
    assert_eq!(members(&world).await, listed(&[("anna", "developer")]));
    world.delete::<HarborProjectMember>("anna").await;
    world.until_gone::<HarborProjectMember>("anna").await;
    assert_eq!(members(&world).await, listed(&[("anna", "developer")]));
}

#[tokio::test(start_paused = true)]
async fn two_objects_for_one_member_do_not_fight() {
    let world = newest().await;
    world.create(member("anna", json!({}))).await;
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
    let mut second = member("anna", json!({"role": "guest", "creationPolicy": "CreateOrAdopt"}));
    second["metadata"]["name"] = "other".into();
    world.create(second).await;
    let message = world.until_reason::<HarborProjectMember>("other", "Conflict").await;
    assert!(message.contains("HarborProjectMember default/anna"), "{message}");
    assert_eq!(members(&world).await, listed(&[("anna", "developer")]));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_and_a_harbor_that_is_down_for_a_while_lose_nothing() {
    let world = newest().await;
    world.lost_answers.store(1, Ordering::SeqCst);
    world.create(member("anna", json!({}))).await;
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
    let posts = world.take_writes().into_iter().filter(|it| it == "POST /projects/alpha/members").count();
    assert_eq!(posts, 1);
    world.is_down.store(true, Ordering::SeqCst);
    world.merge::<HarborProjectMember>("anna", json!({"spec": {"role": "guest"}})).await;
    world.until_reason::<HarborProjectMember>("anna", "ExternalUnreachable").await;
    world.is_down.store(false, Ordering::SeqCst);
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
    assert_eq!(members(&world).await, listed(&[("anna", "guest")]));
}

#[tokio::test(start_paused = true)]
async fn a_group_is_a_member_by_its_type_and_not_the_user_of_its_name() {
    let world = newest().await;
    world.ask("POST", "/usergroups", json!({"group_name": "anna", "group_type": 3})).await;
    let mut group = member("anna", json!({"type": "group", "groupType": "oidc", "role": "guest"}));
    group["metadata"]["name"] = "group".into();
    world.create(group).await;
    world.create(member("anna", json!({}))).await;
    for name in ["group", "anna"] {
        world.until_reason::<HarborProjectMember>(name, "Ready").await;
    }
    let mut found = members(&world).await;
    found.sort();
    assert_eq!(found, listed(&[("anna", "developer"), ("anna", "guest")]));
}

#[tokio::test(start_paused = true)]
async fn a_user_or_a_project_that_does_not_exist_is_named() {
    let world = newest().await;
    world.create(member("carl", json!({}))).await;
    let message = world.until_reason::<HarborProjectMember>("carl", "ExternalInUse").await;
    assert!(message.contains("carl"), "{message}");
    world.create(member("anna", json!({"projectName": "beta"}))).await;
    let message = world.until_reason::<HarborProjectMember>("anna", "ChildrenNotReady").await;
    assert!(message.contains("correct spec.projectName"), "{message}");
    world.ask("POST", "/projects", json!({"project_name": "beta"})).await;
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_is_refused_with_a_remedy() {
    let world = newest().await;
    world.create(member("dev", json!({"type": "group"}))).await;
    let message = world.until_reason::<HarborProjectMember>("dev", "InvalidSpec").await;
    assert_eq!(
        message,
        "spec.groupType: is required, because users of this Harbor log in with db_auth, which has no groups; set it to \
         ldap, http or oidc"
    );

    let project = json!({
        "kind": "HarborProject", "metadata": {"name": "listed"},
        "spec": {"harborServerConfig": "acme", "projectName": "listed", "memberships": []},
    });
    world.create(project).await;
    world.until_reason::<HarborProject>("listed", "Ready").await;
    world.create(member("anna", json!({"projectName": null, "projectRef": "listed"}))).await;
    let message = world.until_reason::<HarborProjectMember>("anna", "InvalidSpec").await;
    assert_eq!(
        message,
        "spec.projectRef: HarborProject listed lists all members of the project; add the member to its \
         spec.memberships, or remove that field"
    );
    world.merge::<HarborProject>("listed", json!({"spec": {"memberships": null}})).await;
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
}

/// The HarborProject `alpha` with this list of members.
fn project(memberships: Value) -> Value {
    json!({
        "kind": "HarborProject", "metadata": {"name": "alpha"},
        "spec": {
            "harborServerConfig": "acme", "projectName": "alpha", "creationPolicy": "CreateOrAdopt",
            "memberships": memberships,
        },
    })
}

#[tokio::test(start_paused = true)]
async fn a_list_of_members_wins_over_an_object_for_one_of_them_and_the_two_do_not_fight() {
    let world = newest().await;
    world.create(member("anna", json!({}))).await;
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
    let bert = json!({"type": "user", "name": "bert", "role": "guest"});
    world.create(project(json!([bert]))).await;
    world.until_reason::<HarborProject>("alpha", "Ready").await;
    let message = world.until_reason::<HarborProjectMember>("anna", "Conflict").await;
    assert_eq!(
        message,
        "member acme/alpha/user:anna is a part of members acme/alpha, which HarborProject default/alpha manages as a \
         whole; add the member to its spec.memberships, or remove that field"
    );
    assert_eq!(members(&world).await, listed(&[("bert", "guest")]));
    settled().await;
    world.take_writes();
    tokio::time::sleep(INTERVAL * 4).await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    world.until_reason::<HarborProject>("alpha", "Ready").await;

    world.merge::<HarborProject>("alpha", json!({"spec": {"memberships": null}})).await;
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
    assert_eq!(members(&world).await, listed(&[("anna", "developer"), ("bert", "guest")]));
}

#[tokio::test(start_paused = true)]
async fn deleting_an_object_for_a_member_that_is_listed_elsewhere_leaves_the_member() {
    let world = newest().await;
    world.create(member("anna", json!({}))).await;
    world.until_reason::<HarborProjectMember>("anna", "Ready").await;
    world.create(project(json!([{"type": "user", "name": "anna", "role": "developer"}]))).await;
    settled().await;
    world.until_reason::<HarborProjectMember>("anna", "Conflict").await;
    settled().await;
    world.take_writes();
    world.delete::<HarborProjectMember>("anna").await;
    world.until_gone::<HarborProjectMember>("anna").await;
    assert_eq!(world.take_writes(), Vec::<String>::new());
    assert_eq!(members(&world).await, listed(&[("anna", "developer")]));
}
