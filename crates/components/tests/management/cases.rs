//! One object of each kind that has children inside a Harbor. A kind without a case fails every test that uses them.

use crate::{
    case::{Case, Drift, Existence, Sent, Thing},
    world::World,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const HUB: &str = "https://hub.docker.com";

/// What the objects of [`cases`] refer to: a project, users, a registry, a Secret and a default scanner.
pub async fn prepare(world: &World) {
    world.harbor.network().open_everything();
    world.secret("password", &[("password", "Anna12345")]).await;
    world.ask("POST", "/projects", json!({"project_name": "alpha"})).await;
    // Harbor makes the first scanner the default.
    world.ask("POST", "/scanners", json!({"name": "default", "url": "http://default:8080"})).await;
    world.ask("POST", "/registries", json!({"name": "hub", "type": "docker-hub", "url": HUB})).await;
    for name in ["it", "gone", "kept"] {
        let mail = format!("member-{name}@example.com");
        let user = json!({
            "username": format!("member-{name}"), "email": mail, "realname": name, "password": "Harbor12345",
        });
        world.ask("POST", "/users", user).await;
    }
}

/// An object of each kind but HarborServerConfiguration, of which there is one in each world, and PullSecretBinding, which
/// changes nothing but the password of a robot account, see `pull_secret_binding`.
pub fn cases(name: &str) -> Vec<Case> {
    let all = vec![
        configuration(),
        project(name),
        task(),
        registry_endpoint(name),
        replication(name),
        scanner(name),
        preheat_instance(name),
        robot(name),
        project_member(name),
        user_group(name),
        user(name),
    ];
    let all: Vec<_> = all.into_iter().map(|case| Case { name: name.to_owned(), ..case }).collect();
    let described: BTreeSet<_> = all.iter().map(|case| case.kind.to_owned()).collect();
    let with_children = components::all().into_iter().filter(|kind| kind.children.live_outside());
    let mut known: BTreeSet<_> = with_children.map(|kind| kind.resource().kind.clone()).collect();
    assert!(known.remove("PullSecretBinding"), "it is tested apart");
    assert_eq!(described, known, "each kind has a case");
    all
}

/// The cases of kinds whose objects decide that something exists.
pub fn owned(name: &str) -> Vec<Case> {
    let is_owned = |case: &Case| case.thing.as_ref().is_some_and(|it| it.existence == Existence::Owned);
    cases(name).into_iter().filter(is_owned).collect()
}

fn project(name: &str) -> Case {
    let public = |public: &str| json!({"name": name, "metadata": {"public": public}});
    Case {
        change: Some(json!({"metadata": {"public": false}})),
        thing: Some(Thing {
            list: "/projects",
            key: Some(("name", name.to_owned())),
            before: public("true"),
            after: public("false"),
            drift: put("/projects/{name}", Sent::Fields(json!({"metadata": {"public": "true"}}))),
            by_hand: Some(json!({"project_name": name})),
            existence: Existence::Owned,
        }),
        ..case(
            "HarborProject",
            json!({
                "projectName": name, "metadata": {"public": true}, "storageQuota": "1Gi",
                "memberships": [{"name": "member-kept", "type": "user", "role": "developer"}],
                "labels": [{"name": "stable", "color": "#00FF00"}],
                "retention": {"rules": [{"latestPushedK": 10}]},
            }),
        )
    }
}

fn project_member(name: &str) -> Case {
    let user = format!("member-{name}");
    let role = |role: &str| json!({"entity_name": user, "role_name": role});
    Case {
        change: Some(json!({"role": "guest"})),
        thing: Some(Thing {
            list: "/projects/alpha/members",
            key: Some(("entity_name", user.clone())),
            before: role("developer"),
            after: role("guest"),
            drift: put("/projects/alpha/members/{id}", Sent::Fields(json!({"role_id": 1}))),
            by_hand: Some(json!({"role_id": 4, "member_user": {"username": user}})),
            existence: Existence::Owned,
        }),
        ..case(
            "HarborProjectMember",
            json!({"projectName": "alpha", "name": user, "type": "user", "role": "developer"}),
        )
    }
}

fn robot(name: &str) -> Case {
    let access = json!([{"resource": "project", "action": "list"}]);
    let described =
        |text: &str| json!({"name": format!("robot${name}"), "description": text, "disable": false});
    Case {
        change: Some(json!({"description": "new"})),
        thing: Some(Thing {
            list: "/robots",
            key: Some(("name", format!("robot${name}"))),
            before: described("old"),
            after: described("new"),
            drift: put("/robots/{id}", Sent::Whole(json!({"disable": true}))),
            by_hand: Some(json!({
                "name": name, "level": "system", "duration": -1,
                "permissions": [{"kind": "system", "namespace": "/", "access": access}],
            })),
            existence: Existence::Owned,
        }),
        ..case(
            "HarborRobot",
            json!({
                "robotName": name, "level": "system", "description": "old",
                "permissions": [{"kind": "system", "access": access}],
                "secret": {"name": format!("{name}-pull")},
            }),
        )
    }
}

fn registry_endpoint(name: &str) -> Case {
    Case {
        change: Some(json!({"description": "new"})),
        thing: Some(Thing {
            drift: put("/registries/{id}", Sent::Fields(json!({"description": "drifted"}))),
            by_hand: Some(json!({"name": name, "type": "docker-hub", "url": HUB})),
            ..described("/registries", name)
        }),
        ..case(
            "HarborRegistryEndpoint",
            json!({"registryName": name, "type": "docker-hub", "url": HUB, "description": "old"}),
        )
    }
}

fn replication(name: &str) -> Case {
    Case {
        change: Some(json!({"description": "new"})),
        thing: Some(Thing {
            drift: put("/replication/policies/{id}", Sent::Whole(json!({"description": "drifted"}))),
            by_hand: Some(json!({"name": name, "dest_registry": {"id": 1}, "enabled": true})),
            ..described("/replication/policies", name)
        }),
        ..case(
            "HarborReplication",
            json!({"policyName": name, "destinationRegistryName": "hub", "description": "old"}),
        )
    }
}

fn scanner(name: &str) -> Case {
    let url = format!("http://{name}:8080");
    Case {
        change: Some(json!({"description": "new"})),
        thing: Some(Thing {
            drift: put("/scanners/{uuid}", Sent::Whole(json!({"description": "drifted"}))),
            by_hand: Some(json!({"name": name, "url": url})),
            ..described("/scanners", name)
        }),
        ..case("HarborScanner", json!({"scannerName": name, "url": url, "description": "old"}))
    }
}

fn preheat_instance(name: &str) -> Case {
    let endpoint = format!("http://{name}:8001");
    Case {
        change: Some(json!({"description": "new"})),
        thing: Some(Thing {
            drift: put("/p2p/preheat/instances/{name}", Sent::Whole(json!({"description": "drifted"}))),
            by_hand: Some(json!({
                "name": name, "vendor": "dragonfly", "endpoint": endpoint, "auth_mode": "NONE", "enabled": true,
            })),
            ..described("/p2p/preheat/instances", name)
        }),
        ..case(
            "HarborPreheatInstance",
            json!({
                "instanceName": name, "vendor": "dragonfly", "endpoint": endpoint, "description": "old",
                "policies": [{"project": "alpha", "name": name}],
            }),
        )
    }
}

fn user(name: &str) -> Case {
    let (old, new) = (format!("{name}@example.com"), format!("{name}@acme.com"));
    let mail = |mail: &str| json!({"username": name, "email": mail, "sysadmin_flag": false});
    Case {
        change: Some(json!({"email": new})),
        thing: Some(Thing {
            list: "/users",
            key: Some(("username", name.to_owned())),
            before: mail(&old),
            after: mail(&new),
            drift: put("/users/{user_id}/sysadmin", Sent::Fields(json!({"sysadmin_flag": true}))),
            by_hand: Some(json!({
                "username": name, "email": old, "realname": "User", "password": "Harbor12345",
            })),
            existence: Existence::Owned,
        }),
        ..case(
            "HarborUser",
            json!({"username": name, "email": old, "passwordRef": {"name": "password", "key": "password"}}),
        )
    }
}

/// Its fields identify it, and it is never deleted.
fn user_group(name: &str) -> Case {
    let group = json!({"group_name": name, "group_type": 3});
    Case {
        thing: Some(Thing {
            list: "/usergroups",
            key: Some(("group_name", name.to_owned())),
            before: group.clone(),
            after: group.clone(),
            drift: Drift { method: "DELETE", path: "/usergroups/{id}", body: Sent::Fields(Value::Null) },
            by_hand: Some(group),
            existence: Existence::Shared,
        }),
        ..case("HarborUserGroup", json!({"groupName": name, "groupType": "oidc"}))
    }
}

/// Each Harbor has one configuration.
fn configuration() -> Case {
    let minutes = |minutes: i64| json!({"token_expiration": {"value": minutes}});
    Case {
        change: Some(json!({"configuration": {"tokenExpiration": 50}})),
        thing: Some(Thing {
            list: "/configurations",
            key: None,
            before: minutes(45),
            after: minutes(50),
            drift: put("/configurations", Sent::Fields(json!({"token_expiration": 60}))),
            by_hand: None,
            existence: Existence::Shared,
        }),
        ..case(
            "HarborConfiguration",
            json!({
                "configuration": {"tokenExpiration": 45},
                "schedules": {"garbageCollection": {"schedule": {"type": "Daily"}}},
                "cveAllowlist": {"items": ["CVE-1"]},
            }),
        )
    }
}

/// It runs once and cannot change.
fn task() -> Case {
    case("HarborTask", json!({"garbageCollection": {"dryRun": true}}))
}

fn case(kind: &'static str, spec: Value) -> Case {
    let mut spec = spec;
    spec["harborServerConfig"] = "acme".into();
    Case { kind, name: String::new(), spec, change: None, thing: None }
}

/// Something in a list whose description changes from `old` to `new`.
fn described(list: &'static str, name: &str) -> Thing {
    Thing {
        list,
        key: Some(("name", name.to_owned())),
        before: json!({"name": name, "description": "old"}),
        after: json!({"name": name, "description": "new"}),
        drift: put("", Sent::Fields(Value::Null)),
        by_hand: None,
        existence: Existence::Owned,
    }
}

fn put(path: &'static str, body: Sent) -> Drift {
    Drift { method: "PUT", path, body }
}
