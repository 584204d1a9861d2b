//! What HarborConfiguration refuses, and with which words.

use crate::world::{INTERVAL, PASSWORD, World};
use api::v1beta1::HarborConfiguration;
use harborserver::{HarborServer, Installation, Version};
use serde_json::{Value, json};

async fn refusal(world: &World, name: &str, spec: Value) -> String {
    create(world, name, spec).await;
    world.until_reason::<HarborConfiguration>(name, "InvalidSpec").await
}

async fn create(world: &World, name: &str, spec: Value) {
    let mut spec = spec;
    spec["harborServerConfig"] = "acme".into();
    let object = json!({"kind": "HarborConfiguration", "metadata": {"name": name}, "spec": spec});
    world.create(object).await;
}

async fn refusals(version: Version, cases: &[(Value, &str)]) {
    let world = World::with_version(version).await;
    for (index, (spec, expected)) in cases.iter().enumerate() {
        let message = refusal(&world, &format!("main-{index}"), spec.clone()).await;
        assert_eq!(message, *expected);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_version_does_not_have_is_refused_with_the_field() {
    let purge = json!({"schedule": {"type": "Daily"}, "retentionHours": 1, "operations": ["pull"]});
    let events = json!({"schedule": {"type": "Daily"}, "retentionHours": 1, "eventTypes": ["pull_artifact"]});
    let garbage = |field: &str, value: Value| {
        let daily = json!({"schedule": {"type": "Daily"}, field: value});
        json!({"schedules": {"garbageCollection": daily}})
    };
    let old = [
        (
            json!({"configuration": {"sessionTimeout": 9, "oidcLogout": true}}),
            "spec.configuration.oidcLogout: Harbor 2.5.6 does not have it; remove it, or upgrade the Harbor, \
             spec.configuration.sessionTimeout: Harbor 2.5.6 does not have it; remove it, or upgrade the Harbor",
        ),
        (
            json!({"schedules": {"auditPurge": purge}}),
            "spec.schedules.auditPurge: Harbor 2.5.6 does not have it; remove it, or upgrade the Harbor",
        ),
        (
            garbage("workers", 2.into()),
            "spec.schedules.garbageCollection.workers: Harbor 2.5.6 does not have it; remove it, or upgrade the \
             Harbor",
        ),
    ];
    refusals(Version::new(5, 6), &old).await;
    let middle = [
        (
            garbage("workers", 6.into()),
            "spec.schedules.garbageCollection.workers: Harbor 2.9.5 accepts 1 to 5; lower it, or upgrade the Harbor",
        ),
        (
            garbage("deleteTag", true.into()),
            "spec.schedules.garbageCollection.deleteTag: Harbor 2.9.5 does not have it; remove it, or upgrade the \
             Harbor",
        ),
        (
            json!({"schedules": {"auditPurge": events}}),
            "spec.schedules.auditPurge.operations: Harbor 2.9.5 needs it; add it, such as [pull]",
        ),
    ];
    refusals(Version::new(9, 5), &middle).await;
    let new = [(
        json!({"schedules": {"auditPurge": purge}}),
        "spec.schedules.auditPurge.eventTypes: Harbor 2.15.2 needs it; add it, such as [pull_artifact]",
    )];
    refusals(Version::new(15, 2), &new).await;
}

#[tokio::test(start_paused = true)]
async fn values_that_harbor_would_refuse_or_break_with_are_refused_with_the_field() {
    let cases = [
        (
            json!({"configuration": {"tokenExpiration": 0}}),
            "spec.configuration.tokenExpiration: must be 1 to 9999999999; correct it",
        ),
        (
            json!({"configuration": {"authMode": "none"}}),
            "spec.configuration.authMode: must be one of db_auth, ldap_auth, uaa_auth, http_auth, oidc_auth; \
             correct it",
        ),
        (
            json!({"configuration": {"ldapUrl": ""}}),
            "spec.configuration.ldapUrl: must not be empty; correct it",
        ),
    ];
    for version in [Version::new(5, 6), Version::new(15, 2)] {
        refusals(version, &cases).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_authentication_mode_cannot_change_once_there_are_users() {
    let world = World::new().await;
    let user =
        json!({"username": "jane", "email": "jane@example.com", "realname": "Jane", "password": "Jane12345"});
    world.ask("POST", "/users", user).await;
    tokio::time::sleep(INTERVAL * 2).await;
    let message = refusal(&world, "main", json!({"configuration": {"authMode": "oidc_auth"}})).await;
    assert_eq!(
        message,
        "spec.configuration.authMode: Harbor has other users than admin, so its authentication mode db_auth cannot \
         change; delete these users in Harbor, or write db_auth"
    );
    world
        .merge::<HarborConfiguration>("main", json!({"spec": {"configuration": {"authMode": "db_auth"}}}))
        .await;
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn settings_that_the_environment_of_core_overwrites_are_refused_and_schedules_are_not() {
    let version = Version::new(15, 2);
    let mut world = World::without_operator(version).await;
    let installation = Installation { configuration_overwrite: Some([].into()), ..Installation::default() };
    world.harbor = HarborServer::builder(version, PASSWORD).installation(installation).build();
    world.start();
    create(&world, "main", json!({"configuration": {"tokenExpiration": 45}})).await;
    let message = world.until_reason::<HarborConfiguration>("main", "SettingsLocked").await;
    assert_eq!(
        message,
        "spec.configuration: core.configOverwriteRef of the Harbor locks all settings (CONFIG_OVERWRITE_JSON); \
         remove configOverwriteRef from the Harbor, or write the settings there and remove these"
    );
    let status = world.get::<HarborConfiguration>("main").await["status"].take();
    assert_eq!((&status["status"], &status["message"]), (&json!("Fail"), &json!(message)));
    assert_eq!(status["reason"], "ApplyConfigurationError", "the word of the old operator");
    let stalled = status["conditions"].as_array().unwrap().iter().find(|it| it["type"] == "Stalled").unwrap();
    assert_eq!([&stalled["status"], &stalled["reason"]], ["True", "SettingsLocked"]);
    let spec = json!({"configuration": null, "cveAllowlist": {"items": ["CVE-1"]}});
    world.merge::<HarborConfiguration>("main", json!({ "spec": spec })).await;
    world.until_reason::<HarborConfiguration>("main", "Ready").await;
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_missing_or_lacks_its_key_is_named() {
    let world = World::new().await;
    world.secret("ldap", &[("password", "hunter2")]).await;
    let spec = json!({"configuration": {"ldapSearchPassword": "ldap"}});
    let message = refusal(&world, "main", spec).await;
    assert_eq!(
        message,
        "Secret default/ldap, key `ldap_search_password`: does not exist; add it to the Secret"
    );
    world
        .merge::<HarborConfiguration>(
            "main",
            json!({"spec": {"configuration": {"ldapSearchPassword": "no"}}}),
        )
        .await;
    let message = world.until_reason::<HarborConfiguration>("main", "DependencyMissing").await;
    assert_eq!(message, "Secret default/no does not exist; create it");
    let reason = world.get::<HarborConfiguration>("main").await["status"]["reason"].take();
    assert_eq!(reason, "AssembleConfigurationError", "the word of the old operator");
}
