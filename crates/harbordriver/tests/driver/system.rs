//! What belongs to the whole Harbor: replication, groups, users, scanners, preheat instances, settings,

//! schedules.

use crate::support::{VERSIONS, World, with};
use harborstate::{
    configuration::{Banner, Configuration, NAME},
    cve_allowlist::{self, CveAllowlist},
    members::GroupType,
    preheat_instance::{AUTH_INFO, PreheatInstance},
    registry::RegistryEndpoint,
    replication::{Direction, Filter, Replication, Trigger},
    scanner::{ACCESS_CREDENTIAL, Scanner},
    schedule::{AuditPurge, GarbageCollection, SET_AGAIN, ScanAll, When},
    user::{PASSWORD, User},
    user_group::{self, UserGroup},
};
use plan::SystemError;
use serde_json::json;

#[tokio::test(start_paused = true)]
async fn a_replication_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = World::new(version);
        for name in ["hub", "other"] {
            let endpoint = RegistryEndpoint {
                kind: Some("docker-registry".into()),
                url: Some("http://hub".into()),
                ..RegistryEndpoint::default()
            };
            world.created(&world.wanted(name, &endpoint)).await;
        }
        let tags = Filter::Tag { pattern: "v*".into(), excludes: version.0 > 9 };
        let policy = Replication {
            description: Some("copies".into()),
            direction: Some(Direction::Pull),
            registry: Some("hub".into()),
            dest_namespace: Some("mirror".into()),
            dest_namespace_replace_count: Some(1),
            trigger: Some(Trigger { kind: "scheduled".into(), cron: "0 0 0 * * *".into() }),
            filters: Some([Filter::Name { pattern: "a/**".into() }, tags].into()),
            deletion: Some(false),
            r#override: Some(true),
            enabled: Some(true),
            speed: Some(100),
            copy_by_chunk: Some(false),
            single_active_replication: Some(false),
        };
        let wanted = world.wanted("mirror", &policy);
        world.created(&wanted).await;
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        let changed = Replication {
            direction: Some(Direction::Push),
            registry: Some("other".into()),
            trigger: Some(Trigger { kind: "event_based".into(), cron: String::new() }),
            deletion: Some(true),
            ..Replication::default()
        };
        let fields = ["deletion", "direction", "registry", "trigger.cron", "trigger.type"];
        world.updated(&world.wanted("mirror", &changed), &fields).await;
        world.server.restore(&world.server.backup());
        let slower = Replication { speed: Some(1), ..Replication::default() };
        world.updated(&world.wanted("mirror", &slower), &["speed"]).await;
        world.deleted(&wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_version_lacks_is_refused() {
    let world = World::new((5, 6));
    let chunks = Replication { copy_by_chunk: Some(true), ..Replication::default() };
    let settings = Configuration { oidc_logout: Some(true), ..Configuration::default() };
    let purge = AuditPurge { when: When::cron("0 0 0 * * *"), ..AuditPurge::default() };
    let workers = GarbageCollection {
        when: When::cron("0 0 0 * * *"),
        workers: Some(3),
        ..GarbageCollection::default()
    };
    for wanted in [
        world.wanted("mirror", &chunks),
        world.wanted(NAME, &settings),
        world.wanted(AuditPurge::NAME, &purge),
        world.wanted(GarbageCollection::NAME, &workers),
    ] {
        let answer = world.update(&wanted).await;
        assert!(matches!(answer, Err(SystemError::Rejected { .. })), "{}: {answer:?}", wanted.key());
    }
}

#[tokio::test(start_paused = true)]
async fn user_groups_are_created_and_deleted() {
    for version in VERSIONS {
        let world = World::new(version);
        let wanted = world.wanted(&user_group::name(GroupType::Oidc, "dev"), &UserGroup::default());
        world.created(&wanted).await;
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        let renamed = UserGroup { group_name: Some("developers".into()) };
        let answer = world.update(&world.wanted(&wanted.name, &renamed)).await;
        assert!(matches!(answer, Err(SystemError::Rejected { .. })), "{answer:?}");
        world.deleted(&wanted).await;
    }
}

fn anna() -> User {
    User {
        email: Some("anna@example.com".into()),
        realname: Some("Anna".into()),
        comment: Some(String::new()),
        sysadmin: Some(true),
    }
}

#[tokio::test(start_paused = true)]
async fn a_user_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = World::new(version);
        let wanted = with(world.wanted("anna", &anna()), PASSWORD, "Secret12345");
        let created = world.created(&wanted).await;
        assert!(!created.to_string().contains("Secret12345"));
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        // The same password again is no error.
        world.updated(&wanted, &[]).await;
        let changed = User { comment: Some("left".into()), sysadmin: Some(false), ..anna() };
        let wanted = with(world.wanted("anna", &changed), PASSWORD, "Another12345");
        world.updated(&wanted, &["comment", "sysadmin"]).await;
        world.deleted(&wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_mail_address_that_is_taken_is_not_taken_for_the_user() {
    let world = World::new((15, 2));
    world.created(&with(world.wanted("anna", &anna()), PASSWORD, "Secret12345")).await;
    let answer = world.create(&with(world.wanted("ben", &anna()), PASSWORD, "Secret12345")).await;
    assert!(matches!(answer, Err(SystemError::Rejected { .. })), "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn a_scanner_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = World::new(version);
        world.server.network().open("http://first");
        let first = Scanner { url: Some("http://first".into()), ..Scanner::default() };
        world.created(&world.wanted("first", &first)).await;
        let scanner = Scanner {
            description: Some("scans".into()),
            url: Some("http://scanner".into()),
            auth: Some("Bearer".into()),
            skip_cert_verify: Some(true),
            use_internal_addr: Some(false),
            disabled: Some(false),
            is_default: Some(true),
        };
        let wanted = with(world.wanted("clair", &scanner), ACCESS_CREDENTIAL, "scanner-token");
        let created = world.created(&wanted).await;
        assert!(!created.to_string().contains("scanner-token"));
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        let changed =
            Scanner { description: Some(String::new()), use_internal_addr: Some(true), ..Scanner::default() };
        world.updated(&world.wanted("clair", &changed), &["description", "use_internal_addr"]).await;
        let off = Scanner { disabled: Some(true), ..Scanner::default() };
        let answer = world.update(&world.wanted("clair", &off)).await;
        assert!(matches!(answer, Err(SystemError::Rejected { .. })), "{answer:?}");
        world.deleted(&wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_preheat_instance_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = World::new(version);
        let instance = PreheatInstance {
            description: Some("peers".into()),
            vendor: Some("dragonfly".into()),
            endpoint: Some("http://peers".into()),
            auth_mode: Some("BASIC".into()),
            enabled: Some(true),
            is_default: Some(false),
            insecure: Some(false),
        };
        let info = json!({"peer-user": "peer-password"});
        let wanted = with(world.wanted("peers", &instance), AUTH_INFO, info);
        let created = world.created(&wanted).await;
        assert!(!created.to_string().contains("peer-password"));
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        let changed =
            PreheatInstance { insecure: Some(true), enabled: Some(false), ..PreheatInstance::default() };
        world.updated(&world.wanted("peers", &changed), &["enabled", "insecure"]).await;
        let vendor = PreheatInstance { vendor: Some("kraken".into()), ..PreheatInstance::default() };
        let answer = world.update(&world.wanted("peers", &vendor)).await;
        assert!(matches!(answer, Err(SystemError::Rejected { .. })), "{answer:?}");
        world.deleted(&wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn only_settings_that_differ_are_sent_in_one_request() {
    for version in VERSIONS {
        let world = World::new(version);
        let settings = Configuration {
            project_creation_restriction: Some("adminonly".into()),
            token_expiration: Some(45),
            self_registration: Some(false),
            oidc_scope: Some("openid,email".into()),
            oidc_extra_redirect_parms: Some([("prompt".to_owned(), "login".to_owned())].into()),
            ..Configuration::default()
        };
        let fields = [
            "oidc_extra_redirect_parms.prompt",
            "oidc_scope",
            "project_creation_restriction",
            "token_expiration",
        ];
        let wanted = with(world.wanted(NAME, &settings), "oidc_client_secret", "oidc-secret");
        let updated = world.updated(&wanted, &fields).await;
        assert!(!updated.to_string().contains("oidc-secret"));
        let (_, requests) = world.requests(world.update(&world.wanted(NAME, &settings))).await;
        assert!(!requests.iter().any(|request| request.starts_with("PUT")), "{requests:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_banner_is_shown_and_removed() {
    let world = World::new((15, 2));
    let banner = |banner| Configuration { banner_message: Some(banner), ..Configuration::default() };
    let news = Banner { message: "Closed on Sunday".into(), kind: "info".into(), ..Banner::default() };
    let fields = ["banner_message.message", "banner_message.type"];
    world.updated(&world.wanted(NAME, &banner(news)), &fields).await;
    world.updated(&world.wanted(NAME, &banner(Banner::default())), &fields).await;
}

#[tokio::test(start_paused = true)]
async fn the_mode_of_authentication_is_not_changed_once_there_are_users() {
    for version in VERSIONS {
        let world = World::new(version);
        world.created(&with(world.wanted("anna", &anna()), PASSWORD, "Secret12345")).await;
        let oidc = Configuration { auth_mode: Some("oidc_auth".into()), ..Configuration::default() };
        let Err(SystemError::Rejected { problem, .. }) = world.update(&world.wanted(NAME, &oidc)).await
        else {
            panic!("accepted")
        };
        assert_eq!(problem, "auth_mode cannot change, since Harbor has other users than admin");
    }
}

#[tokio::test(start_paused = true)]
async fn settings_change_in_read_only_mode_too() {
    for version in VERSIONS {
        let world = World::new(version);
        world.server.set_read_only(true);
        let writable = Configuration { read_only: Some(false), ..Configuration::default() };
        world.updated(&world.wanted(NAME, &writable), &["read_only"]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn jobs_are_scheduled_and_no_longer_scheduled() {
    for version in VERSIONS {
        let world = World::new(version);
        world.server.network().open("http://first");
        let first = Scanner { url: Some("http://first".into()), ..Scanner::default() };
        let scan = ScanAll { when: When::cron("0 0 1 * * *") };
        let scan = world.wanted(ScanAll::NAME, &scan);
        let answer = world.update(&scan).await;
        assert!(matches!(answer, Err(SystemError::InUse { .. })), "without a scanner: {answer:?}");
        world.created(&world.wanted("first", &first)).await;
        world.updated(&scan, &["cron", "type"]).await;
        world.updated(&world.wanted(ScanAll::NAME, &ScanAll::default()), &["cron", "type"]).await;
        let collection = GarbageCollection {
            when: When::cron("0 0 2 * * *"),
            delete_untagged: Some(true),
            ..GarbageCollection::default()
        };
        let collection = world.wanted(GarbageCollection::NAME, &collection);
        world.updated(&collection, &["cron", "delete_untagged", "type"]).await;
        let again = with(collection, SET_AGAIN, "redis-2");
        let (_, requests) = world.requests(world.update(&again)).await;
        assert!(requests.contains(&"PUT /system/gc/schedule".to_owned()), "{requests:?}");
        world.delete(&again).await.unwrap();
        let none = world.wanted(GarbageCollection::NAME, &GarbageCollection::default());
        assert_eq!(world.differences(&none).await, [""; 0]);
    }
}

#[tokio::test(start_paused = true)]
async fn the_audit_log_is_purged_by_operations_or_by_events() {
    for (version, words) in [((9, 5), ["create", "pull"]), ((15, 2), ["create_artifact", "pull_artifact"])] {
        let world = World::new(version);
        let purge = AuditPurge {
            when: When::cron("0 0 3 * * *"),
            audit_retention_hour: Some(48),
            include: Some(words.map(str::to_owned).into()),
            dry_run: Some(false),
        };
        let fields = ["audit_retention_hour", "cron", "include", "type"];
        world.updated(&world.wanted(AuditPurge::NAME, &purge), &fields).await;
        world.updated(&world.wanted(AuditPurge::NAME, &AuditPurge::default()), &["cron", "type"]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn the_allow_list_of_the_system_is_replaced() {
    for version in VERSIONS {
        let world = World::new(version);
        let wanted = world.wanted(cve_allowlist::NAME, &CveAllowlist::new(["CVE-2", "CVE-1"]));
        world.updated(&wanted, &["cves"]).await;
        world.updated(&world.wanted(cve_allowlist::NAME, &CveAllowlist::default()), &["cves"]).await;
    }
}
