//! Projects with their quotas, and their members.

use crate::support::{VERSIONS, World, with};
use harborserver::Image;
use harborstate::{
    cve_allowlist::CveAllowlist,
    members::{Member, Members, Role},
    project::{Project, UNLIMITED},
    registry::RegistryEndpoint,
    user::User,
};
use plan::{Contents, External, SystemError};
use serde_json::json;

fn full() -> Project {
    let metadata =
        [("public", "true"), ("auto_scan", "true"), ("severity", "high"), ("prevent_vul", "false")];
    Project {
        metadata: metadata.map(|(key, text)| (key.to_owned(), text.to_owned())).into(),
        cve_allowlist: Some(CveAllowlist { expires_at: Some(2_000_000_000), ..CveAllowlist::new(["CVE-1"]) }),
        storage_quota: Some(1 << 30),
        registry: Some(String::new()),
    }
}

#[tokio::test(start_paused = true)]
async fn a_project_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = World::new(version);
        world.created(&world.wanted("alpha", &full())).await;
        let mut changed = full();
        changed.metadata.insert("public".into(), "false".into());
        changed.metadata.insert("enable_content_trust_cosign".into(), "true".into());
        changed.cve_allowlist = Some(CveAllowlist::new(["CVE-2", "CVE-1"]));
        changed.storage_quota = Some(UNLIMITED);
        let wanted = world.wanted("alpha", &changed);
        let fields = [
            "cve_allowlist.cves",
            "cve_allowlist.expires_at",
            "metadata.enable_content_trust_cosign",
            "metadata.public",
            "storage_quota",
        ];
        world.updated(&wanted, &fields).await;
        world.deleted(&wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_not_desired_is_left_alone() {
    let world = World::new((15, 2));
    let before = world.created(&world.wanted("alpha", &full())).await;
    let quota = Project { storage_quota: Some(5), ..Project::default() };
    let after = world.updated(&world.wanted("alpha", &quota), &["storage_quota"]).await;
    assert_eq!(
        (&after["metadata"], &after["cve_allowlist"]),
        (&before["metadata"], &before["cve_allowlist"])
    );
}

#[tokio::test(start_paused = true)]
async fn a_plain_project_takes_at_most_four_requests() {
    for version in VERSIONS {
        let world = World::new(version);
        let project = Project { cve_allowlist: None, ..full() };
        let wanted = world.wanted("alpha", &project);
        let (created, requests) = world.requests(world.create(&wanted)).await;
        assert_eq!(created.map(drop), Ok(()));
        assert_eq!(requests[0], "POST /projects", "{requests:?}");
        assert!(requests.len() <= 4, "{requests:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_projects_take_twenty_requests() {
    let world = World::new((15, 2));
    for number in 0..999 {
        world.create(&world.wanted(&format!("p{number}"), &Project::default())).await.unwrap();
    }
    let (projects, requests) = world.requests(world.list("project", None)).await;
    assert_eq!((projects.unwrap().len(), requests.len()), (1000, 20), "{requests:?}");
}

#[tokio::test(start_paused = true)]
async fn a_project_that_exists_is_not_created() {
    for version in VERSIONS {
        let world = World::new(version);
        let wanted = world.wanted("library", &full());
        let before = world.get(&wanted).await;
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        assert_eq!(world.get(&wanted).await, before);
    }
}

#[tokio::test(start_paused = true)]
async fn a_project_with_repositories_is_deleted_only_with_its_contents() {
    let world = World::new((15, 2));
    let wanted = world.wanted("alpha", &Project::default());
    world.created(&wanted).await;
    world.server.push(&Image::new("alpha/app", "1"), "admin").unwrap();
    let problem = "the project has 1 repository".to_owned();
    let remedy = "delete them in Harbor".to_owned();
    assert_eq!(world.delete(&wanted).await, Err(SystemError::NotEmpty { problem, remedy }));
    world.deleted(&External { contents: Contents::Deleted, ..wanted }).await;
}

#[tokio::test(start_paused = true)]
async fn what_harbor_would_store_or_drop_without_a_word_is_refused() {
    let world = World::new((9, 5));
    for (key, text, problem) in [
        ("public", "maybe", r#"public is "maybe""#),
        ("severity", "dire", r#"severity is "dire""#),
        ("auto_sbom_generation", "true", "Harbor 2.9.5 has no setting auto_sbom_generation"),
        ("proxy_speed_kb", "10", "proxy_speed_kb is a setting of proxy caches, which this project is not"),
        ("retention_id", "1", "only Harbor changes retention_id"),
        ("colour", "red", "Harbor has no setting colour for projects"),
    ] {
        let metadata = [(key.to_owned(), text.to_owned())].into();
        let wanted = world.wanted("alpha", &Project { metadata, ..Project::default() });
        let Err(SystemError::Rejected { problem: shown, .. }) = world.create(&wanted).await else {
            panic!("{key} is accepted");
        };
        assert_eq!(shown, problem);
    }
    assert_eq!(world.list("project", None).await.unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_proxy_cache_names_its_registry_and_keeps_it() {
    for version in VERSIONS {
        let world = World::new(version);
        let hub = RegistryEndpoint {
            kind: Some("docker-registry".into()),
            url: Some("http://hub".into()),
            ..RegistryEndpoint::default()
        };
        let cache = Project { registry: Some("hub".into()), ..Project::default() };
        let wanted = world.wanted("cache", &cache);
        let missing = SystemError::InUse {
            problem: "Harbor has no registry endpoint hub".into(),
            remedy: "create it, or correct the name".into(),
        };
        assert_eq!(world.create(&wanted).await, Err(missing));
        world.created(&world.wanted("hub", &hub)).await;
        world.created(&wanted).await;
        let plain = world.wanted("cache", &Project { registry: Some(String::new()), ..Project::default() });
        assert_eq!(world.differences(&plain).await, ["registry"]);
        assert!(matches!(world.update(&plain).await, Err(SystemError::Rejected { .. })));
    }
}

#[tokio::test(start_paused = true)]
async fn read_only_mode_is_told_from_a_failure() {
    for version in VERSIONS {
        let world = World::new(version);
        world.server.set_read_only(true);
        let answer = world.create(&world.wanted("alpha", &full())).await;
        assert_eq!(answer, Err(SystemError::ReadOnly("Harbor is in read-only mode".into())));
    }
}

#[tokio::test(start_paused = true)]
async fn numbers_that_a_restore_changed_do_not_matter() {
    for version in VERSIONS {
        let world = World::new(version);
        world.created(&world.wanted("alpha", &full())).await;
        let stale = world.get(&world.wanted("alpha", &full())).await.unwrap();
        world.server.restore(&world.server.backup());
        let wanted = world.wanted("alpha", &Project { storage_quota: Some(7), ..full() });
        let answer =
            runtime::ExternalDriver::update(&world.driver, world.at(), &wanted, &stale).await.unwrap();
        assert_eq!(wanted.differences(&answer), [""; 0]);
        assert_ne!(answer["id"], stale["id"]);
    }
}

async fn with_users(world: &World) {
    for name in ["anna", "ben"] {
        let user = User {
            email: Some(format!("{name}@example.com")),
            realname: Some(name.to_owned()),
            ..User::default()
        };
        world.create(&with(world.wanted(name, &user), "password", "Secret12345")).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn members_are_kept_as_listed() {
    for version in VERSIONS {
        let world = World::new(version);
        with_users(&world).await;
        world.created(&world.wanted("alpha", &Project::default())).await;
        let members = |members: &[(&str, Role)]| {
            let members = members.iter().map(|(name, role)| Member::user(name, *role)).collect();
            world.wanted("alpha", &Members { members })
        };
        let nobody = members(&[]);
        assert_eq!(world.differences(&nobody).await, [""; 0], "the creator is not listed");
        let both = members(&[("anna", Role::Developer), ("ben", Role::LimitedGuest)]);
        let answer = world.updated(&both, &["members"]).await;
        assert_eq!(answer["creator"], "admin");
        let one = members(&[("anna", Role::Maintainer)]);
        let answer = world.updated(&one, &["members"]).await;
        let shown = json!([
            {"kind": "user", "name": "admin", "role": "projectAdmin"},
            {"kind": "user", "name": "anna", "role": "maintainer"},
        ]);
        assert_eq!(answer["members"], shown);
    }
}

#[tokio::test(start_paused = true)]
async fn a_project_that_does_not_exist_has_no_members() {
    for version in VERSIONS {
        let world = World::new(version);
        let wanted = world.wanted("alpha", &Members::default());
        assert_eq!(world.get(&wanted).await, None);
        assert!(matches!(world.create(&wanted).await, Err(SystemError::InUse { .. })));
        assert_eq!(world.delete(&wanted).await, Ok(()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_user_that_does_not_exist_is_refused_with_its_name() {
    let world = World::new((15, 2));
    world.created(&world.wanted("alpha", &Project::default())).await;
    let members = Members { members: [Member::user("nobody", Role::Guest)].into() };
    let answer = world.update(&world.wanted("alpha", &members)).await;
    let Err(error @ SystemError::InUse { .. }) = answer else { panic!("{answer:?}") };
    assert!(error.to_string().contains("nobody"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn users_that_do_not_exist_keep_nobody_in_a_project_and_nobody_out() {
    for version in VERSIONS {
        let world = World::new(version);
        with_users(&world).await;
        world.created(&world.wanted("alpha", &Project::default())).await;
        let members = |names: &[&str]| {
            let members = names.iter().map(|name| Member::user(name, Role::Guest)).collect();
            world.wanted("alpha", &Members { members })
        };
        world.updated(&members(&["ben"]), &["members"]).await;
        // Before and after anna in the order in which they are sent.
        let wanted = members(&["aaron", "anna", "zoe"]);
        let Err(error @ SystemError::InUse { .. }) = world.update(&wanted).await else { panic!("refused") };
        let text = error.to_string();
        assert!(text.contains("aaron") && text.contains("zoe"), "{text}");
        let shown = json!([
            {"kind": "user", "name": "admin", "role": "projectAdmin"},
            {"kind": "user", "name": "anna", "role": "guest"},
        ]);
        assert_eq!(world.get(&wanted).await.unwrap()["members"], shown, "{version:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_user_that_does_not_exist_keeps_no_other_out_of_a_new_project() {
    let world = World::new((15, 2));
    with_users(&world).await;
    world.created(&world.wanted("alpha", &Project::default())).await;
    let members = ["aaron", "anna", "ben"].map(|name| Member::user(name, Role::Guest));
    let wanted = world.wanted("alpha", &Members { members: members.into() });
    assert!(matches!(world.update(&wanted).await, Err(SystemError::InUse { .. })));
    let shown = world.get(&wanted).await.unwrap()["members"].take();
    assert_eq!(shown.as_array().unwrap().len(), 3, "{shown}");
}

#[tokio::test(start_paused = true)]
async fn the_members_of_a_known_project_take_one_request() {
    let world = World::new((15, 2));
    world.list("project", None).await.unwrap();
    let (members, requests) = world.requests(world.list("members", Some("library"))).await;
    assert_eq!(members.unwrap().len(), 1);
    assert_eq!(requests, ["GET /projects/library/members"]);
    with_users(&world).await;
    let members = Members { members: [Member::user("anna", Role::Guest)].into() };
    let wanted = world.wanted("library", &members);
    let actual = world.get(&wanted).await.unwrap();
    let update = runtime::ExternalDriver::update(&world.driver, world.at(), &wanted, &actual);
    let (updated, requests) = world.requests(update).await;
    assert_eq!(wanted.differences(&updated.unwrap()), [""; 0]);
    assert_eq!(requests, ["POST /projects/library/members"]);
}

#[tokio::test(start_paused = true)]
async fn a_member_that_harbor_has_already_is_not_added_again_and_gets_its_role() {
    for version in VERSIONS {
        let world = World::new(version);
        with_users(&world).await;
        world.created(&world.wanted("alpha", &Project::default())).await;
        let members =
            |role| Members { members: [Member::user("anna", role), Member::user("ben", Role::Guest)].into() };
        let stale = world.get(&world.wanted("alpha", &Members::default())).await.unwrap();
        // The answer to this one is lost.
        world.update(&world.wanted("alpha", &members(Role::Guest))).await.unwrap();
        let wanted = world.wanted("alpha", &members(Role::Maintainer));
        let update = runtime::ExternalDriver::update(&world.driver, world.at(), &wanted, &stale);
        let (updated, requests) = world.requests(update).await;
        let shown = json!([
            {"kind": "user", "name": "admin", "role": "projectAdmin"},
            {"kind": "user", "name": "anna", "role": "maintainer"},
            {"kind": "user", "name": "ben", "role": "guest"},
        ]);
        assert_eq!(updated.unwrap()["members"], shown);
        let added = requests.iter().filter(|request| request.starts_with("POST")).count();
        assert_eq!(added, 1, "{requests:?}");
        assert_eq!(world.get(&wanted).await.unwrap()["members"], shown);
    }
}
