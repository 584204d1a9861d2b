//! What belongs to a project: retention, immutable tags, webhooks, labels, its scanner, preheat policies,

//! memberships.

use crate::support::{VERSIONS, World, with};
use harborstate::{
    immutable_rules::{self, ImmutableRules},
    label::Label,
    member::{self, Membership},
    members::{GroupType, Kind, Role},
    preheat_instance::PreheatInstance,
    preheat_policy::{PreheatPolicy, Trigger},
    project::Project,
    project_scanner::ProjectScanner,
    retention::{Retention, Rule, Template},
    scanner::Scanner,
    selectors::{Decoration, Selection},
    user_group::{self, UserGroup},
    webhook::{AUTH_HEADERS, Target, Webhook},
};
use plan::SystemError;
use serde_json::json;

async fn with_project(version: (u8, u8)) -> World {
    let world = World::new(version);
    world.created(&world.wanted("alpha", &Project::default())).await;
    world
}

fn rule(template: Template, count: u64) -> Rule {
    Rule { template, count, selection: Selection::new("**", "v*"), disabled: false }
}

#[tokio::test(start_paused = true)]
async fn retention_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = with_project(version).await;
        let first = Retention {
            cron: Some("0 0 0 * * *".into()),
            rules: Some([rule(Template::LatestPushed, 3), rule(Template::Always, 0)].into()),
        };
        world.created(&world.wanted("alpha", &first)).await;
        let rules = Retention { rules: Some([rule(Template::DaysSinceLastPull, 9)].into()), cron: None };
        world.updated(&world.wanted("alpha", &rules), &["rules"]).await;
        let cron = Retention { cron: Some(String::new()), rules: None };
        let wanted = world.wanted("alpha", &cron);
        world.updated(&wanted, &["cron"]).await;
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        world.deleted(&wanted).await;
        world.created(&world.wanted("alpha", &first)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_retains_nothing_is_refused() {
    let world = with_project((15, 2)).await;
    let rules = Some([rule(Template::Other("latest".into()), 3)].into());
    let wanted = world.wanted("alpha", &Retention { cron: None, rules });
    assert!(matches!(world.create(&wanted).await, Err(SystemError::Rejected { .. })));
}

#[tokio::test(start_paused = true)]
async fn immutable_rules_are_kept_as_listed() {
    for version in VERSIONS {
        let world = with_project(version).await;
        let rule =
            |tags: &str, disabled| immutable_rules::Rule { selection: Selection::new("**", tags), disabled };
        let rules = |rules: &[immutable_rules::Rule]| {
            world.wanted("alpha", &ImmutableRules { rules: rules.iter().cloned().collect() })
        };
        assert_eq!(world.differences(&rules(&[])).await, [""; 0]);
        world.updated(&rules(&[rule("v*", false), rule("x*", true)]), &["rules"]).await;
        // Both flags change, and nothing else.
        let flipped = rules(&[rule("v*", true), rule("x*", false)]);
        let (_, requests) = world.requests(world.update(&flipped)).await;
        assert_eq!(requests.iter().filter(|request| request.starts_with("PUT")).count(), 2, "{requests:?}");
        assert_eq!(world.differences(&flipped).await, [""; 0]);
        world.updated(&rules(&[rule("y*", false)]), &["rules"]).await;
        world.updated(&rules(&[]), &["rules"]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn selectors_that_exclude_are_compared_as_such() {
    for version in VERSIONS {
        let world = with_project(version).await;
        let mut selection = Selection::new("**", "v*");
        selection.tags = selection
            .tags
            .into_iter()
            .map(|mut tag| {
                tag.untagged = false;
                tag
            })
            .collect();
        selection.repositories = selection
            .repositories
            .into_iter()
            .map(|mut repository| {
                repository.decoration = Decoration::Excludes;
                repository
            })
            .collect();
        let rule = immutable_rules::Rule { selection, disabled: false };
        world.updated(&world.wanted("alpha", &ImmutableRules { rules: [rule].into() }), &["rules"]).await;
    }
}

fn webhook() -> Webhook {
    let target = Target { kind: "http".into(), address: "http://ci/hook".into(), ..Target::default() };
    Webhook {
        description: Some("tells".into()),
        enabled: Some(true),
        event_types: Some(["PUSH_ARTIFACT".to_owned(), "DELETE_ARTIFACT".to_owned()].into()),
        targets: Some([target].into()),
    }
}

#[tokio::test(start_paused = true)]
async fn a_webhook_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = with_project(version).await;
        let headers = json!({"http://ci/hook": "Bearer secret-token"});
        let wanted = with(world.wanted("alpha/ci", &webhook()), AUTH_HEADERS, headers);
        let created = world.created(&wanted).await;
        assert!(!created.to_string().contains("secret-token"));
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        let off = Webhook { enabled: Some(false), ..Webhook::default() };
        world.updated(&world.wanted("alpha/ci", &off), &["enabled"]).await;
        let target = Target { kind: "slack".into(), address: "http://slack".into(), ..Target::default() };
        let changed = Webhook {
            description: Some(String::new()),
            event_types: Some(["REPLICATION".to_owned()].into()),
            targets: Some([target].into()),
            enabled: Some(true),
        };
        let fields = ["description", "enabled", "event_types", "targets"];
        let wanted = world.wanted("alpha/ci", &changed);
        world.updated(&wanted, &fields).await;
        world.deleted(&wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn labels_belong_to_a_project_or_to_all() {
    for version in VERSIONS {
        let world = with_project(version).await;
        for name in ["hot", "alpha/hot"] {
            let hot = Label { description: Some("hot".into()), color: Some("#FF0000".into()) };
            let wanted = world.wanted(name, &hot);
            world.created(&wanted).await;
            assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
            let cold = Label { color: Some("#0000FF".into()), description: None };
            let after = world.updated(&world.wanted(name, &cold), &["color"]).await;
            assert_eq!(after["description"], "hot");
        }
        world.deleted(&world.wanted("hot", &Label::default())).await;
        assert!(world.get(&world.wanted("alpha/hot", &Label::default())).await.is_some());
        world.deleted(&world.wanted("alpha/hot", &Label::default())).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_project_uses_the_scanner_that_it_is_given_and_then_the_default() {
    for version in VERSIONS {
        let world = with_project(version).await;
        for name in ["one", "two"] {
            world.server.network().open(&format!("http://{name}"));
            let scanner = Scanner { url: Some(format!("http://{name}")), ..Scanner::default() };
            world.created(&world.wanted(name, &scanner)).await;
        }
        let uses = |scanner: &str| world.wanted("alpha", &ProjectScanner { scanner: scanner.into() });
        assert_eq!(world.differences(&uses("one")).await, [""; 0]);
        world.updated(&uses("two"), &["scanner"]).await;
        world.delete(&uses("two")).await.unwrap();
        assert_eq!(world.differences(&uses("one")).await, [""; 0]);
        assert!(matches!(world.update(&uses("three")).await, Err(SystemError::InUse { .. })));
    }
}

#[tokio::test(start_paused = true)]
async fn a_preheat_policy_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = with_project(version).await;
        for name in ["one", "two"] {
            let instance = PreheatInstance {
                vendor: Some("dragonfly".into()),
                endpoint: Some(format!("http://{name}")),
                auth_mode: Some("NONE".into()),
                enabled: Some(true),
                ..PreheatInstance::default()
            };
            world.created(&world.wanted(name, &instance)).await;
        }
        let policy = PreheatPolicy {
            description: Some("popular".into()),
            provider: Some("one".into()),
            filters: Some([("repository".to_owned(), json!("**")), ("tag".to_owned(), json!("v*"))].into()),
            trigger: Some(Trigger { kind: "manual".into(), cron: String::new() }),
            enabled: Some(true),
            extra_attrs: None,
        };
        let wanted = world.wanted("alpha/popular", &policy);
        world.created(&wanted).await;
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        let changed = PreheatPolicy {
            provider: Some("two".into()),
            trigger: Some(Trigger { kind: "scheduled".into(), cron: "0 0 0 * * *".into() }),
            enabled: Some(false),
            ..PreheatPolicy::default()
        };
        let fields = ["enabled", "provider", "trigger.cron", "trigger.type"];
        world.updated(&world.wanted("alpha/popular", &changed), &fields).await;
        world.deleted(&wanted).await;
    }
}

#[tokio::test(start_paused = true)]
async fn one_membership_is_created_changed_and_deleted() {
    for version in VERSIONS {
        let world = with_project(version).await;
        world.created(&world.wanted(&user_group::name(GroupType::Oidc, "dev"), &UserGroup::default())).await;
        let name = member::name("alpha", Kind::Group, "dev");
        let membership = |role| Membership { role, group_type: Some(GroupType::Oidc), ldap_group_dn: None };
        let wanted = world.wanted(&name, &membership(Role::Guest));
        world.created(&wanted).await;
        assert_eq!(world.create(&wanted).await, Err(SystemError::Exists));
        world.updated(&world.wanted(&name, &membership(Role::Maintainer)), &["role"]).await;
        world.deleted(&wanted).await;
    }
}
