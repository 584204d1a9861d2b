//! Answers that are lost, accounts that may do little, and what others change.

use crate::support::{VERSIONS, World, login, with};
use bytes::Bytes;
use harbordriver::HarborDriver;
use harborserver::HarborServer;
use harborstate::{
    Access,
    label::Label,
    members::{Member, Members, Role},
    project::Project,
    robot::{self, Permission, Robot, SECRET},
    server::Server,
};
use http::{Method, Request};
use http_body_util::Full;
use plan::SystemError;
use std::{
    io,
    sync::{Arc, Mutex},
};
use tower::ServiceExt as _;

/// A Harbor whose answer to the next request with this method is lost.
fn lossy(version: (u8, u8)) -> (World, Arc<Mutex<Option<Method>>>) {
    let mut world = World::new(version);
    let lost = Arc::new(Mutex::new(None));
    let (server, losing) = (world.server.clone(), Arc::clone(&lost));
    world.driver = HarborDriver::over(move |access: &Access| {
        let (server, losing) = (server.clone(), Arc::clone(&losing));
        let service = tower::service_fn(move |request| answer(server.clone(), Arc::clone(&losing), request));
        harbordriver::over(service, access)
    });
    (world, lost)
}

async fn answer(
    server: HarborServer,
    lost: Arc<Mutex<Option<Method>>>,
    request: Request<Full<Bytes>>,
) -> io::Result<http::Response<Full<Bytes>>> {
    let loses = lost.lock().unwrap().take_if(|method| method == request.method()).is_some();
    let Ok(answer) = server.oneshot(request).await;
    if loses { Err(io::Error::other("connection reset")) } else { Ok(answer) }
}

fn pulls() -> Robot {
    let access = [robot::Access::new("repository", "pull")].into();
    let permission = Permission { kind: "project".into(), namespace: "alpha".into(), access };
    Robot { duration: Some(30), permissions: Some(robot::permissions([permission])), ..Robot::default() }
}

#[tokio::test(start_paused = true)]
async fn after_a_lost_answer_an_object_is_completed_and_not_created_again() {
    for version in VERSIONS {
        let (world, lost) = lossy(version);
        let quota = Project { storage_quota: Some(1 << 30), ..Project::default() };
        let objects = [
            world.wanted("alpha", &quota),
            with(world.wanted("ci", &pulls()), SECRET, "Secret12345"),
            with(world.wanted("alpha+ci", &pulls()), SECRET, "Secret12345"),
            world.wanted("alpha/hot", &Label { color: Some("#FF0000".into()), description: None }),
        ];
        for wanted in &objects {
            *lost.lock().unwrap() = Some(Method::POST);
            let answer = world.create(wanted).await;
            assert!(matches!(answer, Err(SystemError::Unreachable(_))), "{}: {answer:?}", wanted.key());
            let (updated, requests) = world.requests(world.update(wanted)).await;
            assert_eq!(wanted.differences(&updated.unwrap()), [""; 0]);
            assert!(!requests.iter().any(|request| request.starts_with("POST")), "{requests:?}");
        }
        let system = world.list("robot", None).await.unwrap();
        assert_eq!(system.keys().collect::<Vec<_>>(), ["ci"], "{version:?} {system:?}");
        assert_eq!(world.list("robot", Some("alpha")).await.unwrap().len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_created_but_not_complete_is_known_to_exist() {
    let (world, lost) = lossy((15, 2));
    world.created(&world.wanted("alpha", &Project::default())).await;
    *lost.lock().unwrap() = Some(Method::PATCH);
    let wanted = with(world.wanted("ci", &pulls()), SECRET, "Secret12345");
    let Err(SystemError::Unreachable(problem)) = world.create(&wanted).await else { panic!("complete") };
    assert!(problem.starts_with("it was created, but it is not complete: "), "{problem}");
    // Harbor refuses this secret, but the robot exists already.
    let wanted = with(world.wanted("cd", &pulls()), SECRET, "short");
    let Err(SystemError::Unreachable(problem)) = world.create(&wanted).await else { panic!("complete") };
    assert!(problem.starts_with("it was created, but not as desired: "), "{problem}");
    let answer = world.update(&wanted).await;
    assert!(matches!(answer, Err(SystemError::Rejected { .. })), "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn without_its_database_harbor_is_unreachable_and_no_credentials_are_blamed() {
    let world = World::new((15, 2));
    world.server.set_database_up(false);
    let answer = world.list("project", None).await;
    assert!(matches!(answer, Err(SystemError::Unreachable(_))), "{answer:?}");
    world.server.set_database_up(true);
    assert!(world.list("project", None).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn what_others_change_is_seen_and_repaired() {
    for version in VERSIONS {
        let world = World::new(version);
        let other = World::of(world.server.clone());
        let alpha = Project { storage_quota: Some(1 << 30), ..Project::default() };
        let wanted = world.wanted("alpha", &alpha);
        world.created(&wanted).await;
        let drifted = Project { storage_quota: Some(5), ..Project::default() };
        other.update(&other.wanted("alpha", &drifted)).await.unwrap();
        world.updated(&wanted, &["storage_quota"]).await;
        let admin = Member::user("admin", Role::Guest);
        other.update(&other.wanted("alpha", &Members { members: [admin].into() })).await.unwrap();
        let members =
            world.wanted("alpha", &Members { members: [Member::user("admin", Role::ProjectAdmin)].into() });
        world.updated(&members, &["members"]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_others_deleted_meanwhile_is_created_again() {
    for version in VERSIONS {
        let world = World::new(version);
        let other = World::of(world.server.clone());
        world.created(&world.wanted("alpha", &Project::default())).await;
        let wanted = with(world.wanted("alpha+ci", &pulls()), SECRET, "Secret12345");
        world.created(&wanted).await;
        other.deleted(&wanted).await;
        let answer = world.update(&wanted).await.unwrap();
        assert_eq!(wanted.differences(&answer), [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_robot_sees_what_it_may_see() {
    let mut world = World::new((15, 2));
    world.created(&world.wanted("alpha", &Project::default())).await;
    let list = Permission {
        kind: "system".into(),
        namespace: "/".into(),
        access: [robot::Access::new("project", "list")].into(),
    };
    let read = Permission {
        kind: "project".into(),
        namespace: "*".into(),
        access: [robot::Access::new("project", "read")].into(),
    };
    let reader = Robot { permissions: Some(robot::permissions([list, read])), ..Robot::default() };
    world.created(&with(world.wanted("reader", &reader), SECRET, "Secret12345")).await;
    world.connection = login("robot$reader", "Secret12345");
    let projects = world.list("project", None).await.unwrap();
    assert_eq!(projects["alpha"].get("storage_quota"), None);
    assert_eq!(projects["alpha"]["metadata"]["public"], "false");
    let server = world.get(&world.wanted("server", &Server::default())).await.unwrap();
    assert_eq!(server["principal"], "robot");
    for (collection, part) in [("configuration", None), ("members", Some("alpha")), ("user", None)] {
        let answer = world.list(collection, part).await;
        assert!(matches!(answer, Err(SystemError::Forbidden { .. })), "{collection}: {answer:?}");
    }
    assert_eq!(world.list("members", Some("missing")).await, Ok([].into()));
}
