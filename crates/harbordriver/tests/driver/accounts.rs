//! The server, robots and registry endpoints.

use crate::support::{VERSIONS, World, login, with};
use harborstate::{
    project::Project,
    registry::{ACCESS_SECRET, Credential, RegistryEndpoint},
    robot::{Access, NEVER, Permission, Robot, SECRET, permissions},
};
use plan::SystemError;
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn the_server_says_how_it_can_be_used() {
    for version in VERSIONS {
        let world = World::new(version);
        let expected = json!({
            "version": format!("2.{}.{}", version.0, version.1), "read_only": false, "auth_mode": "db_auth",
            "external_url": "http://harbor.example.com", "robot_name_prefix": "robot$",
            "settings_locked": false, "auth_mode_editable": true, "principal": "admin",
        });
        assert_eq!(world.list("server", None).await.unwrap(), [("server".to_owned(), expected)].into());
        world.server.set_read_only(true);
        assert_eq!(world.list("server", None).await.unwrap()["server"]["read_only"], true);
    }
}

fn robot(actions: &[&str]) -> Robot {
    let access = actions.iter().map(|action| Access::new("repository", action)).collect();
    let permission = Permission { kind: "project".into(), namespace: "alpha".into(), access };
    Robot {
        description: Some("pulls".into()),
        duration: Some(30),
        disable: Some(false),
        permissions: Some(permissions([permission])),
    }
}

async fn can_log_in(world: &World, name: &str, secret: &str) -> bool {
    let connection = login(name, secret);
    let system = harborstate::system("registry", "as-robot");
    let at = runtime::At { system: &system, connection: &connection, owner: None };
    let collection = runtime::Collection { name: "project", part: None };
    !matches!(
        runtime::ExternalDriver::list(&world.driver, at, collection).await,
        Err(SystemError::Forbidden { problem, .. }) if problem.contains("rejects the credentials")
    )
}

#[tokio::test(start_paused = true)]
async fn a_robot_has_the_secret_of_the_operator() {
    for version in VERSIONS {
        let world = World::new(version);
        world.created(&world.wanted("alpha", &Project::default())).await;
        for name in ["ci", "alpha+ci"] {
            let wanted = with(world.wanted(name, &robot(&["pull", "push"])), SECRET, "Secret12345");
            let created = world.created(&wanted).await;
            let login = created["login"].as_str().unwrap().to_owned();
            assert_eq!(login, format!("robot${name}"));
            assert!(can_log_in(&world, &login, "Secret12345").await, "{login}");
            assert!(!created.to_string().contains("Secret12345"));
            let rotated = with(world.wanted(name, &robot(&["pull", "push"])), SECRET, "Another12345");
            world.updated(&rotated, &[]).await;
            assert!(can_log_in(&world, &login, "Another12345").await, "{login}");
            assert!(!can_log_in(&world, &login, "Secret12345").await, "{login}");
            world.deleted(&rotated).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn each_field_of_a_robot_can_change() {
    for version in VERSIONS {
        let world = World::new(version);
        world.created(&world.wanted("alpha", &Project::default())).await;
        for name in ["ci", "alpha+ci"] {
            let first = robot(&["pull", "push"]);
            world.created(&world.wanted(name, &first)).await;
            let changes = [
                ("description", Robot { description: Some("x".into()), ..first.clone() }),
                ("duration", Robot { duration: Some(NEVER), description: Some("x".into()), ..first.clone() }),
            ];
            for (field, changed) in changes {
                world.updated(&world.wanted(name, &changed), &[field]).await;
            }
            let disabled = Robot { disable: Some(true), ..Robot::default() };
            world.updated(&world.wanted(name, &disabled), &["disable"]).await;
            let fewer = Robot { permissions: robot(&["pull"]).permissions, ..Robot::default() };
            let answer = world.updated(&world.wanted(name, &fewer), &["permissions"]).await;
            assert_eq!((&answer["duration"], &answer["disable"]), (&json!(-1), &json!(true)));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_robot_that_is_created_disabled_is_disabled() {
    let world = World::new((15, 2));
    world.created(&world.wanted("alpha", &Project::default())).await;
    world.created(&world.wanted("ci", &Robot { disable: Some(true), ..robot(&["pull"]) })).await;
}

#[tokio::test(start_paused = true)]
async fn a_robot_keeps_its_name_when_the_prefix_of_all_robots_changes() {
    let world = World::new((15, 2));
    world.created(&world.wanted("alpha", &Project::default())).await;
    let wanted = [world.wanted("ci", &robot(&["pull"])), world.wanted("alpha+ci", &robot(&["pull"]))];
    for wanted in &wanted {
        world.created(wanted).await;
    }
    let prefix = harborstate::configuration::Configuration {
        robot_name_prefix: Some("bot-".into()),
        ..harborstate::configuration::Configuration::default()
    };
    world.update(&world.wanted("configuration", &prefix)).await.unwrap();
    for wanted in &wanted {
        let login = world.get(wanted).await.unwrap()["login"].clone();
        assert_eq!(login, format!("bot-{}", wanted.name));
    }
}

#[tokio::test(start_paused = true)]
async fn a_robot_that_exists_and_one_without_its_project_are_not_created() {
    for version in VERSIONS {
        let world = World::new(version);
        let missing = world.create(&world.wanted("alpha+ci", &robot(&["pull"]))).await;
        assert!(matches!(missing, Err(SystemError::InUse { .. })), "{missing:?}");
        world.created(&world.wanted("alpha", &Project::default())).await;
        let wanted = world.wanted("alpha+ci", &robot(&["pull"]));
        world.created(&wanted).await;
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
    }
}

fn hub() -> RegistryEndpoint {
    RegistryEndpoint {
        kind: Some("docker-registry".into()),
        url: Some("http://hub".into()),
        description: Some("the hub".into()),
        insecure: Some(true),
        ca_certificate: Some(String::new()),
        credential: Some(Credential { kind: "basic".into(), access_key: "me".into() }),
    }
}

#[tokio::test(start_paused = true)]
async fn a_registry_endpoint_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = World::new(version);
        world.server.network().open_to("http://hub", "me", "Secret1");
        let wanted = with(world.wanted("hub", &hub()), ACCESS_SECRET, "Secret1");
        let created = world.created(&wanted).await;
        assert!(!created.to_string().contains("Secret1"));
        world.server.network().open_to("http://hub2", "you", "Secret2");
        let changed = RegistryEndpoint {
            url: Some("http://hub2".into()),
            description: Some(String::new()),
            insecure: Some(false),
            credential: Some(Credential { kind: "basic".into(), access_key: "you".into() }),
            ..hub()
        };
        let wanted = with(world.wanted("hub", &changed), ACCESS_SECRET, "Secret2");
        world.updated(&wanted, &["credential.access_key", "description", "insecure", "url"]).await;
        let open =
            RegistryEndpoint { credential: Some(Credential::default()), ..RegistryEndpoint::default() };
        world.updated(&world.wanted("hub", &open), &["credential.access_key", "credential.type"]).await;
        world.deleted(&wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_registry_that_does_not_answer_is_waited_for_and_no_secret_is_shown() {
    for version in VERSIONS {
        let world = World::new(version);
        world.server.network().open_to("http://hub", "me", "Secret1");
        let wanted = with(world.wanted("hub", &hub()), ACCESS_SECRET, "wrong-secret");
        let Err(error @ SystemError::InUse { .. }) = world.create(&wanted).await else { panic!("accepted") };
        assert!(!error.to_string().contains("wrong-secret"), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_registry_of_a_proxy_cache_is_in_use() {
    let world = World::new((15, 2));
    let open = RegistryEndpoint { credential: None, ..hub() };
    let wanted = world.wanted("hub", &open);
    world.created(&wanted).await;
    let cache = Project { registry: Some("hub".into()), ..Project::default() };
    world.created(&world.wanted("cache", &cache)).await;
    assert!(matches!(world.delete(&wanted).await, Err(SystemError::InUse { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_wrong_password_and_a_wrong_address_say_what_to_correct() {
    let mut world = World::new((15, 2));
    world.connection = login("admin", "wrong");
    let Err(SystemError::Forbidden { problem, .. }) = world.list("project", None).await else {
        panic!("accepted")
    };
    assert!(problem.contains("rejects the credentials of admin"), "{problem}");
    let access = harborstate::Access {
        url: "not an address".into(),
        trust: harborstate::Trust::Public,
        username: "admin".into(),
        password: "hunter2-secret".into(),
    };
    world.connection = access.connection().unwrap();
    let Err(error @ SystemError::Rejected { .. }) = world.list("project", None).await else {
        panic!("accepted")
    };
    assert!(!error.to_string().contains("hunter2"), "{error}");
}
